import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type BoostedTrees, scoreRow } from '../../../text/boosted-trees.ts';
import { LINE_FEATURES } from './line-features.ts';

/** The packaged file: the trees, and the names of the features that they were made for. */
interface Weights {
  readonly columns: readonly string[];
  readonly trees: BoostedTrees;
}

/** Reads the packaged trees (models/page-lines.md). */
export function readLineModel(): BoostedTrees {
  const file = packageFile('models', 'page-lines.json');
  const { columns, trees } = JSON.parse(readFileSync(file, 'utf8')) as Weights;
  if (columns.join() !== LINE_FEATURES.join())
    throw new Error('the weights of page-lines were made for other features');
  return trees;
}

/** The chance of each line, from 0 to 1, to be main text. */
export const chancesOf = (trees: BoostedTrees, rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(rows, (row) => 1 / (1 + Math.exp(-scoreRow(trees, row))));
