import { describe, expect, it } from 'vitest';
import { freePorts } from './running-platform.ts';

describe('free ports', () => {
  it('are given to one test only', async () => {
    const lists = await Promise.all(Array.from({ length: 20 }, () => freePorts(20)));
    const ports = lists.flat();
    expect(new Set(ports).size).toBe(400);
  });
});
