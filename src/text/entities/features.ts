import { finaliseHash, hashText } from '../features.ts';
import { stripDiacritics } from '../folding.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { ClassOf, WordClass } from './word-classes.ts';

/** "McDonald's" is XxXx'x: capitals, small letters, digits, each run once. */
export function shapeOf(word: string): string {
  let shape = '';
  for (const character of word) {
    const lower = character.toLowerCase();
    let kind = character;
    if (/\p{N}/u.test(character)) kind = '0';
    else if (character !== lower) kind = 'X';
    else if (character !== character.toUpperCase() || /\p{L}/u.test(character)) kind = 'x';
    if (shape.at(-1) !== kind) shape += kind;
  }
  return shape;
}

/** Romanian letters in one form, case folded, addresses and names of users masked. */
function plainWord(word: string): string {
  if (/^(?:https?:|www\.)/i.test(word)) return '<address>';
  if (/^@\p{L}/u.test(word)) return '<user>';
  return word.toLowerCase().replaceAll('ş', 'ș').replaceAll('ţ', 'ț').replace(/\d/g, '0');
}

/** Steps of rarity: unknown, then so many nats each. */
const NATS_A_STEP = 2;

interface WordFacts {
  readonly exact: string;
  readonly word: string;
  readonly shape: string;
  readonly rarity: string;
  readonly group: WordClass | undefined;
}

/** Letters of the longest beginning and the longest end that are read. */
const LONGEST_END = 6;
const CLASS_SIZES = ['broad', 'narrow'] as const;

const EDGE: WordFacts = { exact: '', word: '<edge>', shape: '', rarity: 'edge', group: undefined };

function factsOf(exact: string, { vocabulary, classOf }: FeatureSettings): WordFacts {
  const word = plainWord(exact);
  const surprise = vocabulary.surprise(stripDiacritics(word));
  return {
    exact,
    word,
    shape: shapeOf(exact),
    rarity: surprise === undefined ? 'unknown' : `${Math.floor(surprise / NATS_A_STEP)}`,
    group: classOf?.(word),
  };
}

/** Capitals of a whole sentence say less than those of one word. */
function caseOf(words: readonly string[]): string {
  const letters = words.join('');
  const upper = (letters.match(/\p{Lu}/gu) ?? []).length;
  const lower = (letters.match(/\p{Ll}/gu) ?? []).length;
  if (upper === 0) return 'small';
  return upper > lower ? 'loud' : 'mixed';
}

/** Features that are also learned for each corpus by itself: what counts as a name differs. */
function ownNames(
  corpus: string,
  { word, shape, rarity }: WordFacts,
  before: WordFacts,
  after: WordFacts,
): string[] {
  return [
    'bias',
    `w0${word}`,
    `w-${before.word}`,
    `w+${after.word}`,
    `h3${before.shape} ${shape} ${after.shape}`,
    `r${rarity} ${shape}`,
    `s${word.slice(-3)}`,
    `p${word.slice(0, 4)}`,
  ].map((name) => `${corpus} ${name}`);
}

/** What the word and its neighbours mean, by their classes: broad ones and narrow ones alike. */
function addClassNames(names: string[], near: (distance: number) => WordFacts): void {
  const { shape } = near(0);
  for (const size of CLASS_SIZES) {
    const of = (distance: number) => near(distance).group?.[size] ?? '';
    const [own, before, after] = [of(0), of(-1), of(1)];
    names.push(
      `${size}0${own} ${shape}`,
      `${size}-${before} ${shape}`,
      `${size}+${after} ${shape}`,
      `${size}--${of(-2)}`,
      `${size}++${of(2)}`,
      `${size}b${before} ${own}`,
    );
  }
}

/** What the names of features depend on, for a whole sentence. */
interface SentenceManner {
  readonly manner: string;
  readonly corpus: string;
  readonly hasClasses: boolean;
}

function namesOf(
  facts: readonly WordFacts[],
  at: number,
  { manner, corpus, hasClasses }: SentenceManner,
): string[] {
  const near = (distance: number) => facts[at + distance] ?? EDGE;
  const [own, before, after] = [near(0), near(-1), near(1)];
  const names = [
    'bias',
    `w0${own.word}`,
    `e${own.exact}`,
    `w-${before.word}`,
    `w+${after.word}`,
    `w--${near(-2).word}`,
    `w++${near(2).word}`,
    `b-${before.word} ${own.word}`,
    `b+${own.word} ${after.word}`,
    `n-${before.word.slice(0, 5)} ${own.shape}`,
    `n+${own.shape} ${after.word.slice(0, 5)}`,
    `n--${near(-2).word.slice(0, 5)} ${before.word.slice(0, 5)}`,
    `h0${own.shape} ${manner}`,
    `h-${before.shape} ${own.shape}`,
    `h+${own.shape} ${after.shape}`,
    `h3${before.shape} ${own.shape} ${after.shape}`,
    `hw-${own.shape} ${before.word}`,
    `hw+${own.shape} ${after.word}`,
    `r${own.rarity} ${own.shape} ${manner}`,
    `r-${before.rarity} ${own.rarity} ${own.shape}`,
    `r+${own.rarity} ${own.shape} ${after.rarity} ${after.shape}`,
    `f${at === 0} ${own.shape} ${own.rarity}`,
  ];
  for (let size = 1; size <= LONGEST_END && size < own.word.length; size++)
    names.push(`p${own.word.slice(0, size)}`, `s${own.word.slice(-size)}`);
  if (corpus !== '') names.push(...ownNames(corpus, own, before, after));
  if (hasClasses) addClassNames(names, near);
  return names;
}

/** How the features of words are made. */
export interface FeatureSettings {
  readonly vocabulary: Vocabulary;
  readonly bits: number;
  /** Names the manner of annotation; empty for none. */
  readonly corpus: string;
  /** What words mean; undefined where a model was made without. */
  readonly classOf?: ClassOf | undefined;
}

/** Buckets of the features of each word of a sentence. */
export function wordBuckets(words: readonly string[], settings: FeatureSettings): Uint32Array[] {
  const { bits, corpus, classOf } = settings;
  const facts = words.map((word) => factsOf(word, settings));
  const sentence = { manner: caseOf(words), corpus, hasClasses: classOf !== undefined };
  return words.map((_, at) => {
    const names = namesOf(facts, at, sentence);
    const buckets = new Uint32Array(names.length);
    for (let index = 0; index < names.length; index++)
      buckets[index] = finaliseHash(hashText(names[index] as string)) >>> (32 - bits);
    return buckets;
  });
}
