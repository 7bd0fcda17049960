import type { LocalizedText } from '../../foundation/localized-text.ts';
import type { Degradation } from './contract.ts';

/** The sentence for each degradation, in both languages. */
export const DEGRADATION_MESSAGES: Readonly<Record<Degradation, LocalizedText>> = {
  no_engine: {
    en: 'No speech engine is set up: what is said was not written down.',
    ro: 'Nu este configurat niciun motor de transcriere: ce se spune nu a fost notat.',
  },
  language_unknown: {
    en: 'No speech engine here is known to hear this language, or the language was not named: what is said was not written down.',
    ro: 'Niciun motor de transcriere de aici nu recunoaște sigur această limbă sau limba nu a fost numită: ce se spune nu a fost notat.',
  },
  low_confidence: {
    en: 'The speech engine that was used hears about every third word wrong: its text is a hint.',
    ro: 'Motorul de transcriere folosit aude greșit cam fiecare al treilea cuvânt: textul lui este orientativ.',
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
