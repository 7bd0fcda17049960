import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type BoostedTrees, scoreRow } from '../../../text/boosted-trees.ts';
import { sigmoid } from '../../../text/logistic.ts';
import { LINE_FEATURES } from './line-features.ts';
import { type LineLayout, SECOND_STAGE_FEATURES, secondStageFeatures } from './second-stage-features.ts';

/** Trees that look at each line by itself, and trees that look at it again beside the chances of all. */
export interface LineModel {
  readonly first: BoostedTrees;
  readonly second: BoostedTrees;
}

/** The packaged file: the trees, and the names of the features that they were made for. */
interface Weights extends LineModel {
  readonly columns: readonly string[];
}

/** The features of the second look: those of the line and those of the chances. */
export const COLUMNS: readonly string[] = [...LINE_FEATURES, ...SECOND_STAGE_FEATURES];

/** Reads the packaged trees (models/page-lines.md). */
export function readLineModel(): LineModel {
  const file = packageFile('models', 'page-lines.json');
  const { columns, first, second } = JSON.parse(readFileSync(file, 'utf8')) as Weights;
  if (columns.join() !== COLUMNS.join())
    throw new Error('the weights of page-lines were made for other features');
  return { first, second };
}

const chanceOf = (trees: BoostedTrees, row: Float32Array) => sigmoid(scoreRow(trees, row));

/** The chance of each row, from 0 to 1, by one set of trees. */
export const chancesOf = (trees: BoostedTrees, rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(rows, (row) => chanceOf(trees, row));

/** The row of a line for the second stage; written into `row`. */
export function secondStageRow(
  measured: Float32Array,
  seen: Float32Array,
  row = new Float32Array(COLUMNS.length),
): Float32Array {
  row.set(measured);
  row.set(seen, LINE_FEATURES.length);
  return row;
}

/** The chance of each line, from 0 to 1, to be main text. */
export function mainTextProbabilities(
  { first, second }: LineModel,
  rows: readonly Float32Array[],
  layout: LineLayout,
): Float32Array {
  const featuresOf = secondStageFeatures(layout, chancesOf(first, rows));
  const row = new Float32Array(COLUMNS.length);
  return Float32Array.from(rows, (measured, at) =>
    chanceOf(second, secondStageRow(measured, featuresOf(at), row)),
  );
}
