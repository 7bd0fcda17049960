/** Vectors of the sentences of many texts, computed once and kept on disk. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEncoder, type EncoderLanguage, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { readEncoderParts } from '../encoder/parts.ts';

/** For each text the vectors of its sentences, one after the other. */
export function sentenceVectors(
  folder: string,
  name: string,
  texts: readonly (readonly string[])[],
  language: EncoderLanguage,
): Float32Array[] {
  const [numbers, counts] = [join(folder, `${name}.vectors`), join(folder, `${name}.counts.json`)];
  if (!existsSync(counts)) {
    mkdirSync(folder, { recursive: true });
    const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
    const made = texts.map((sentences) => {
      const all = new Float32Array(sentences.length * DIMENSIONS);
      encoder.encode(sentences, language).forEach(({ vector }, index) => {
        if (vector !== null) all.set(vector, index * DIMENSIONS);
      });
      return all;
    });
    writeFileSync(numbers, Buffer.concat(made.map((all) => Buffer.from(all.buffer))));
    writeFileSync(counts, JSON.stringify(texts.map((sentences) => sentences.length)));
  }
  const known = JSON.parse(readFileSync(counts, 'utf8')) as number[];
  if (known.length !== texts.length || known.some((count, index) => count !== texts[index]?.length))
    throw new Error(`${numbers} belongs to other texts: delete it and ${counts}.`);
  const all = new Float32Array(new Uint8Array(readFileSync(numbers)).buffer);
  let start = 0;
  return known.map((count) => {
    const own = all.subarray(start * DIMENSIONS, (start + count) * DIMENSIONS);
    start += count;
    return own;
  });
}

/** Vector of one sentence. */
export function vectorIn(vectors: Float32Array, sentence: number): Float32Array {
  return vectors.subarray(sentence * DIMENSIONS, (sentence + 1) * DIMENSIONS);
}
