import { createHash } from 'node:crypto';
import { DIMENSIONS } from './layers.ts';
import { asSignedBytes, quantiseVector } from './quantised-vectors.ts';

/** Vectors by the key of their text. */
export type KeyedVectors = ReadonlyMap<string, Int8Array>;

/** Bytes of a text's hash in the file: 64 bits distinguish millions of texts. */
const KEY_BYTES = 8;
const ROW_BYTES = KEY_BYTES + DIMENSIONS;

const hashOf = (text: string) => createHash('sha256').update(text).digest().subarray(0, KEY_BYTES);

/** The key of a text in a file of vectors. */
export const vectorKey = (text: string): string => hashOf(text).toString('hex');

/** A file of vectors: the hash of a text and its vector as signed bytes, text by text in the order of the hashes. */
export function writeVectors(vectors: ReadonlyMap<string, ArrayLike<number>>): Buffer {
  const rows = [...vectors].map(([text, vector]) => Buffer.concat([hashOf(text), quantiseVector(vector)]));
  return Buffer.concat(rows.sort(Buffer.compare));
}

/** Reads what `writeVectors` wrote. */
export function readVectors(file: Buffer): KeyedVectors {
  if (file.length % ROW_BYTES !== 0) throw new Error('This is not a file of vectors.');
  return new Map(
    Array.from({ length: file.length / ROW_BYTES }, (_, index) => {
      const row = file.subarray(index * ROW_BYTES, (index + 1) * ROW_BYTES);
      return [row.toString('hex', 0, KEY_BYTES), asSignedBytes(row.subarray(KEY_BYTES))] as const;
    }),
  );
}
