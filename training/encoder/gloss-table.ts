import { foldGlossWord, stemOf } from '../../src/text/encoder/gloss.ts';

/** A sentence in both languages. */
export interface Pair {
  readonly en: string;
  readonly ro: string;
  readonly source: string;
}

/** An entry of the dictionary. */
export interface DictionaryEntry {
  readonly en: string;
  readonly ro: string;
  readonly pos: string;
}

/** English words for each Romanian one, with their weights. */
export type Candidates = Map<string, Map<string, number>>;

/** Rounds of expectation and maximisation. */
const ROUNDS = 7;
/** How much likelier words at the same place of both sentences belong together, and how likely a word stands for nothing. */
const PRIOR = { diagonal: 3, empty: 0.1 };
/** A word that stands in so many sentences believes its own alignment as much as that of all words of its stem. */
const TRUSTED_COUNT = 3;
/** Chances below this are noise of the alignment. */
const LEAST_CHANCE = 0.06;
/**
 * What a dictionary entry is worth: a part for all, more for words that are frequent in the pairs; and what is left of that
 * for other words of the same stem.
 */
const ENTRY = { worth: 0.3, base: 0.5, frequency: 0.1, stem: 0.5 };
const EMPTY = '';

/** Folded words of a Romanian text. */
export function romanianWords(text: string): string[] {
  return (text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []).map(foldGlossWord);
}

/** Lower-case words of an English text; an apostrophe stays inside. */
export function englishWords(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}[\p{L}\p{M}'’]*/gu) ?? []).map((word) =>
    word.replace(/['’]s?$/, ''),
  );
}

interface Words {
  readonly en: readonly string[];
  readonly ro: readonly string[];
}

/** An English word of a sentence: the numbers of its pairs with each Romanian word there, and how likely each was before. */
interface Line {
  readonly pairs: Int32Array;
  readonly prior: Float64Array;
}

function createNumbers<Key>() {
  const numbers = new Map<Key, number>();
  return {
    of: (key: Key) => {
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    },
    keys: () => [...numbers.keys()],
  };
}

/** Romanian words that stand where the English one does are likelier; the first is the empty word. */
function priorOf(place: number, english: number, romanian: number): Float64Array {
  return Float64Array.from({ length: romanian + 1 }, (_, index) => {
    if (index === 0) return PRIOR.empty;
    return Math.exp(-PRIOR.diagonal * Math.abs((index - 0.5) / romanian - (place + 0.5) / english));
  });
}

/**
 * IBM model 1 (Brown et al. 1993) with a preference for words at the same place (as in Dyer et al. 2013): the chance of each
 * English word given a Romanian one, from sentence pairs alone. An empty Romanian word takes what stands for nothing.
 */
function align(sentences: readonly Words[]): Candidates {
  const english = createNumbers<string>();
  const pairs = createNumbers<string>();
  const lines = sentences.flatMap(({ en, ro }) =>
    en.map((word, place): Line => {
      english.of(word);
      const sources = [EMPTY, ...ro];
      return {
        pairs: Int32Array.from(sources, (source) => pairs.of(`${source}\t${word}`)),
        prior: priorOf(place, en.length, ro.length),
      };
    }),
  );
  const keys = pairs.keys().map((key) => key.split('\t'));
  const romanian = createNumbers<string>();
  const sources = Int32Array.from(keys, ([source]) => romanian.of(source ?? EMPTY));
  let chances = new Float64Array(keys.length).fill(1);
  for (let round = 0; round < ROUNDS; round++) chances = reestimate(lines, chances, sources);
  const result: Candidates = new Map();
  keys.forEach(([source = EMPTY, target = ''], pair) => {
    if (source !== EMPTY) vote(result, source, target, chances[pair] ?? 0);
  });
  return result;
}

/** One round: how often each pair belongs together, by the chances so far, as a share of its Romanian word. */
function reestimate(
  lines: readonly Line[],
  chances: Float64Array,
  sources: Int32Array,
): Float64Array<ArrayBuffer> {
  const counts = new Float64Array(chances.length);
  for (const { pairs, prior } of lines) {
    const shares = prior.map((value, index) => value * (chances[pairs[index] ?? 0] ?? 0));
    const total = shares.reduce((sum, share) => sum + share, 0);
    pairs.forEach((pair, index) => {
      counts[pair] = (counts[pair] ?? 0) + (shares[index] ?? 0) / total;
    });
  }
  const totals = new Map<number, number>();
  counts.forEach((count, pair) => {
    totals.set(sources[pair] ?? 0, (totals.get(sources[pair] ?? 0) ?? 0) + count);
  });
  return counts.map((count, pair) => count / (totals.get(sources[pair] ?? 0) ?? 1));
}

function vote(table: Candidates, romanian: string, english: string, weight: number): void {
  const row = table.get(romanian) ?? new Map<string, number>();
  row.set(english, (row.get(english) ?? 0) + weight);
  table.set(romanian, row);
}

function countWords(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of lists.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Candidates from the sentence pairs: of a rare word mostly those of its stem. */
function alignedCandidates(sentences: readonly Words[]): Candidates {
  const own = align(sentences);
  const byStem = align(sentences.map(({ en, ro }) => ({ en, ro: ro.map(stemOf) })));
  const counts = countWords(sentences.map(({ ro }) => ro));
  const result: Candidates = new Map();
  for (const [romanian, row] of own) {
    const count = counts.get(romanian) ?? 0;
    const stem = byStem.get(stemOf(romanian)) ?? new Map<string, number>();
    for (const english of new Set([...row.keys(), ...stem.keys()])) {
      const weighed = count * (row.get(english) ?? 0) + TRUSTED_COUNT * (stem.get(english) ?? 0);
      const chance = weighed / (count + TRUSTED_COUNT);
      if (chance > LEAST_CHANCE) vote(result, romanian, english, chance);
    }
  }
  return result;
}

/** The candidates for words (from the pairs and the dictionary) and for phrases (from the dictionary alone). */
export function collectCandidates(pairs: readonly Pair[], dictionary: readonly DictionaryEntry[]) {
  const sentences = pairs.map(({ en, ro }) => ({ en: englishWords(en), ro: romanianWords(ro) }));
  const frequency = countWords(sentences.map(({ en }) => en));
  const words = alignedCandidates(sentences);
  const inPairs = [...words.keys()];
  const phrases: Candidates = new Map();
  const stems: Candidates = new Map();
  for (const { en, ro, pos } of dictionary) {
    const english = cleanEntry(en, pos);
    const romanian = romanianWords(ro);
    if (englishWords(english).length === 0 || romanian.length === 0 || romanian.length > 4) continue;
    const rarest = Math.min(...englishWords(english).map((word) => frequency.get(word) ?? 0));
    // An entry of several words is often an explanation.
    const weight =
      (ENTRY.worth * (ENTRY.base + ENTRY.frequency * Math.log(1 + rarest))) / englishWords(english).length;
    vote(romanian.length === 1 ? words : phrases, romanian.join(' '), english, weight);
    if (romanian.length === 1) vote(stems, stemOf(romanian.join('')), english, weight * ENTRY.stem);
  }
  for (const word of inPairs) {
    for (const [english, weight] of stems.get(stemOf(word)) ?? []) vote(words, word, english, weight);
  }
  return { words, phrases };
}

function cleanEntry(english: string, pos: string): string {
  const plain = english
    .replace(/\(.*?(\)|$)/g, ' ')
    .replace(/[^\p{L}\p{M}' -]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return pos === 'prop' ? plain : plain.replace(/^(to|a|an|the) (?=\S)/, '');
}

/** The English words with the highest weight. */
export function bestOf(candidates: ReadonlyMap<string, number>): string {
  let best = { english: '', weight: -1 };
  for (const [english, weight] of candidates) if (weight > best.weight) best = { english, weight };
  return best.english;
}

/** Candidates of all words that share a stem, added up. */
export function stemCandidates(words: Candidates): Candidates {
  const stems: Candidates = new Map();
  for (const [romanian, row] of words) {
    for (const [english, weight] of row) vote(stems, stemOf(romanian), english, weight);
  }
  return stems;
}
