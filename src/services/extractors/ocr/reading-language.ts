import type { ReadLine } from './lines.ts';
import { scoreOf } from './lines.ts';
import type { OcrLanguage } from './tesseract.ts';

/** Words that stand in nearly every sentence of a language and are none of the other one. */
const SMALL_WORDS: Readonly<Record<OcrLanguage, ReadonlySet<string>>> = {
  en: new Set(
    'the of and to is are was were for with that this from they their you your have has will not be been by it its on what who how all before after more'.split(
      ' ',
    ),
  ),
  ro: new Set(
    'și de la cu din pe să nu este sunt au al ale că care ce pentru în într prin despre vă ne se le îi își mai dar fi fost va vor cum toate toți înainte după'.split(
      ' ',
    ),
  ),
};
/** Letters that Romanian has and English has not. */
const ROMANIAN_LETTERS = /[ăâîșțĂÂÎȘȚ]/g;
/** What a small word, or a Romanian letter, weighs in letters that are surely read. */
const WEIGHT = { word: 3, letter: 1.5 };

function supportOf(language: OcrLanguage, lines: readonly ReadLine[]): number {
  const text = lines.map((line) => line.text).join(' ');
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const small = words.filter((word) => SMALL_WORDS[language].has(word)).length;
  const letters = language === 'ro' ? (text.match(ROMANIAN_LETTERS)?.length ?? 0) : 0;
  return scoreOf(lines) + WEIGHT.word * small + WEIGHT.letter * letters;
}

/** The reading that is in the language of the picture: what fits best to its own words and letters. */
export function likeliestReading<
  Reading extends { readonly language: OcrLanguage; readonly lines: readonly ReadLine[] },
>(readings: readonly Reading[]): Reading | undefined {
  const ranked = readings.map((reading) => ({
    reading,
    support: supportOf(reading.language, reading.lines),
  }));
  return ranked.sort((one, other) => other.support - one.support)[0]?.reading;
}
