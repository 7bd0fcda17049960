import { FeatureHasher, type Features } from './features.ts';
import { fold } from './folding.ts';
import { type LinearModel, probabilities } from './linear.ts';

/** ISO 639-1 code, or `und` (undetermined) when the text is too short or unlike every known language. */
export interface Language {
  code: string;
  /** Calibrated probability, 0 to 1; for `und`, that of the best guess. */
  confidence: number;
}

/** Scripts that settle the language by themselves among those that we know. */
const scripts: readonly [string, RegExp][] = [
  ['el', /\p{Script=Greek}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['ml', /\p{Script=Malayalam}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['ka', /\p{Script=Georgian}/gu],
  ['hy', /\p{Script=Armenian}/gu],
  ['ar', /\p{Script=Arabic}/gu],
];

/** Letters that Persian has and Arabic lacks. */
const persian = /[پچژگکی]/;

/** Letters that Ukrainian alone has of the Cyrillic languages here, and those that it lacks: the model has seen no Ukrainian. */
const ukrainian = { own: /[ґєї]/i, foreign: /[ыэъёў]/i };

/** Share of the letters that a script needs; kana need less, since Japanese mixes them with Han. */
const SCRIPT_SHARE = { usual: 0.6, kana: 0.15 };
/** Below this probability no language is named: a short line, which is mostly a name or a cry, must be surer. Below so many letters none is. */
const LEAST = { letters: 6, short: 12, probability: 0.5, ofShort: 0.9 };
/** Long texts are judged on three pieces of this many characters, so that the cost stays the same. */
const PIECE = 700;

/** Hash bits of the language model. */
export const LANGUAGE_BITS = 16;

/** Names the language of a text; `model` is the one trained by training/language.ts. */
export function identifyLanguage(model: LinearModel, text: string): Language {
  const sample = sampleOf(text);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const byScript = languageOfScript(sample, letters);
  if (byScript) return byScript;
  const shares = probabilities(model, languageFeatures(hasherOf(model), sample));
  const best = shares.indexOf(Math.max(...shares));
  const confidence = letters === 0 ? 0 : (shares[best] ?? 0);
  const least = letters < LEAST.short ? LEAST.ofShort : LEAST.probability;
  const sure = letters >= LEAST.letters && confidence >= least;
  return { code: sure ? (model.header.labels[best] ?? 'und') : 'und', confidence };
}

/** Of some languages the one that is likelier for a text, however short; the first when nothing speaks for another. */
export function likeliestOf(model: LinearModel, text: string, codes: readonly [string, ...string[]]): string {
  const shares = probabilities(model, languageFeatures(hasherOf(model), sampleOf(text)));
  const shareOf = (code: string) => shares[model.header.labels.indexOf(code)] ?? 0;
  return codes.reduce((best, code) => (shareOf(code) > shareOf(best) ? code : best));
}

/** English or Romanian: Romanian by its letters, else by the model; English when nothing speaks for Romanian. */
export function englishOrRomanian(model: LinearModel, text: string): 'en' | 'ro' {
  return /[ăâîșțşţ]/i.test(text) || likeliestOf(model, text, ['en', 'ro']) === 'ro' ? 'ro' : 'en';
}

/** Character runs of 1 to 5 and whole words of the folded text, digits and punctuation left out. */
export function languageFeatures(hasher: FeatureHasher, text: string): Features {
  const letters = fold(text, 'keep')
    .text.replace(/[^\p{L}\p{M}']+/gu, ' ')
    .trim();
  hasher.countCharacters(` ${letters} `, 1, 5);
  hasher.countWords(letters.split(' '), 1, 1);
  return hasher.finish();
}

const hashers = new WeakMap<LinearModel, FeatureHasher>();

function hasherOf(model: LinearModel): FeatureHasher {
  const known = hashers.get(model);
  if (known) return known;
  const hasher = new FeatureHasher(model.header.bits);
  hashers.set(model, hasher);
  return hasher;
}

/** The parts of a long text that tell its language: reading more of it changes nothing. */
export function sampleOf(text: string): string {
  if (text.length <= 3 * PIECE) return text;
  const middle = Math.floor((text.length - PIECE) / 2);
  return `${text.slice(0, PIECE)} ${text.slice(middle, middle + PIECE)} ${text.slice(-PIECE)}`;
}

function languageOfScript(sample: string, letters: number): Language | undefined {
  // Nearly all texts here are Latin: a look at one pattern spares the others.
  if (letters === 0 || !/[\u0370-\u04ff\u0530-\u11ff\u3040-\u9fff\uac00-\ud7af]/.test(sample))
    return undefined;
  const cyrillic = (sample.match(/\p{Script=Cyrillic}/gu)?.length ?? 0) / letters;
  if (cyrillic >= SCRIPT_SHARE.usual)
    return ukrainian.own.test(sample) && !ukrainian.foreign.test(sample)
      ? { code: 'uk', confidence: cyrillic }
      : undefined;
  for (const [code, pattern] of scripts) {
    const share = (sample.match(pattern)?.length ?? 0) / letters;
    if (share < (code === 'ja' ? SCRIPT_SHARE.kana : SCRIPT_SHARE.usual)) continue;
    return { code: code === 'ar' && persian.test(sample) ? 'fa' : code, confidence: Math.min(1, share) };
  }
  return undefined;
}
