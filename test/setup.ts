import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packageFile } from '../src/foundation/files.ts';
import { prepareDatabase } from './prepared-database.ts';

const LARGEST_SEED = 2 ** 31 - 1;

/** A folder in memory, and the room that it must have in bytes: databases are hundreds of small files, which disks make dear. */
const MEMORY = { folder: '/dev/shm', bytes: 4 * 2 ** 30 } as const;

/** Puts temporary files into memory where there is room; TMPDIR says otherwise. */
function keepFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY.folder)) return;
  const { bavail, bsize } = statfsSync(MEMORY.folder);
  if (bavail * bsize >= MEMORY.bytes) process.env.TMPDIR = MEMORY.folder;
}

/**
 * Before all tests: builds the workers and the program, so that tests run what users run, and chooses the seed. Afterwards it
 * prints what the campaigns did.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  keepFilesInMemory();
  execFileSync(process.execPath, [packageFile('scripts', 'build.mjs')], { stdio: 'inherit' });
  project.provide('preparedDatabase', await prepareDatabase());
  const seed = Number(process.env.LIMPEDE_TEST_SEED ?? randomInt(LARGEST_SEED));
  if (!Number.isInteger(seed)) throw new Error('LIMPEDE_TEST_SEED must be a whole number');
  const long = process.env.LIMPEDE_TEST_LONG === 'true';
  const folder = mkdtempSync(join(tmpdir(), 'limpede-campaigns-'));
  const summaries = join(folder, 'summaries.txt');
  writeFileSync(summaries, '');
  project.provide('campaigns', { seed, long, summaries });
  const title = `Campaigns (${long ? 'whole' : 'samples'}, LIMPEDE_TEST_SEED=${seed})`;
  console.log(`${title} follow this seed, as does every property.`);
  return () => {
    const lines = readFileSync(summaries, 'utf8').split('\n').filter(Boolean).sort();
    rmSync(folder, { recursive: true, force: true });
    console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
}
