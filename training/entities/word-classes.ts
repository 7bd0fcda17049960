/** Groups the English words of the gloss by their vectors (k-means by cosine): broad classes, then narrow ones within each. */
import { createEncoder, type EncoderParts, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { type ClassTable, NARROW_CLASSES } from '../../src/text/entities/word-classes.ts';
import { hashText } from '../../src/text/features.ts';
import { randomStream, shuffled } from '../rows.ts';

const BROAD_CLASSES = 64;
const ROUNDS = 12;
const SEED = 1;
/** Words that are encoded at once. */
const BATCH = 64;

function scaled(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return length === 0 ? vector : vector.map((number) => number / length);
}

function sumOf(vectors: readonly Float32Array[], width: number): Float32Array {
  const sum = new Float32Array(width);
  for (const vector of vectors)
    for (let at = 0; at < width; at++) sum[at] = (sum[at] as number) + (vector[at] as number);
  return sum;
}

function nearest(centres: readonly Float32Array[], vector: Float32Array): number {
  let [best, highest] = [0, Number.NEGATIVE_INFINITY];
  centres.forEach((centre, index) => {
    let cosine = 0;
    for (let at = 0; at < vector.length; at++) cosine += (centre[at] as number) * (vector[at] as number);
    if (cosine > highest) [best, highest] = [index, cosine];
  });
  return best;
}

/** The group of each vector (of length 1), at most `count` groups. A group that loses all keeps its centre. */
export function groupsOf(vectors: readonly Float32Array[], count: number, seed: number): number[] {
  const width = vectors[0]?.length ?? 0;
  let centres = shuffled(vectors, seed).slice(0, count);
  let groups: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    groups = vectors.map((vector) => nearest(centres, vector));
    const members = centres.map((): Float32Array[] => []);
    groups.forEach((group, index) => {
      members[group]?.push(vectors[index] as Float32Array);
    });
    centres = centres.map((centre, group) => {
      const own = members[group] ?? [];
      return own.length === 0 ? centre : scaled(sumOf(own, width));
    });
  }
  return groups;
}

function centred(vectors: readonly Float32Array[]): Float32Array[] {
  const mean = sumOf(vectors, vectors[0]?.length ?? 0).map((sum) => sum / vectors.length);
  return vectors.map((vector) => scaled(vector.map((number, at) => number - (mean[at] as number))));
}

/** The English words that a gloss can answer with. */
function englishWords({ words, stems }: EncoderParts['gloss']): string[] {
  return [...new Set([...words.values(), ...stems.values()])].filter((word) => word !== '').sort();
}

/** The classes of all English words of the gloss. */
export function wordClasses(parts: EncoderParts): ClassTable {
  const encoder = createEncoder(shareEncoder(parts, 1), 0);
  const words = englishWords(parts.gloss);
  const vectors: Float32Array[] = [];
  for (let from = 0; from < words.length; from += BATCH)
    for (const { vector } of encoder.encode(words.slice(from, from + BATCH), 'en'))
      vectors.push(vector ?? new Float32Array(1));
  const spread = centred(vectors);
  const broad = groupsOf(spread, BROAD_CLASSES, SEED);
  const random = randomStream(SEED);
  const narrow = new Array<number>(words.length).fill(0);
  for (let group = 0; group < BROAD_CLASSES; group++) {
    const members = [...broad.keys()].filter((index) => broad[index] === group);
    const own = members.map((index) => spread[index] as Float32Array);
    const parted = groupsOf(own, NARROW_CLASSES, Math.floor(random() * 2 ** 31));
    members.forEach((index, place) => {
      narrow[index] = group * NARROW_CLASSES + (parted[place] ?? 0);
    });
  }
  const rows = words
    .map((word, index): [number, number] => [hashText(word) >>> 0, narrow[index] as number])
    .sort(([one], [other]) => one - other);
  return {
    hashes: Uint32Array.from(rows, ([hash]) => hash),
    classes: Uint32Array.from(rows, ([, group]) => group),
  };
}
