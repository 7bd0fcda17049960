import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../../../../foundation/files.ts';
import { dotProduct } from '../../../../text/dot-product.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { readList, readModelFile } from '../../../../text/encoder/model-file.ts';
import type { WholeTextLanguage } from './whole-text.ts';

/** Header of models/text-neighbours.bin. */
export const neighboursHeader = z.object({
  /** Axes on which sentences are compared. */
  width: z.int().positive().multipleOf(4),
  /** What one step of a byte of a kept sentence is worth. */
  scale: z.number().positive(),
  /** Of the cells that the kept sentences are sorted into, so many nearest ones are searched. */
  searched: z.int().positive(),
  /** A kept sentence counts exp(steepness * (cosine - 1)). */
  steepness: z.number().positive(),
  /** What no sentence nearby counts, for either side: the fewer and farther they are, the less they say. */
  prior: z.number().positive(),
});

/**
 * Log-odds that a sentence belongs to a text that presses its reader, by the kept sentences nearest to it: log of what those of loud
 * texts count over what those of calm ones do (a kernel density classifier, searched by an inverted file). Its vector is of length 1.
 */
export type NeighbourReader = (vector: Float32Array, language: WholeTextLanguage) => number;

interface Lists {
  /** `width` rows of 512 numbers. */
  readonly axes: readonly Float32Array[];
  /** Mean vector of each language. */
  readonly means: Readonly<Record<WholeTextLanguage, Float32Array>>;
  /** `width` numbers a cell, of length 1. */
  readonly cells: readonly Float32Array[];
  /** Where the sentences of each cell begin, and where the last one ends. */
  readonly starts: Uint32Array;
  /** `width` bytes a kept sentence. */
  readonly places: Int8Array;
  /** What each kept sentence counts, in steps of 1 / 127; below 0 where its text is calm. */
  readonly counts: Int8Array;
}

/** Numbers that are multiplied at a time: independent sums need not wait for each other. */
const LANES = 4;

/** The product of a vector with each row. */
const products = (rows: readonly Float32Array[], vector: Float32Array) =>
  Float32Array.from(rows, (row) => dotProduct(row, vector));

/** A list of numbers cut into rows; what does not fill a row is one more. */
const rowsOf = (list: Float32Array, width: number) =>
  Array.from({ length: Math.ceil(list.length / width) }, (_, row) =>
    list.slice(row * width, (row + 1) * width),
  );

/** The product of two lists of bytes of `width` numbers, a multiple of four, from a place of the first on. */
function byteProduct(places: Int8Array, from: number, place: Int8Array): number {
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  for (let column = 0, at = from; column < place.length; column += LANES, at += LANES) {
    one = (one + (places[at] as number) * (place[column] as number)) | 0;
    two = (two + (places[at + 1] as number) * (place[column + 1] as number)) | 0;
    three = (three + (places[at + 2] as number) * (place[column + 2] as number)) | 0;
    four = (four + (places[at + 3] as number) * (place[column + 3] as number)) | 0;
  }
  return one + two + three + four;
}

/** A vector less the mean of its language, on the axes, scaled to length 1; zeros stay. */
function placeOf({ axes, means }: Lists, vector: Float32Array, language: WholeTextLanguage) {
  const mean = means[language];
  const centred = vector.map((value, at) => value - (mean[at] as number));
  const place = products(axes, centred);
  const length = Math.sqrt(place.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? place : place.map((value) => value / length);
}

/** The cells nearest to a place. */
function nearestCells(likeness: Float32Array, count: number): number[] {
  const nearest: number[] = [];
  for (let cell = 0; cell < likeness.length; cell += 1) {
    const value = likeness[cell] as number;
    if (nearest.length === count && value <= (likeness[nearest[count - 1] as number] as number)) continue;
    let at = Math.min(nearest.length, count - 1);
    for (; at > 0 && (likeness[nearest[at - 1] as number] as number) < value; at -= 1)
      nearest[at] = nearest[at - 1] as number;
    nearest[at] = cell;
  }
  return nearest;
}

function listsOf(bytes: Uint8Array): Lists & { readonly header: z.infer<typeof neighboursHeader> } {
  const file = readModelFile(bytes, neighboursHeader);
  const list = (name: string) => readList(file, name);
  const { width } = file.header;
  const lists = {
    axes: rowsOf(new Float32Array(list('axes')), DIMENSIONS),
    means: { en: new Float32Array(list('mean_en')), ro: new Float32Array(list('mean_ro')) },
    cells: rowsOf(new Float32Array(list('cells')), width),
    starts: new Uint32Array(list('starts')),
    places: new Int8Array(list('places')),
    counts: new Int8Array(list('counts')),
  };
  const fits =
    lists.axes.length === width &&
    lists.cells.length === lists.starts.length - 1 &&
    lists.places.length === width * lists.counts.length &&
    lists.starts.at(-1) === lists.counts.length;
  if (!fits) throw new Error('The kept sentences are damaged.');
  return { ...lists, header: file.header };
}

/** Makes a reader of the bytes of models/text-neighbours.bin. Throws where its lists do not fit together. */
export function createNeighbourReader(bytes: Uint8Array): NeighbourReader {
  const { header, ...lists } = listsOf(bytes);
  const { width, scale, searched, steepness, prior } = header;
  const { cells, starts, places, counts } = lists;
  const step = scale / 127;
  return (vector, language) => {
    const place = placeOf(lists, vector, language);
    const rounded = new Int8Array(place.map((value) => Math.round(127 * value)));
    let loud = prior;
    let calm = prior;
    for (const cell of nearestCells(products(cells, place), searched)) {
      const end = starts[cell + 1] as number;
      for (let row = starts[cell] as number; row < end; row += 1) {
        const cosine = step * byteProduct(places, row * width, rounded);
        const count = (counts[row] as number) / 127;
        const share = Math.exp(steepness * (cosine - 1));
        if (count > 0) loud += count * share;
        else calm -= count * share;
      }
    }
    return Math.log(loud / calm);
  };
}

let shipped: NeighbourReader | undefined;

/** What the sentences of the package say. */
export const neighbourLogOdds: NeighbourReader = (vector, language) => {
  shipped ??= createNeighbourReader(readFileSync(packageFile('models', 'text-neighbours.bin')));
  return shipped(vector, language);
};
