import { describe, expect, it } from 'vitest';
import { inBatches, poolVectors } from '../../../src/foundation/onnx/inference.ts';
import { truncatePair, truncateText, windowsOf } from '../../../src/foundation/onnx/windows.ts';

const row = (length: number) => ({ ids: Array<number>(length).fill(1), types: [] });

describe('pooling', () => {
  // Two rows of at most three tokens; the third token of the second row is padding.
  const data = Float32Array.from([3, 0, 0, 4, 0, 8, 1, 2, 5, 0, 99, 99]);
  const tensor = { data, dims: [2, 3, 2] };
  it.each([
    [
      'mean',
      [
        [1, 4],
        [3, 1],
      ],
    ],
    [
      'cls',
      [
        [3, 0],
        [1, 2],
      ],
    ],
    [
      'max',
      [
        [3, 8],
        [5, 2],
      ],
    ],
    [
      'last',
      [
        [0, 8],
        [5, 0],
      ],
    ],
  ] as const)('%s leaves padding out', (pooling, expected) => {
    const vectors = poolVectors(tensor, [row(3), row(2)], { pooling, normalized: false });
    expect(vectors.map((vector) => [...vector])).toEqual(expected);
  });

  it('takes the vectors of a model that pools by itself, and scales them', () => {
    const own = { data: Float32Array.of(3, 4, 0, 0), dims: [2, 2] };
    const vectors = poolVectors(own, [row(7), row(2)], { pooling: 'mean', normalized: true });
    expect([...(vectors[0] ?? [])].map((value) => value.toFixed(2))).toEqual(['0.60', '0.80']);
    expect([...(vectors[1] ?? [])]).toEqual([0, 0]);
  });
});

describe('batches', () => {
  it('hold so many tokens, padding included', () => {
    expect(inBatches([]).length).toBe(0);
    expect(inBatches([row(2000), row(10), row(10), row(5000), row(1)]).map(({ length }) => length)).toEqual([
      2, 1, 1, 1,
    ]);
    expect(inBatches(Array(100).fill(row(64))).map(({ length }) => length)).toEqual([64, 36]);
  });
});

/** A tokenizer of one token a word, its length; 1 begins and 2 ends a text. */
const tokenizer = {
  encode(
    text: string,
    {
      text_pair: pair,
      add_special_tokens: marks = true,
    }: { text_pair?: string; add_special_tokens?: boolean } = {},
  ) {
    const words = (some: string) =>
      some
        .split(' ')
        .filter(Boolean)
        .map(({ length }) => length + 10);
    if (!marks) return { ids: words(text) };
    const [one, two] = [words(text), pair === undefined ? [] : [...words(pair), 2]];
    const ids = [1, ...one, 2, ...two];
    return { ids, token_type_ids: ids.map((_, at) => (at < one.length + 2 ? 0 : 1)) };
  },
};

describe('texts that are too long', () => {
  it('are cut, and keep the marks that end them', () => {
    expect(truncateText(tokenizer, 'a bb ccc dddd', 10)).toEqual([1, 11, 12, 13, 14, 2]);
    expect(truncateText(tokenizer, 'a bb ccc dddd', 4)).toEqual([1, 11, 12, 2]);
    const { ids, types } = truncatePair(tokenizer, 'a', 'bb ccc dddd', 6);
    expect([ids, types]).toEqual([
      [1, 11, 2, 12, 13, 2],
      [0, 0, 0, 1, 1, 1],
    ]);
    expect(truncatePair(tokenizer, 'a '.repeat(100), 'bb', 10).ids).toContain(12);
  });

  it('are read in windows that hold all words', () => {
    const text = 'one two three four five six seven';
    const windows = windowsOf(tokenizer, 'a', text, 7);
    expect(windows.length).toBeGreaterThan(1);
    expect(windows.join(' ')).toBe(text);
    for (const window of windows)
      expect(truncatePair(tokenizer, 'a', window, 7).ids.length).toBeLessThanOrEqual(7);
    expect(windowsOf(tokenizer, 'a', text, 100)).toEqual([text]);
  });
});
