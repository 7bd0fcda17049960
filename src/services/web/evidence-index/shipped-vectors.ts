import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type KeyedVectors, readVectors, vectorKey } from '../../../text/encoder/vector-file.ts';
import type { TextEncoder } from './encode.ts';

/** The vectors that come with the starter set; `training/starter-vectors.ts` makes them. */
export const readStarterVectors = (): KeyedVectors =>
  readVectors(readFileSync(packageFile('data', 'evidence', 'starter', 'vectors.bin')));

/** Asks the encoder for those texts alone whose vectors are not shipped; `read` is called when the first texts come. */
export function withShippedVectors(encoder: TextEncoder, read: () => KeyedVectors): TextEncoder {
  let shipped: KeyedVectors | undefined;
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
