import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { extractorsSettings } from './settings.ts';

/** The settings of the extractors service that staff may change. */
export const extractorsLiveSettings = liveSettings('extractors', extractorsSettings, {
  EXTRACTORS_QUEUE_SIZE: 'Fișiere care pot aștepta la fiecare fel de citire, de la toți apelanții împreună.',
  EXTRACTORS_CALLER_SHARE: 'Fișiere ale unui apelant care pot aștepta sau pot fi citite.',
  EXTRACTORS_METADATA_TIMEOUT_MS: 'Timpul pentru metadatele unui fișier, fără așteptare, în milisecunde.',
  EXTRACTORS_OCR_TIMEOUT_MS:
    'Timpul pentru citirea textului dintr-o imagine, fără așteptare, în milisecunde.',
  EXTRACTORS_DETECT_TIMEOUT_MS:
    'Timpul pentru recunoașterea a ceea ce arată o imagine, fără așteptare, în milisecunde.',
  EXTRACTORS_TEXT_TIMEOUT_MS:
    'Timpul pentru numele sau sentimentul unui text, fără așteptare, în milisecunde.',
  EXTRACTORS_PICTURES_TIMEOUT_MS:
    'Timpul pentru desenarea imaginilor unui fișier, fără așteptare, în milisecunde.',
  EXTRACTORS_OVERVIEW_TIMEOUT_MS:
    'Timpul pentru imaginile de ansamblu ale unui sunet sau ale unei înregistrări video, fără așteptare, în milisecunde.',
  EXTRACTORS_MAX_SOUND_SECONDS: 'Secundele celei mai lungi înregistrări pentru care se desenează imagini.',
  EXTRACTORS_PICTURE_DAYS:
    'Zilele cât se păstrează imaginile desenate pentru fișiere care nu sunt obiecte stocate.',
  EXTRACTORS_MAX_PICTURE_BYTES: 'Cel mai mare fișier de imagine, în octeți.',
  EXTRACTORS_MAX_FILE_BYTES: 'Cel mai mare fișier de sunet sau video, în octeți.',
  EXTRACTORS_DECODE_TIMEOUT_MS: {
    ro: 'Timpul pentru decodarea unei imagini sau a unui sunet, în milisecunde; face parte din timpul operațiunii.',
    restart: true,
  },
  EXTRACTORS_MAX_PIXELS: {
    ro: 'Pixelii celei mai mari imagini care se decodează; decodarea ia până la 12 octeți de memorie pentru fiecare.',
    restart: true,
  },
  EXTRACTORS_THREADS: {
    ro: 'Fișiere citite deodată la fiecare fel de citire, fiecare pe un fir de execuție.',
    restart: true,
  },
});
