import { z } from 'zod';
import { hashText } from '../features.ts';
import { sortedIndexOf } from '../sorted-index.ts';
import { foldGlossWord } from './gloss.ts';
import { DIMENSIONS } from './layers.ts';
import { readList, readModelFile } from './model-file.ts';

/**
 * A correction of the vectors of glossed Romanian sentences, for what the gloss misses. Each word, and the beginning of each word, has a
 * row of numbers; their sum is widened to the size of a sentence vector.
 */
export interface Student {
  /** Hashes of the known features in ascending order; row i belongs to hash i. */
  readonly hashes: Uint32Array;
  /** Signed bytes, row by row, each times the scale of its row. */
  readonly rows: Int8Array;
  readonly scales: Float32Array;
  readonly width: number;
  /** width x 512 numbers. */
  readonly widening: Float32Array;
}

/** Header of a student's file beside what every file has. */
const headerSchema = z.object({ width: z.int().min(1) });

/** Letters that the beginning of a word keeps: at least four, else so large a part of it. */
const BEGINNING = { least: 4, part: 0.7 };
/** Keeps the hashes of beginnings from those of words. */
const BEGINNING_SEED = 0x62656769;

/** Reads a student's file. */
export function loadStudent(bytes: Uint8Array): Student {
  const file = readModelFile(bytes, headerSchema);
  const student = {
    hashes: new Uint32Array(readList(file, 'hashes')),
    rows: new Int8Array(readList(file, 'rows')),
    scales: new Float32Array(readList(file, 'scales')),
    width: file.header.width,
    widening: new Float32Array(readList(file, 'widening')),
  };
  const { hashes, rows, scales, width, widening } = student;
  if (
    rows.length !== hashes.length * width ||
    scales.length !== hashes.length ||
    widening.length !== width * DIMENSIONS
  )
    throw new Error(`The student ${file.header.name} is damaged: its parts differ in size.`);
  return student;
}

/** Hashes of the features of a Romanian text: each word and its beginning, as often as they stand there. */
export function studentFeatures(text: string): number[] {
  return (text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []).flatMap((word) => {
    const folded = foldGlossWord(word);
    const beginning = folded.slice(0, Math.max(BEGINNING.least, Math.floor(folded.length * BEGINNING.part)));
    return [hashText(folded) >>> 0, hashText(beginning, BEGINNING_SEED) >>> 0];
  });
}

/** What is to be added to the vector of the glossed text, before it is scaled to length 1. */
export function correctionOf(student: Student, text: string): Float32Array {
  const { hashes, rows, scales, width, widening } = student;
  const places = studentFeatures(text)
    .map((hash) => sortedIndexOf(hashes, hash))
    .filter((place) => place >= 0);
  const sum = new Float64Array(width);
  for (const place of places) {
    const scale = (scales[place] ?? 0) / Math.sqrt(places.length);
    for (let index = 0; index < width; index++) {
      sum[index] = (sum[index] ?? 0) + (rows[place * width + index] ?? 0) * scale;
    }
  }
  const correction = new Float32Array(DIMENSIONS);
  for (let index = 0; index < width; index++) {
    const value = sum[index] ?? 0;
    const start = index * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at++) {
      correction[at] = (correction[at] ?? 0) + value * (widening[start + at] ?? 0);
    }
  }
  return correction;
}
