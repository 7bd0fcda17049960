import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { visionSettings } from './settings.ts';

/** The settings of the vision service that staff may change. */
export const visionLiveSettings = liveSettings('vision', visionSettings, {
  VISION_UPSTREAM_TIMEOUT_MS:
    'Timpul unui răspuns al serverului operatorului și al celei mai lungi pauze dintr-un flux, în milisecunde.',
  VISION_QUEUE_SIZE: 'Cereri care pot aștepta, de la toți apelanții împreună.',
  VISION_CALLER_SHARE: 'Cereri ale unui apelant care pot aștepta sau primi răspuns.',
  VISION_MAX_FILE_BYTES: 'Cel mai mare fișier de imagine, în octeți.',
  VISION_AT_ONCE: { ro: 'Cereri la care se răspunde deodată.', restart: true },
  VISION_DECODE_TIMEOUT_MS: { ro: 'Timpul pentru decodarea unei imagini, în milisecunde.', restart: true },
  VISION_MAX_PIXELS: {
    ro: 'Pixelii celei mai mari imagini care se decodează; decodarea ia până la 12 octeți de memorie pentru fiecare.',
    restart: true,
  },
});
