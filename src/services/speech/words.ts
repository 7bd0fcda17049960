import type { Degradation } from './contract.ts';

/** What a transcript lacks, in both languages. */
export const DEGRADATION_WORDS: Readonly<Record<Degradation, { readonly en: string; readonly ro: string }>> =
  {
    no_engine: {
      en: 'No speech engine is set up: what is said was not written down.',
      ro: 'Nu este configurat niciun motor de transcriere: ce se spune nu a fost notat.',
    },
    engine_failed: {
      en: 'The speech engine gave no answer: what is said was not written down.',
      ro: 'Motorul de transcriere nu a răspuns: ce se spune nu a fost notat.',
    },
    no_words: {
      en: 'The speech engine gives no times of words.',
      ro: 'Motorul de transcriere nu dă timpii cuvintelor.',
    },
    no_segments: {
      en: 'The speech engine gives no times: the text of each piece stands as one.',
      ro: 'Motorul de transcriere nu dă timpi: textul fiecărei bucăți apare ca un întreg.',
    },
  };
