import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packageFile } from '../src/foundation/files.ts';
import { prepareHomes } from './prepared-database.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

const LARGEST_SEED = 2 ** 31 - 1;

/**
 * Before all tests: builds the workers and the program, so that tests run what users run, and chooses the seed. Afterwards it
 * prints what the campaigns did.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const temporary = openTemporaryFolder();
  process.env.TMPDIR = temporary.folder;
  execFileSync(process.execPath, [packageFile('scripts', 'build.mjs'), '--if-changed'], { stdio: 'inherit' });
  project.provide('prepared', await prepareHomes());
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
    temporary.remove();
    console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
}
