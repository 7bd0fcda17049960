import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../../training/entities/word-classes.ts';

describe('groups of vectors', () => {
  const near = (x: number, y: number) => {
    const length = Math.hypot(x, y);
    return Float32Array.of(x / length, y / length);
  };
  const vectors = [near(1, 0), near(0, 1), near(1, 0.1), near(0.1, 1), near(1, -0.1)];

  it('keep together what points the same way', () => {
    const [right, up, ...others] = groupsOf(vectors, 2, 3);
    expect(right).not.toBe(up);
    expect(others).toEqual([right, up, right]);
  });

  it('are no more than there are vectors', () => {
    expect(new Set(groupsOf(vectors.slice(0, 2), 16, 1)).size).toBe(2);
    expect(groupsOf([], 4, 1)).toEqual([]);
  });
});
