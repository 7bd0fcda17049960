import type { LocalizedText } from '../../../foundation/localized-text.ts';

/** What the detectors of media are called. */
const DETECTOR_NAMES: Readonly<Record<string, LocalizedText>> = {
  generator_metadata: { en: 'Declaration of a generator', ro: 'Declarație a unui generator' },
  double_quantisation: {
    en: 'Parts saved once in a picture saved twice',
    ro: 'Părți salvate o dată într-o imagine salvată de două ori',
  },
  copy_move: { en: 'Copied parts', ro: 'Părți copiate' },
  jpeg_grid: { en: 'Parts on another JPEG grid', ro: 'Părți pe altă grilă JPEG' },
  file_history: { en: 'History of the file', ro: 'Istoricul fișierului' },
  error_level: { en: 'Error level (for people)', ro: 'Nivelul de eroare (pentru oameni)' },
  ghost: { en: 'Earlier qualities (for people)', ro: 'Calități anterioare (pentru oameni)' },
  digital_silence: { en: 'Silence that no microphone gives', ro: 'Liniște pe care niciun microfon nu o dă' },
  bandwidth: { en: 'Highest frequency', ro: 'Cea mai înaltă frecvență' },
  bandwidth_change: { en: 'Parts from another source', ro: 'Părți din altă sursă' },
  lip_sync: { en: 'Lips and voice', ro: 'Buzele și vocea' },
  pulse: { en: 'Pulse in the face', ro: 'Pulsul din față' },
  vision_model: { en: 'Look of a vision model', ro: 'Privirea unui model de imagini' },
  noise: { en: 'Noise (for people)', ro: 'Zgomot (pentru oameni)' },
};

/** The name of a detector; one that a newer service has is called by its code. */
export function detectorName(detector: string, language: 'en' | 'ro'): string {
  return DETECTOR_NAMES[detector]?.[language] ?? detector;
}
