/**
 * Keeps the sentences of texts in pairs as neighbours: models/text-neighbours.bin. Usage:
 * npx tsx training/text-neighbours.ts [folder that keeps vectors]
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { writeModelFile } from '../src/text/encoder/model-file.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import { principalAxes } from './principal-axes.ts';
import { neighbourRows, type Row } from './reading/rows.ts';
import { randomStream, shuffled } from './rows.ts';

const [cache = join(tmpdir(), 'limpede-vectors')] = process.argv.slice(2);
/** Chosen on the hands that choose (models/whole-text.md). */
const [WIDTH, STEEPNESS, PRIOR] = [64, 28, 3e-4];
const CELLS = { count: 512, searched: 3, rounds: 8 } as const;
/** A text counts as so many sentences at most. */
const MOST_OF_TEXT = 4;
/** The axes are those of so many sentences. */
const AXES_OF = 20_000;

interface Kept {
  readonly lang: Row['lang'];
  readonly vector: Float32Array;
  /** Below 0 where its text is calm. */
  readonly count: number;
}

const dot = (one: Float32Array, other: Float32Array) => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
};
const ofLengthOne = (list: Float32Array) => {
  const length = Math.sqrt(dot(list, list));
  return length === 0 ? list : list.map((value) => value / length);
};

function keptSentences(): Kept[] {
  const rows = neighbourRows().filter(({ loud }) => loud !== null);
  return [...new Set(rows.map(({ set, lang }) => `${set} ${lang}`))].flatMap((key) => {
    const part = rows.filter(({ set, lang }) => `${set} ${lang}` === key);
    const lang = part[0]?.lang ?? 'en';
    const quotes = part.map(({ text }) => sentencesOf(toPlainText(text).text).map((one) => one.text));
    const encoded = sentenceVectors(cache, `neighbours-${key.replace(/\W+/g, '-')}`, quotes, lang);
    return encoded.flatMap((all, at): Kept[] => {
      const length = all.length / DIMENSIONS;
      const count = Math.min(1, MOST_OF_TEXT / length) * (part[at]?.loud === true ? 1 : -1);
      return Array.from({ length }, (_, sentence) => ({
        lang,
        vector: vectorIn(all, sentence),
        count,
      })).filter(({ vector }) => dot(vector, vector) > 0);
    });
  });
}

function meanOf(kept: readonly Kept[]): Float32Array {
  const mean = new Float64Array(DIMENSIONS);
  for (const { vector } of kept)
    vector.forEach((value, at) => {
      mean[at] = (mean[at] as number) + value / kept.length;
    });
  return Float32Array.from(mean);
}

function nearest(cells: readonly Float32Array[], place: Float32Array): number {
  let [best, likeness] = [0, Number.NEGATIVE_INFINITY];
  cells.forEach((cell, at) => {
    const value = dot(cell, place);
    if (value > likeness) [best, likeness] = [at, value];
  });
  return best;
}

/** Spherical k-means. */
function cellsOf(places: readonly Float32Array[]): Float32Array[] {
  const random = randomStream(3);
  const anyPlace = () => places[Math.floor(random() * places.length)] as Float32Array;
  let cells = shuffled(places, 3).slice(0, CELLS.count);
  for (let round = 0; round < CELLS.rounds; round += 1) {
    const sums = cells.map(() => new Float32Array(WIDTH));
    for (const place of places) {
      const sum = sums[nearest(cells, place)] as Float32Array;
      for (let at = 0; at < WIDTH; at += 1) sum[at] = (sum[at] as number) + (place[at] as number);
    }
    cells = sums.map((sum) => ofLengthOne(dot(sum, sum) === 0 ? anyPlace() : sum));
  }
  return cells;
}

const flat = (lists: readonly ArrayLike<number>[]) =>
  Float32Array.from(lists.flatMap((list) => Array.from(list)));

const kept = keptSentences();
const means = {
  en: meanOf(kept.filter(({ lang }) => lang === 'en')),
  ro: meanOf(kept.filter(({ lang }) => lang === 'ro')),
};
const centred = kept.map(({ vector, lang }) =>
  vector.map((value, at) => value - (means[lang][at] as number)),
);
const axes = principalAxes(shuffled(centred.map(ofLengthOne), 5).slice(0, AXES_OF), WIDTH).map((axis) =>
  Float32Array.from(axis),
);
const places = centred.map((vector) => ofLengthOne(Float32Array.from(axes, (axis) => dot(axis, vector))));
const cells = cellsOf(places);
const sorted = kept
  .map(({ count }, at) => {
    const place = places[at] as Float32Array;
    return { place, count, cell: nearest(cells, place) };
  })
  .sort((one, other) => one.cell - other.cell);
const largest = sorted.reduce((most, { place }) => Math.max(most, ...place.map(Math.abs)), 0);
const scale = Number((largest / 127).toPrecision(6));
const starts = Uint32Array.from({ length: cells.length + 1 }, (_, cell) => {
  const first = sorted.findIndex((one) => one.cell >= cell);
  return first < 0 ? sorted.length : first;
});
const bytes = writeModelFile(
  {
    name: 'limpede-text-neighbours-1',
    version: '1.0.0',
    width: WIDTH,
    scale,
    searched: CELLS.searched,
    steepness: STEEPNESS,
    prior: PRIOR,
  },
  {
    axes: flat(axes),
    mean_en: means.en,
    mean_ro: means.ro,
    cells: flat(cells),
    starts,
    places: Int8Array.from(
      sorted.flatMap(({ place }) => Array.from(place, (value) => Math.round(value / scale))),
    ),
    counts: Int8Array.from(sorted, ({ count }) => Math.round(127 * count)),
  },
);
writeFileSync(packageFile('models', 'text-neighbours.bin'), bytes);
process.stdout.write(`models/text-neighbours.bin: ${sorted.length} sentences, ${bytes.length} bytes\n`);
