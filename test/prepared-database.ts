import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { migrations as configuration } from '../src/foundation/configuration/tables.ts';
import { openDatabase } from '../src/foundation/database/database.ts';
import { packageFile } from '../src/foundation/files.ts';
import { migrations as broker } from '../src/services/analysis/broker/messages.ts';
import { migrations as analysis } from '../src/services/analysis/store/migrations.ts';
import { migrations as brain } from '../src/services/brain/migrations.ts';
import { createFirstUsers } from '../src/services/identity/first-users.ts';
import { loadKeys, realmNames } from '../src/services/identity/keys.ts';
import { hashPassword } from '../src/services/identity/passwords.ts';
import { openIdentityStore } from '../src/services/identity/store.ts';
import { migrations as identity } from '../src/services/identity/tables.ts';
import { migrations as llm } from '../src/services/llm/usage/tables.ts';
import { migrations as web } from '../src/services/web/evidence-index/tables.ts';

/** By owner, in the order in which a first start makes their tables. */
const MIGRATIONS = { configuration, identity, analysis, broker, brain, web, llm };

/** What tests begin with. */
export interface Prepared {
  /** The folder of an embedded database with the tables of all services and no rows. */
  readonly database: string;
  /** The home of a platform after its first start: that database with the first users, and the keys and passwords of the provider. */
  readonly home: string;
}

/** Changes whenever what is prepared does, its tables apart. */
const RECIPE = 1;

/**
 * Makes what tests begin with, once for these migrations and this engine: tables cost a second of processor time, keys and passwords of
 * a first start another, copies a tenth of that.
 */
export async function prepareHomes(): Promise<Prepared> {
  const lock = readFileSync(packageFile('node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8');
  const hash = createHash('sha256')
    .update(JSON.stringify([RECIPE, MIGRATIONS, lock]))
    .digest('hex')
    .slice(0, 16);
  const cache = packageFile('node_modules', '.cache', 'limpede');
  const folder = join(cache, `tests-${hash}`);
  const prepared = { database: join(folder, 'empty'), home: join(folder, 'started') };
  if (existsSync(folder)) return prepared;
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).filter((one) => one.startsWith('tests-')))
    rmSync(join(cache, old), { recursive: true, force: true });
  // Renamed into place, since several runs may make it at once.
  const unfinished = join(cache, `tests-${randomUUID()}`);
  await makeHomes(unfinished);
  renameSync(unfinished, folder);
  return prepared;
}

async function makeHomes(folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'limpede-prepared-'));
  const open = () => openDatabase({ home, log: pino({ level: 'silent' }) });
  const tables = await open();
  for (const [owner, migrations] of Object.entries(MIGRATIONS)) await tables.migrate(owner, migrations);
  await tables.close();
  cpSync(join(home, 'database'), join(folder, 'empty'), { recursive: true });
  const database = await open();
  for (const realm of realmNames) await loadKeys(home, realm);
  const { users } = await openIdentityStore(database);
  await createFirstUsers(users, home, async (password) => hashPassword(password));
  await database.close();
  for (const part of ['database', 'identity'])
    cpSync(join(home, part), join(folder, 'started', part), { recursive: true });
  rmSync(home, { recursive: true, force: true });
}
