import { describe, expect, it } from 'vitest';
import { closeInOrder } from '../src/foundation/shutdown.ts';
import { internalToken, serviceUrl } from '../src/main.ts';
import { silent } from './foundation/database/engines.ts';

const never = () => new Promise<void>(() => undefined);
const unhurried = { partLimitMs: () => 60_000, limitMs: 60_000 };

/** Services that note when their closing begins. */
function services(...closers: (() => Promise<void>)[]) {
  const begun: string[] = [];
  const all = closers.map((close, index) => ({
    name: `service ${index}`,
    close: () => {
      begun.push(`service ${index}`);
      return close();
    },
  }));
  return { all, begun };
}

describe('closing in order', () => {
  it('waits for one before it begins with the next', async () => {
    let first = false;
    const { all } = services(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        first = true;
      },
      async () => expect(first).toBe(true),
    );
    expect(await closeInOrder(all, unhurried, silent)).toEqual([]);
  });

  it('closes what they stand on when all of them are closed, and not before', async () => {
    const ground = services(async () => undefined);
    const { all } = services(
      () => new Promise((resolve) => setTimeout(resolve, 30)),
      async () => expect(ground.begun).toEqual([]),
    );
    const [database] = ground.all;
    const limits = { partLimitMs: () => 5, limitMs: 60_000 };
    expect(await closeInOrder(all, limits, silent, database)).toEqual([]);
    expect(ground.begun).toHaveLength(1);
    const stuck = services(never);
    const kept = services(async () => undefined);
    const short = { partLimitMs: () => 5, limitMs: 20 };
    expect(await closeInOrder(stuck.all, short, silent, kept.all[0])).toContain('service 0');
    expect(kept.begun).toEqual([]);
  });

  it('goes on with the next when one fails', async () => {
    const { all, begun } = services(
      async () => {
        throw new Error('broken');
      },
      async () => undefined,
    );
    expect(await closeInOrder(all, unhurried, silent)).toEqual([]);
    expect(begun).toHaveLength(2);
  });

  it('goes on with the next when one takes longer than its turn, and names it when the limit is over', async () => {
    const { all, begun } = services(never, async () => undefined);
    expect(await closeInOrder(all, { partLimitMs: () => 10, limitMs: 40 }, silent)).toEqual(['service 0']);
    expect(begun).toHaveLength(2);
  });
});

describe('the token of our own services', () => {
  const both = ['gateway', 'analysis', 'llm'];

  it('is made up where both ends are in one process', () => {
    const token = internalToken({}, both);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(internalToken({}, both)).not.toBe(token);
  });

  it('is the named one wherever there is one', () => {
    expect(internalToken({ LLM_INTERNAL_TOKEN: ' own ' }, ['analysis'])).toBe('own');
  });

  it.each([
    ['one of them runs elsewhere', {}, ['analysis']],
    ['the analysis asks another gateway', { LLM_URL: 'http://llm.example' }, both],
  ])('is none when %s', (_name, environment, services) => {
    expect(internalToken(environment, services)).toBeUndefined();
  });
});

describe('the address of a service', () => {
  it.each([
    [{}, 'http://127.0.0.1:8095'],
    [{ LIMPEDE_PORT: '9000' }, 'http://127.0.0.1:9015'],
    [{ IDENTITY_PORT: '7000', LIMPEDE_INTERNAL_HOST: '0.0.0.0' }, 'http://127.0.0.1:7000'],
    [{ IDENTITY_URL: 'http://identity:8095/' }, 'http://identity:8095'],
    [{ IDENTITY_URL: 'none' }, undefined],
  ])('%j', (environment, url) => {
    expect(serviceUrl('identity', environment)).toBe(url);
  });
});
