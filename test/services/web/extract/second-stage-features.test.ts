import { describe, expect, it } from 'vitest';
import {
  type LineRange,
  SECOND_STAGE_FEATURES,
  secondStageFeatures,
} from '../../../../src/services/web/extract/second-stage-features.ts';

const range = (firstLine: number, endLine: number): LineRange => ({ firstLine, endLine });
// Three lines of an article, a heading of what is related, and two first words of other articles that look like main text.
const [whole, article, related] = [range(0, 6), range(0, 3), range(3, 6)];
const line = (at: number) => range(at, at + 1);
const places = {
  words: [10, 40, 50, 2, 30, 30],
  levels: [0, 1, 2, 3, 4, 5].map((at) => [line(at), at < 3 ? article : related, whole]),
  makes: [0, 1, 1, 2, 3, 3],
};
const chances = Float32Array.from([0.5, 0.9, 0.9, 0.1, 0.8, 0.6]);
const look = secondStageFeatures(places, chances);
const rows = places.words.map((_, at) => look(at));
const of = (at: number, feature: string) => {
  const column = SECOND_STAGE_FEATURES.indexOf(feature);
  expect(column).toBeGreaterThanOrEqual(0);
  return rows[at]?.[column];
};

describe('the second look', () => {
  it('has as many numbers as names', () => {
    expect(new Set(SECOND_STAGE_FEATURES).size).toBe(SECOND_STAGE_FEATURES.length);
    for (const row of rows)
      expect([row.length, row.every(Number.isFinite)]).toEqual([SECOND_STAGE_FEATURES.length, true]);
    expect(rows).toHaveLength(6);
  });

  it.each([
    [1, 'chance', 0.9],
    // What stands beside it in its block, without itself: nothing, then the other lines of the article.
    [1, 'level 0 others', -1],
    [1, 'level 1 others', (10 * 0.5 + 50 * 0.9) / 60],
    [4, 'level 1 others', (2 * 0.1 + 30 * 0.6) / 32],
    [0, 'core 0.5', 1],
    [4, 'core 0.5', 0],
    [4, 'core 0.95', 1],
    [1, 'make others', 0.9],
    [4, 'make others', 0.6],
    [4, 'make lines', 2],
    [0, 'neighbour -1', -1],
    [0, 'neighbour 1', 0.9],
    [3, 'bestBefore', 0.9],
    [5, 'toLikelyBefore', 1],
    [3, 'toLikelyAfter', 1],
    [0, 'before', 0],
    [5, 'after', 0],
    [0, 'page likely', 3],
  ])('sees of line %d: %s is %d', (at, feature, value) => {
    expect(of(at, feature)).toBeCloseTo(value, 5);
  });

  it('reads pages without lines and without chances', () => {
    expect(() => secondStageFeatures({ words: [], levels: [], makes: [] }, new Float32Array())).not.toThrow();
    const blind = secondStageFeatures(places, new Float32Array(6));
    for (const at of places.words.keys()) expect(blind(at).every(Number.isFinite)).toBe(true);
  });
});
