/** What the detectors of pictures are called. */
const DETECTOR_NAMES: Readonly<Record<string, { readonly en: string; readonly ro: string }>> = {
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
  noise: { en: 'Noise (for people)', ro: 'Zgomot (pentru oameni)' },
};

/** The name of a detector; one that a newer service has is called by its code. */
export function detectorName(detector: string, language: 'en' | 'ro'): string {
  return DETECTOR_NAMES[detector]?.[language] ?? detector;
}
