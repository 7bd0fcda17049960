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
import { type Database, openDatabase } from '../src/foundation/database/database.ts';
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
import { createTextEncoder, encodePending } from '../src/services/web/evidence-index/encode.ts';
import { openEvidenceIndex } from '../src/services/web/evidence-index/evidence-index.ts';
import {
  readStarterVectors,
  withShippedVectors,
} from '../src/services/web/evidence-index/shipped-vectors.ts';
import { importStarterSet, readStarterRows } from '../src/services/web/evidence-index/starter.ts';
import { type EvidenceTables, migrations as web } from '../src/services/web/evidence-index/tables.ts';
import { identifyLanguage } from '../src/text/language.ts';
import { loadLinear } from '../src/text/linear.ts';

/** By owner, in the order in which a first start makes their tables. */
const MIGRATIONS = { configuration, identity, analysis, broker, brain, web, llm };

/** What tests begin with. */
export interface Prepared {
  /** The folder of an embedded database with the tables of all services and no rows. */
  readonly database: string;
  /** The home of a platform after its first start: that database with the first users and the starter set of evidence, and the keys and passwords of the provider. */
  readonly home: string;
}

/** Changes whenever what is prepared does, its tables and the starter set apart. */
const RECIPE = 3;
/** Passwords of prepared users cost a hundredth of what others do: many tests sign in, few are about the cost. */
const QUICK_HASH = { N: 2 ** 10, r: 8, p: 1 };
/** The starter set of evidence, and what turns it into rows. */
const STARTER_SET = [
  ['data', 'evidence', 'starter'],
  ['src', 'services', 'web', 'evidence-index'],
  ['src', 'text'],
];

/** The contents of all files below some folders. */
function contentsOf(folders: readonly (readonly string[])[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const files = readdirSync(packageFile(...folder), { recursive: true, withFileTypes: true });
    const paths = files.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const path of paths.sort()) hash.update(path).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/**
 * Makes what tests begin with, once for these migrations, this engine and this starter set: tables cost a second of processor time, keys
 * and passwords of a first start another, the starter set two, copies a tenth of that.
 */
export async function prepareHomes(): Promise<Prepared> {
  const lock = readFileSync(packageFile('node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8');
  const hash = createHash('sha256')
    .update(JSON.stringify([RECIPE, MIGRATIONS, lock, contentsOf(STARTER_SET)]))
    .digest('hex')
    .slice(0, 16);
  const cache = packageFile('node_modules', '.cache', 'limpede');
  const folder = join(cache, `tests-${hash}`);
  if (!existsSync(folder)) await makeCached(cache, folder);
  // A copy of its own: another run, of other sources, removes what this one began with.
  const own = mkdtempSync(join(tmpdir(), 'limpede-prepared-'));
  cpSync(folder, own, { recursive: true });
  return { database: join(own, 'empty'), home: join(own, 'started') };
}

/** Makes the folder in the cache, in the place of those that were made of other sources. */
async function makeCached(cache: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).filter((one) => one.startsWith('tests-')))
    rmSync(join(cache, old), { recursive: true, force: true });
  // Renamed into place, since several runs may make it at once.
  // Under another name, so that a run beside this one does not remove it as an old one.
  const unfinished = join(cache, `unfinished-${randomUUID()}`);
  await makeHomes(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run was faster: what it made is the same.
    if (!existsSync(folder)) throw error;
  }
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
  await createFirstUsers(users, home, async (password) => hashPassword(password, QUICK_HASH));
  await importStarters(database);
  await database.close();
  for (const part of ['database', 'identity'])
    cpSync(join(home, part), join(folder, 'started', part), { recursive: true });
  rmSync(home, { recursive: true, force: true });
}

/** Brings the starter set in with its vectors, as the web service does in the seconds after a first start. */
async function importStarters(database: Database): Promise<void> {
  const encoder = withShippedVectors(createTextEncoder(undefined), readStarterVectors);
  const model = loadLinear(readFileSync(packageFile('models', 'language.bin')));
  const index = await openEvidenceIndex({
    database,
    encoder,
    languageOf: (text) => identifyLanguage(model, text).code,
    log: pino({ level: 'silent' }),
  });
  await importStarterSet(index, readStarterRows());
  const tables = database.kysely<EvidenceTables>();
  let state: Awaited<ReturnType<typeof encodePending>>;
  do state = await encodePending(tables, encoder, new AbortController().signal);
  while (state === 'more');
  if (state === 'lost') throw new Error('the starter set has passages without a shipped vector');
}
