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
import { migrations as identity } from '../src/services/identity/tables.ts';
import { migrations as llm } from '../src/services/llm/usage/tables.ts';
import { migrations as web } from '../src/services/web/evidence-index/tables.ts';

/** By owner, in the order in which a first start makes their tables. */
const MIGRATIONS = { configuration, identity, analysis, broker, brain, web, llm };

/**
 * The folder of an embedded database with the tables of all services and no rows: making them takes a second of processor time, a copy
 * a tenth of that. It is made once for these migrations and this engine.
 */
export async function prepareDatabase(): Promise<string> {
  const lock = readFileSync(packageFile('node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8');
  const hash = createHash('sha256')
    .update(JSON.stringify([MIGRATIONS, lock]))
    .digest('hex')
    .slice(0, 16);
  const cache = packageFile('node_modules', '.cache', 'limpede');
  const name = `tests-${hash}`;
  if (existsSync(join(cache, name, 'PG_VERSION'))) return join(cache, name);
  const home = mkdtempSync(join(tmpdir(), 'limpede-prepared-'));
  const database = await openDatabase({ home, log: pino({ level: 'silent' }) });
  for (const [owner, migrations] of Object.entries(MIGRATIONS)) await database.migrate(owner, migrations);
  await database.close();
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).filter((one) => one.startsWith('tests-')))
    rmSync(join(cache, old), { recursive: true, force: true });
  // Renamed into place, since several runs may make it at once.
  const unfinished = join(cache, `tests-${randomUUID()}`);
  cpSync(join(home, 'database'), unfinished, { recursive: true });
  rmSync(home, { recursive: true, force: true });
  renameSync(unfinished, join(cache, name));
  return join(cache, name);
}
