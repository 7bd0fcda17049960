import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PieceScores } from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import { FOLDS } from './held-back.ts';

/** Numbers a piece that `upper.py` gives. */
export const COLUMNS = 32;

/** For each article what layers that did not see it say of its pieces (`upper.py FOLDER 0` to `4`); undefined where that fold is missing. */
export function heldBackPieces(folder: string, articleCount: number): (PieceScores | undefined)[] {
  const { sentences } = JSON.parse(readFileSync(join(folder, 'sentences.json'), 'utf8')) as {
    sentences: { article: number; pieces: [number, number][] }[];
  };
  const said = Array.from({ length: FOLDS }, (_, fold) => {
    const file = join(folder, `fold-${fold}.f32`);
    return existsSync(file) ? new Float32Array(new Uint8Array(readFileSync(file)).buffer) : undefined;
  });
  const next = new Array<number>(FOLDS).fill(0);
  const bounds = Array.from({ length: articleCount }, (): number[] => []);
  const numbers = Array.from({ length: articleCount }, (): Float32Array[] => []);
  for (const { article, pieces } of sentences) {
    const fold = article % FOLDS;
    const start = next[fold] ?? 0;
    const end = start + COLUMNS * pieces.length;
    next[fold] = end;
    bounds[article]?.push(...pieces.flat());
    numbers[article]?.push(said[fold]?.subarray(start, end) ?? new Float32Array(0));
  }
  return bounds.map((list, article) => {
    if (said[article % FOLDS] === undefined) return undefined;
    const all = new Float32Array((list.length / 2) * COLUMNS);
    let at = 0;
    for (const part of numbers[article] ?? []) {
      all.set(part, at);
      at += part.length;
    }
    return { bounds: Uint32Array.from(list), columns: COLUMNS, numbers: all };
  });
}
