import { describe, expect, it } from 'vitest';
import { bestTags, chainSums, runChance, type TagChainScores } from '../../../src/text/entities/chain.ts';
import { randomStream } from '../../../training/rows.ts';

const random = randomStream(5);
const draw = (length: number) => Float64Array.from({ length }, () => 4 * random() - 2);
const chain = (length: number, tags: number): TagChainScores => ({
  length,
  tags,
  words: draw(length * tags),
  steps: draw(tags * tags),
  first: draw(tags),
});

/** Every row of tags with its score. */
function everyRow({ length, tags, words, steps, first }: TagChainScores): { row: number[]; score: number }[] {
  return Array.from({ length: tags ** length }, (_, number) => {
    const row = Array.from({ length }, (_, word) => Math.floor(number / tags ** word) % tags);
    const score = row.reduce((sum, tag, word) => {
      const step = word === 0 ? first[tag] : steps[(row[word - 1] ?? 0) * tags + tag];
      return sum + (step ?? 0) + (words[word * tags + tag] ?? 0);
    }, 0);
    return { row, score };
  });
}

describe('a chain', () => {
  it.each([1, 2, 5])('of %i words is read as all its rows are', (length) => {
    const scores = chain(length, 3);
    const rows = everyRow(scores);
    const best = rows.reduce((one, other) => (other.score > one.score ? other : one));
    expect([...bestTags(scores)]).toEqual(best.row);
    const total = Math.log(rows.reduce((sum, { score }) => sum + Math.exp(score), 0));
    expect(chainSums(scores).total).toBeCloseTo(total, 9);
  });

  it('knows the chance of a run that ends where it ends', () => {
    const scores = chain(5, 3);
    const sums = chainSums(scores);
    const chanceOf = (holds: (row: number[]) => boolean) =>
      everyRow(scores)
        .filter(({ row }) => holds(row))
        .reduce((sum, { score }) => sum + Math.exp(score - sums.total), 0);
    // The words 1 and 2 have the tags 1 and 2, and word 3 does not carry on with 2.
    const inner = runChance(scores, sums, 1, [1, 2], (tag) => tag !== 2);
    expect(inner).toBeCloseTo(
      chanceOf(([, one, two, next]) => one === 1 && two === 2 && next !== 2),
      9,
    );
    const last = runChance(scores, sums, 4, [0], () => false);
    expect(last).toBeCloseTo(
      chanceOf((row) => row[4] === 0),
      9,
    );
  });

  it('of no words is empty', () => {
    const scores = chain(0, 3);
    expect([...bestTags(scores)]).toEqual([]);
    expect(chainSums(scores).total).toBe(0);
  });
});
