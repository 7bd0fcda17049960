import type { OcrLine } from './lines.ts';
import { scoreOf } from './lines.ts';
import type { OcrLanguage } from './tesseract.ts';

/** Function words of a language that the other one does not have. */
const FUNCTION_WORDS: Readonly<Record<OcrLanguage, ReadonlySet<string>>> = {
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
/** Weight of a function word and of a Romanian letter, in units of the score. */
const WEIGHT = { word: 3, letter: 1.5 };

function languageScore(language: OcrLanguage, lines: readonly OcrLine[]): number {
  const text = lines.map((line) => line.text).join(' ');
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const small = words.filter((word) => FUNCTION_WORDS[language].has(word)).length;
  const letters = language === 'ro' ? (text.match(ROMANIAN_LETTERS)?.length ?? 0) : 0;
  return scoreOf(lines) + WEIGHT.word * small + WEIGHT.letter * letters;
}

/** The run in the language of the picture: the one whose words and letters fit its language best. */
export function likeliestRun<
  Run extends { readonly language: OcrLanguage; readonly lines: readonly OcrLine[] },
>(runs: readonly Run[]): Run | undefined {
  const ranked = runs.map((run) => ({ run, score: languageScore(run.language, run.lines) }));
  return ranked.sort((one, other) => other.score - one.score)[0]?.run;
}
