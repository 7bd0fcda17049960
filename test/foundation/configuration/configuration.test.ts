import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Configuration } from '../../../src/foundation/configuration/configuration.ts';
import type { ConfigurationTables } from '../../../src/foundation/configuration/tables.ts';
import { defineTunable, type Tunable } from '../../../src/foundation/configuration/tunable.ts';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { eventually } from '../../patience.ts';
import { forEachEngine, silent } from '../database/engines.ts';
import { openConfiguration } from './open-configuration.ts';

const words = { description_en: 'A test.', description_ro: 'Un test.' };
const limit = defineTunable({ key: 'test.limit', schema: z.int().min(1).max(9), fallback: 3, ...words });
const names = defineTunable({
  key: 'test.names',
  schema: z.object({ first: z.string(), rest: z.array(z.string()).default([]) }),
  fallback: { first: 'ana', rest: [] },
  ...words,
});
/** Longer than any test: what is heard was announced. */
const NEVER_MS = 3_600_000;

describe('a tunable', () => {
  it('must have a default that fits', () => {
    expect(() => defineTunable({ ...limit, fallback: 10 })).toThrow(z.ZodError);
  });
});

forEachEngine((engine) => {
  const opened: Configuration[] = [];
  const open = async (
    tunables: readonly Tunable[] = [limit, names],
    pollMs = NEVER_MS,
    database: Database = engine.database(),
  ) => {
    const configuration = await openConfiguration(database, tunables, silent, pollMs);
    opened.push(configuration);
    return configuration;
  };
  const all = { limit: 100, offset: 0 };

  beforeEach(async () => {
    await open([]);
    await engine.database().kysely<ConfigurationTables>().deleteFrom('configuration_change').execute();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ close }) => close()));
  });

  it('holds defaults until somebody changes one', async () => {
    const { current, changes } = await open();
    expect(current().version).toBe(0);
    expect(current().get(limit)).toEqual({ value: 3, change: null });
    expect(await changes(all)).toEqual({ items: [], total: 0 });
  });

  it('counts every change of any value, and keeps who changed what from what to what', async () => {
    const { current, change, changes } = await open();
    await change(limit, 5, 'maria');
    await change(names, { first: 'ion' }, 'dan');
    const after = await change(limit, undefined, 'maria');
    expect(after.version).toBe(3);
    expect(current()).toBe(after);
    expect(after.get(limit)).toMatchObject({
      value: 3,
      change: { version: 2, configVersion: 3, actor: 'maria' },
    });
    expect(after.get(names).value).toEqual({ first: 'ion', rest: [] });
    const { items, total } = await changes(all);
    expect(total).toBe(3);
    expect(items.map(({ at, ...row }) => ({ ...row, dated: at instanceof Date }))).toEqual([
      { config_version: 3, key: 'test.limit', version: 2, old: 5, value: null, actor: 'maria', dated: true },
      {
        config_version: 2,
        key: 'test.names',
        version: 1,
        old: null,
        value: { first: 'ion', rest: [] },
        actor: 'dan',
        dated: true,
      },
      { config_version: 1, key: 'test.limit', version: 1, old: null, value: 5, actor: 'maria', dated: true },
    ]);
    expect((await changes({ ...all, actor: 'dan' })).items.map(({ key }) => key)).toEqual(['test.names']);
    expect(await changes({ key: 'test.limit', limit: 1, offset: 1 })).toMatchObject({
      items: [{ config_version: 1 }],
      total: 2,
    });
    expect((await changes({ ...all, from: new Date(Date.now() + 3_600_000) })).total).toBe(0);
    expect((await changes({ ...all, to: new Date(Date.now() - 3_600_000) })).total).toBe(0);
  });

  it('refuses a value that does not fit, and the old one stays', async () => {
    const { current, change, changes } = await open();
    await change(limit, 5, 'maria');
    await expect(change(limit, 10, 'maria')).rejects.toThrow(z.ZodError);
    await expect(change(limit, 'many' as never, 'maria')).rejects.toThrow(z.ZodError);
    expect(current().get(limit).value).toBe(5);
    expect((await changes(all)).total).toBe(1);
  });

  it('takes no note of a change to what holds already', async () => {
    const { change } = await open();
    expect((await change(limit, 3, 'maria')).version).toBe(0);
    expect((await change(names, { first: 'ana' }, 'maria')).version).toBe(0);
    expect((await change(limit, 4, 'maria')).version).toBe(1);
    expect((await change(limit, 4, 'dan')).version).toBe(1);
    expect((await change(limit, 3, 'dan')).version).toBe(2);
  });

  it('leaves work its snapshot while others change values', async () => {
    const { current, change } = await open();
    const before = current();
    await change(limit, 7, 'maria');
    expect(before.get(limit).value).toBe(3);
    expect(before.version).toBe(0);
    expect(current().get(limit).value).toBe(7);
  });

  it('tells every process that shares the database', async () => {
    const place = engine.place();
    const other =
      engine.name === 'postgres' ? await openDatabase({ ...place, log: silent }) : engine.database();
    try {
      const here = await open();
      const there = await open([limit, names], NEVER_MS, other);
      await here.change(limit, 8, 'maria');
      await eventually(() => expect(there.current().get(limit).value).toBe(8));
      await there.change(names, { first: 'dan', rest: ['eu'] }, 'dan');
      await eventually(() => expect(here.current().get(names).value.first).toBe('dan'));
      expect(here.current().version).toBe(2);
      await there.close();
    } finally {
      if (other !== engine.database()) await other.close();
    }
  });

  it('finds by looking what no notice told', async () => {
    const deaf: Database = { ...engine.database(), listen: async () => async () => undefined };
    const here = await open();
    const there = await open([limit, names], 20, deaf);
    await here.change(limit, 2, 'maria');
    await eventually(() => expect(there.current().get(limit).value).toBe(2));
  });

  it('knows after a restart what was changed before', async () => {
    await (await open()).change(limit, 6, 'maria');
    expect((await open()).current().get(limit).value).toBe(6);
  });

  it('goes on without a stored value that does not fit, says so, and heals', async () => {
    const here = await open();
    await here.change(limit, 9, 'maria');
    const older = { ...limit, schema: z.int().max(5) };
    const there = await open([older]);
    expect(there.current().get(older).value).toBe(3);
    expect(there.current().version).toBe(1);
    await expect(there.probe()).rejects.toThrow('stored values do not fit: test.limit');
    await expect(here.probe()).resolves.toBeUndefined();
    await here.change(limit, 4, 'maria');
    await expect(there.probe()).resolves.toBeUndefined();
    await here.change(limit, 8, 'maria');
    await expect(there.probe()).rejects.toThrow('test.limit');
    expect(there.current().get(older).value).toBe(4);
  });

  it('numbers changes that come at once without a gap or a twin', async () => {
    const [one, two] = [await open(), await open()];
    const values = [1, 2, 4, 5, 6, 7, 8, 9];
    await Promise.all(values.map((value, index) => (index % 2 ? one : two).change(limit, value, 'maria')));
    const { items } = await one.changes({ ...all, key: 'test.limit' });
    expect(items.map(({ config_version }) => config_version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    const told = items.toReversed();
    expect(told.map(({ old }) => old)).toEqual([null, ...told.slice(0, -1).map(({ value }) => value)]);
    await one.probe();
    expect(one.current().get(limit).value).toBe(told.at(-1)?.value);
  });

  it('fails its probe when the database does not answer', async () => {
    const configuration = await open();
    const { close } = configuration;
    opened.splice(opened.indexOf(configuration), 1);
    await close();
    await engine.database().close();
    await expect(configuration.probe()).rejects.toThrow();
    await engine.reopen();
  });
});
