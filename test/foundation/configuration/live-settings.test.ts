import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { followSettings, liveSettings } from '../../../src/foundation/configuration/live-settings.ts';
import { flag, integer, number, optionalText, parseSettings } from '../../../src/foundation/settings.ts';
import { changeable } from './changeable.ts';

const schema = z.object({
  TEST_LIMIT: integer(3, 1, 9).describe('A limit.'),
  TEST_RATE: number(0.5, 0.1, 10).describe('A rate.'),
  TEST_SWITCH: flag(true).describe('A switch.'),
  TEST_WORD: z.enum(['one', 'two']).default('one').describe('A word.'),
  TEST_THREADS: integer(1, 1, 64).describe('Threads.'),
  TEST_NAME: optionalText().describe('A name.'),
});
const live = liveSettings('test', schema, {
  TEST_LIMIT: 'O limită.',
  TEST_RATE: { ro: 'O rată.', key: 'speed' },
  TEST_SWITCH: 'Un comutator.',
  TEST_WORD: 'Un cuvânt.',
  TEST_THREADS: { ro: 'Fire de execuție.', restart: true },
});
const settings = parseSettings(schema, { TEST_LIMIT: '5', TEST_NAME: 'ana' });
const tunables = live.map((setting) => setting.of(settings));

describe('settings that staff may change', () => {
  it('are named after the service, and take the value of the environment until somebody changes them', async () => {
    expect(tunables.map(({ key, fallback }) => [key, fallback])).toEqual([
      ['test.limit', 5],
      ['test.speed', 0.5],
      ['test.switch', true],
      ['test.word', 'one'],
      ['test.threads', 1],
    ]);
    const { configuration, close } = await changeable();
    expect(followSettings(settings, live, configuration(tunables))).toEqual(settings);
    await close();
  });

  it.each([
    ['test.limit', [1, 9], [0, 10, 1.5, '5', null, true]],
    ['test.speed', [0.1, 1.25, 10], [0, 11, 'fast']],
    ['test.switch', [true, false], ['true', 1]],
    ['test.word', ['one', 'two'], ['three', 1]],
  ])('%s takes what the setting takes, as JSON has it', (key, good, bad) => {
    const tunable = tunables.find((each) => each.key === key);
    for (const value of good) expect(tunable?.schema.safeParse(value).success, String(value)).toBe(true);
    for (const value of bad) expect(tunable?.schema.safeParse(value).success, String(value)).toBe(false);
  });

  it('hold at the moment in which each is read', async () => {
    const { configuration, set, close } = await changeable();
    const held = followSettings(settings, live, configuration(tunables));
    const limit = held.TEST_LIMIT;
    await set('test.limit', 9);
    await set('test.switch', false);
    await set('other.limit', 1);
    expect(limit).toBe(5);
    expect([held.TEST_LIMIT, held.TEST_SWITCH, held.TEST_NAME]).toEqual([9, false, 'ana']);
    expect(live[0]?.of(held).fallback).toBe(5);
    await set('test.limit', null);
    expect(held.TEST_LIMIT).toBe(5);
    await close();
  });

  it('that need a restart keep what held when the process began', async () => {
    const { configuration, set, close } = await changeable([['test.threads', 4]]);
    const held = followSettings(settings, live, configuration(tunables));
    await set('test.threads', 8);
    expect(held.TEST_THREADS).toBe(4);
    expect(followSettings(settings, live, configuration(tunables)).TEST_THREADS).toBe(8);
    await close();
  });

  it('cannot be texts: what is a secret or an address is never kept there', () => {
    expect(() => liveSettings('test', schema, { TEST_NAME: 'Un nume.' })).toThrow('TEST_NAME');
  });
});
