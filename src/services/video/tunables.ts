import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { videoSettings } from './settings.ts';

/** The settings of the video service that staff may change. */
export const videoLiveSettings = liveSettings('video', videoSettings, {
  VIDEO_QUEUE_SIZE: 'Videoclipuri care pot aștepta, de la toți apelanții împreună.',
  VIDEO_CALLER_SHARE: 'Videoclipuri ale unui apelant care pot aștepta sau pot fi examinate.',
  VIDEO_MAX_FILE_BYTES: 'Cel mai mare fișier, în octeți.',
  VIDEO_MAX_SECONDS: 'Cel mai lung videoclip, în secunde.',
  VIDEO_TIMEOUT_MS: 'Timpul pentru un videoclip, fără așteptare, în milisecunde.',
  VIDEO_DECODE_TIMEOUT_MS: 'Timpul pentru o rulare a decodorului, în milisecunde.',
  VIDEO_RUN_KEEP_MINUTES: 'Cât se păstrează cadrele și rezultatele unei examinări, în minute.',
  VIDEO_VISION_IMAGES: 'Cadre trimise într-o cerere către serverul de imagini.',
  VIDEO_VISION_TIMEOUT_MS: 'Timpul unei cereri către serverul de imagini, în milisecunde.',
  VIDEO_SUMMARY_TIMEOUT_MS: 'Timpul pentru îmbinarea descrierilor, în milisecunde.',
  VIDEO_EXTRACTORS_TIMEOUT_MS: {
    ro: 'Timpul unei cereri către extractoare, în milisecunde.',
    restart: true,
  },
  VIDEO_RUNNING: { ro: 'Videoclipuri examinate deodată.', restart: true },
});
