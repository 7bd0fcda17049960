import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { forensicSettings } from './settings.ts';

/** The settings of the forensic service that staff may change. */
export const forensicLiveSettings = liveSettings('forensic', forensicSettings, {
  FORENSIC_QUEUE_SIZE: 'Imagini care pot aștepta, de la toți apelanții împreună.',
  FORENSIC_CALLER_SHARE: 'Imagini ale unui apelant care pot aștepta sau pot fi examinate.',
  FORENSIC_TIMEOUT_MS: 'Timpul pentru o imagine, fără așteptare, în milisecunde.',
  FORENSIC_MAX_FILE_BYTES: 'Cel mai mare fișier de imagine, în octeți.',
  FORENSIC_MAX_RECORDING_BYTES: 'Cel mai mare fișier de sunet sau video, în octeți.',
  FORENSIC_RECORDING_TIMEOUT_MS: 'Timpul pentru o înregistrare, fără așteptare, în milisecunde.',
  FORENSIC_MAX_SECONDS: 'Cea mai lungă înregistrare, în secunde.',
  FORENSIC_THREADS: {
    ro: 'Imagini examinate deodată, fiecare pe un fir de execuție.',
    restart: true,
  },
  FORENSIC_DECODE_TIMEOUT_MS: {
    ro: 'Timpul pentru decodarea unei imagini, în milisecunde; face parte din cel dinainte.',
    restart: true,
  },
  FORENSIC_MAX_PIXELS: {
    ro: 'Pixelii celei mai mari imagini care se decodează; decodarea ia până la 12 octeți de memorie pentru fiecare.',
    restart: true,
  },
});
