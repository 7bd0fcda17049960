import type { FeatureHasher, Features } from '../../../../text/features.ts';
import { type LinearModel, margins } from '../../../../text/linear.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { wordsOf } from '../../../../text/words.ts';
import { normalizeLayout } from './layout.ts';

/** Hash bits of the detector. */
export const AI_TEXT_BITS = 18;
/** Fewer words than this carry too little style to judge; the detector then gives no number. */
export const LEAST_WORDS = 100;
/** Words in a window: the detector takes windows of one length, so that length is no feature. */
const WINDOW_WORDS = 160;
/** Windows read of one text, spread evenly over it: more would not change the mean, only the time. */
const MOST_WINDOWS = 24;
/** How much a style measure weighs beside the unit-length counts. */
const STYLE_WEIGHT = 0.3;

const contraction = /\w'(?:t|s|re|ve|ll|d|m)\b/g;

/** Windows of the tidied text, each a run of whole words. */
export function textWindows(text: string): string[] {
  const tidy = normalizeLayout(text);
  const words = wordsOf(tidy);
  const count = Math.max(1, Math.round(words.length / WINDOW_WORDS));
  const size = words.length / count;
  const windows: string[] = [];
  const step = Math.max(1, count / MOST_WINDOWS);
  for (let index = 0; index < count; index += step) {
    const first = Math.floor(Math.floor(index) * size);
    const last = Math.min(words.length, Math.floor((Math.floor(index) + 1) * size)) - 1;
    windows.push(tidy.slice(words[first]?.start ?? 0, words[last]?.end ?? tidy.length));
  }
  return windows;
}

/** Features of one window: words 1 to 3, characters 3 to 4 with punctuation, and measures of style. */
export function windowFeatures(hasher: FeatureHasher, window: string): Features {
  const words = wordsOf(window).map((word) => word.text);
  hasher.countWords(words, 1, 3);
  hasher.countCharacters(window, 3, 4);
  for (const [name, value] of styleMeasures(window, words)) hasher.setExact(name, value * STYLE_WEIGHT);
  return hasher.finish();
}

/** Measures of style, each about 0 to 2. */
function styleMeasures(window: string, words: readonly string[]): [string, number][] {
  const total = Math.max(1, words.length);
  const sentences = window
    .split(/[.!?]+/)
    .map((part) => part.split(' ').length)
    .filter((length) => length > 1);
  const mean = sentences.reduce((sum, length) => sum + length, 0) / Math.max(1, sentences.length);
  const variance =
    sentences.reduce((sum, length) => sum + (length - mean) ** 2, 0) / Math.max(1, sentences.length);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  const rate = (pattern: RegExp, scale: number) => ((window.match(pattern)?.length ?? 0) / total) * scale;
  return [
    ['sentence length', mean / 25],
    ['sentence spread', Math.sqrt(variance) / Math.max(1, mean)],
    ['word length', letters / total / 4],
    ['variety', new Set(words).size / total],
    ['commas', rate(/,/g, 15)],
    ['contractions', rate(contraction, 40)],
    ['questions', rate(/\?/g, 60)],
    ['exclamations', rate(/!/g, 60)],
    ['dashes', rate(/ - |;|:/g, 40)],
    ['brackets', rate(/[([]/g, 60)],
    ['numbers', rate(/\b0\b/g, 25)],
    ['names', rate(/\bxx\b/g, 8)],
  ];
}

/** Mean margin of a text's windows. */
export function aiTextMargin(model: LinearModel, hasher: FeatureHasher, text: string): number {
  const sums = textWindows(text).map((window) => margins(model, windowFeatures(hasher, window))[0] ?? 0);
  return sums.reduce((total, margin) => total + margin, 0) / Math.max(1, sums.length);
}

/** Calibrated probability, 0 to 1, that a machine wrote the text. */
export function aiTextProbability(model: LinearModel, hasher: FeatureHasher, text: string): number {
  const { calibration } = model.header;
  if (calibration.link !== 'logistic')
    throw new Error(`The model ${model.header.name} is no yes-or-no detector.`);
  return sigmoid(
    aiTextMargin(model, hasher, text) * (calibration.slope[0] ?? 1) + (calibration.intercept[0] ?? 0),
  );
}
