import { z } from 'zod';
import { dotProduct } from './dot-product.ts';
import { FeatureHasher, type Features } from './features.ts';
import { fold } from './folding.ts';
import { type LinearModel, loadLinear, margins, softmax } from './linear.ts';
import { sigmoid } from './logistic.ts';
import { wordsOf } from './words.ts';

const numbers = z.array(z.number());
/** What turns scores into calibrated ones, label by label: own * (score of the words) + encoder * (score of the vector) + bias. */
const mixSchema = z.object({ own: numbers, encoder: numbers, bias: numbers });

/** What stands in the header of a model file beside the weights of the words. */
const parametersSchema = z.object({
  /** Weights for the vector of a text, and a bias, label by label. */
  vector: z.object({ weights: z.array(numbers), bias: numbers }),
  /** With a vector, and without one. */
  both: mixSchema,
  alone: mixSchema,
  /** How characters are counted: runs of 2 to 5 of the whole text, or of 2 to 6 within each word. */
  characters: z.enum(['across words', 'within words']).default('across words'),
});

/** Constants of a text classifier. */
export type ClassifierParameters = z.infer<typeof parametersSchema>;

/** How a classifier counts characters. */
export type CharacterRuns = ClassifierParameters['characters'];

/** The class of a text. */
export interface TextClass {
  /** The likeliest label. */
  readonly label: string;
  /** Its calibrated probability, 0 to 1. */
  readonly confidence: number;
  /** Probability of each label: of several that may hold together each by itself, else shares of 1. */
  readonly shares: Readonly<Record<string, number>>;
  /** Labels from their threshold on; of those that exclude each other the likeliest. */
  readonly labels: readonly string[];
}

/** Classifies texts by their words and, where there is one, by their vector. */
export interface TextClassifier {
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** `vector` is that of the packaged encoder, or what the model was made for; without it the words answer alone. */
  classify(text: string, vector?: Float32Array): TextClass;
}

/** So much of a text is read, in UTF-16 units. */
export const MOST_CHARACTERS = 6000;
/** How much a sign of tone weighs beside the unit-length counts. */
const TONE_WEIGHT = 0.3;
const NEGATIONS = new Set(
  "not no never nor cannot can't don't doesn't didn't isn't wasn't won't nu nici niciodata fara".split(' '),
);
/** Words behind a negation that it may turn around. */
const REACH = 3;

/** Words with those behind a negation marked. */
function negated(words: readonly string[]): string[] {
  let left = 0;
  return words.flatMap((word) => {
    const marked = left > 0 ? [`not ${word}`] : [];
    left = NEGATIONS.has(word) ? REACH : left - 1;
    return marked;
  });
}

/** Runs of characters of a folded text. */
function countRuns(hasher: FeatureHasher, plain: string, characters: CharacterRuns): void {
  if (characters === 'across words') hasher.countCharacters(` ${plain} `, 2, 5);
  else for (const word of plain.split(' ')) hasher.countCharacters(` ${word} `, 2, 6);
}

/** Features of a text: words 1 to 2, words behind negations, runs of characters, and signs of tone. */
export function textFeatures(
  hasher: FeatureHasher,
  text: string,
  characters: CharacterRuns = 'across words',
): Features {
  const read = text.slice(0, MOST_CHARACTERS);
  const plain = fold(read, 'strip').text.replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();
  const words = wordsOf(plain).map((word) => word.text);
  hasher.countWords(words, 1, 2);
  for (const word of negated(words)) hasher.countName(word);
  countRuns(hasher, plain, characters);
  const letters = Math.max(1, (read.match(/\p{L}/gu) ?? []).length);
  const capitals = (read.match(/\p{Lu}/gu) ?? []).length;
  const initials = wordsOf(read).filter((word) => /^\p{Lu}/u.test(word.text)).length;
  const tones: [string, number][] = [
    ['capitals', capitals / letters],
    ['initials', initials / Math.max(1, words.length)],
    ['exclamations', Math.min(3, (read.match(/!/g) ?? []).length)],
    ['questions', Math.min(3, (read.match(/\?/g) ?? []).length)],
    ['length', Math.log(1 + words.length) / 5],
    ['begins with a number', /^\W*\d/.test(read) ? 1 : 0],
  ];
  for (const [name, value] of tones) hasher.setExact(name, value * TONE_WEIGHT);
  return hasher.finish();
}

/** Score of each label by the vector of a text. */
type VectorMargins = (vector: Float32Array) => number[];

function vectorMarginsOf({ weights, bias }: ClassifierParameters['vector']): VectorMargins {
  const rows = weights.map((row) => Float32Array.from(row));
  return (vector) => rows.map((row, label) => (bias[label] ?? 0) + dotProduct(row, vector));
}

/** Probability of each label. */
function sharesOf(
  model: LinearModel,
  { alone, both }: Pick<ClassifierParameters, 'alone' | 'both'>,
  features: Features,
  read: readonly number[] | undefined,
): Float64Array {
  const own = margins(model, features);
  const mix = read === undefined ? alone : both;
  const scores = own.map(
    (margin, label) =>
      (mix.own[label] ?? 0) * margin +
      (mix.encoder[label] ?? 0) * (read?.[label] ?? 0) +
      (mix.bias[label] ?? 0),
  );
  return model.header.calibration.link === 'softmax' ? softmax(scores, 1) : scores.map(sigmoid);
}

/** Loads a classifier: a linear model file whose parameters hold the weights for the vector. */
export function loadTextClassifier(bytes: Uint8Array): TextClassifier {
  const model = loadLinear(bytes);
  const parameters = parametersSchema.parse(model.header.parameters);
  const vectorMargins = vectorMarginsOf(parameters.vector);
  const hasher = new FeatureHasher(model.header.bits);
  const { name, version, labels, thresholds, calibration } = model.header;
  return {
    name,
    version,
    labels,
    classify: (text, vector) => {
      const features = textFeatures(hasher, text, parameters.characters);
      const shares = sharesOf(model, parameters, features, vector && vectorMargins(vector));
      const best = shares.indexOf(Math.max(...shares));
      const label = labels[best] ?? '';
      const sure = labels.filter((other, index) => (shares[index] ?? 0) >= (thresholds[other] ?? 0.5));
      return {
        label,
        confidence: shares[best] ?? 0,
        shares: Object.fromEntries(labels.map((other, index) => [other, shares[index] ?? 0])),
        labels: calibration.link === 'softmax' ? [label] : sure,
      };
    },
  };
}
