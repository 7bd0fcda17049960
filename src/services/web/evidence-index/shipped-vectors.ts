import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { asSignedBytes, quantiseVector } from '../../../text/encoder/quantised-vectors.ts';
import type { TextEncoder } from './encode.ts';
import { DIMENSIONS } from './vectors.ts';

/** Vectors by the key of their text. */
export type ShippedVectors = ReadonlyMap<string, Int8Array>;

/** Bytes of a text's hash in the file: 64 bits distinguish some hundred texts. */
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
export function readVectors(file: Buffer): ShippedVectors {
  if (file.length % ROW_BYTES !== 0) throw new Error('This is not a file of vectors.');
  return new Map(
    Array.from({ length: file.length / ROW_BYTES }, (_, index) => {
      const row = file.subarray(index * ROW_BYTES, (index + 1) * ROW_BYTES);
      return [row.toString('hex', 0, KEY_BYTES), asSignedBytes(row.subarray(KEY_BYTES))] as const;
    }),
  );
}

/** The vectors that come with the starter set; `training/starter-vectors.ts` makes them. */
export const readStarterVectors = (): ShippedVectors =>
  readVectors(readFileSync(packageFile('data', 'evidence', 'starter', 'vectors.bin')));

/** Asks the encoder for those texts alone whose vectors are not shipped; `read` is called when the first texts come. */
export function withShippedVectors(encoder: TextEncoder, read: () => ShippedVectors): TextEncoder {
  let shipped: ShippedVectors | undefined;
  return {
    async encode(texts, signal) {
      shipped ??= read();
      const known = texts.map((text) => shipped?.get(vectorKey(text)));
      const others = texts.filter((_, index) => known[index] === undefined);
      const encoded = others.length === 0 ? [] : await encoder.encode(others, signal);
      if (encoded === undefined) return undefined;
      let next = 0;
      return known.map((vector) =>
        vector === undefined ? (encoded[next++] ?? null) : Float32Array.from(vector),
      );
    },
  };
}
