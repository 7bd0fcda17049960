import type { ChangeStore, PublishedChange } from '../../../src/foundation/configuration/changes.ts';
import { noChanges } from '../../../src/foundation/configuration/changes.ts';
import { openConfigurations } from '../../../src/foundation/configuration/configuration.ts';
import type { Platform } from '../../../src/foundation/platform.ts';
import { silent } from '../database/engines.ts';

/** Longer than any test: nothing is looked for beside what the test sets. */
const NEVER_MS = 3_600_000;

/** A configuration in memory whose values a test sets; what it sets is known when `set` resolves. */
export async function changeable(initial: readonly (readonly [key: string, value: unknown])[] = []) {
  const rows: PublishedChange[] = [];
  const add = ([key, value]: readonly [string, unknown]) => {
    const number = rows.length + 1;
    rows.push({ config_version: number, version: number, key, value, actor: 'maria', at: new Date(0) });
  };
  initial.forEach(add);
  const store: ChangeStore = {
    ...noChanges,
    after: async (version) => rows.filter(({ config_version }) => config_version > version),
  };
  const configurations = openConfigurations(store, silent, NEVER_MS);
  await configurations.ready;
  const configuration: NonNullable<Platform['configuration']> = configurations.of;
  return {
    configuration,
    /** Null sets the default again. */
    set: async (key: string, value: unknown) => {
      add([key, value]);
      await configurations.of([]).probe();
    },
    close: configurations.close,
  };
}
