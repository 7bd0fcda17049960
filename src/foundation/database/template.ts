import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../files.ts';

/** Changes whenever pglite-template-worker.ts makes folders of another kind. */
const RECIPE = 2;

/**
 * Makes a new data folder by copying a prepared one, which is built once per version of the engine: setting up an empty
 * database takes seconds and 800 MB, a copy a tenth of a second. The folder appears under its name only when complete.
 */
export async function createDataFolder(folder: string, home: string): Promise<void> {
  const template = await preparedFolder(home);
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  // The asynchronous copy costs twice the time for these hundreds of small files, and nothing else runs yet.
  cpSync(template, unfinished, { recursive: true });
  await rename(unfinished, folder);
}

async function preparedFolder(home: string): Promise<string> {
  const name = `pglite-${engineVersion()}-${RECIPE}`;
  const shared = join(packageFile('node_modules'), '.cache', 'limpede');
  const own = join(home, 'cache');
  for (const cache of [shared, own]) {
    if (existsSync(join(cache, name, 'PG_VERSION'))) return join(cache, name);
  }
  try {
    return await build(shared, name);
  } catch (error) {
    // An installation that is read-only for its user: the data folder is then the only place to write to.
    if (!isReadOnly(error)) throw error;
    return build(own, name);
  }
}

/** Builds beside the final place and renames: several processes may build at once, the first one wins. */
async function build(cache: string, name: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = join(cache, name);
  const unfinished = join(cache, `${name}.building-${randomUUID()}`);
  try {
    await mkdir(unfinished, { mode: 0o700 });
    // In a child process: setting up leaves 800 MB of memory behind.
    await promisify(execFile)(process.execPath, [
      packageFile('dist', 'pglite-template-worker.js'),
      unfinished,
    ]);
    await rename(unfinished, folder);
  } catch (error) {
    if (!existsSync(join(folder, 'PG_VERSION'))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function engineVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version);
  throw new Error('The embedded database engine does not tell its version');
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code));
}
