import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/foundation/http/pace.ts';

const never = new AbortController().signal;

describe('the pace towards one host', () => {
  it('lets a burst through and refuses what would wait longer than the caller', async () => {
    const pace = createPace(10, 3, () => 1_000_000);
    for (let turn = 0; turn < 3; turn++) await pace.turn('a.example', 0, never);
    await expect(pace.turn('a.example', 99, never)).rejects.toMatchObject({ reason: 'rate_limited' });
    await pace.turn('b.example', 0, never);
  });

  it('opens again as time goes by', async () => {
    let now = 1_000_000;
    const pace = createPace(10, 1, () => now);
    await pace.turn('a.example', 0, never);
    now += 99;
    await expect(pace.turn('a.example', 0, never)).rejects.toMatchObject({ reason: 'rate_limited' });
    now += 1;
    await pace.turn('a.example', 0, never);
  });

  it('stops waiting when the caller leaves', async () => {
    const pace = createPace(0.001, 1);
    await pace.turn('a.example', 0, never);
    const leaving = new AbortController();
    const waiting = pace.turn('a.example', 10_000_000, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
  });
});
