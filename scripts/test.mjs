// Everything that must hold before a commit: types, lint, tests. Ends with one line that counts. With --long the campaigns of the
// tests run whole instead of a sample of each; further arguments go to vitest.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const cache = join(root, 'node_modules', '.cache', 'limpede');
const report = join(tmpdir(), `limpede-tests-${process.pid}.json`);

const options = process.argv.slice(2);
const isLong = options.includes('--long');
const env = { ...process.env, ...(isLong && { LIMPEDE_TEST_LONG: 'true' }) };

/** Whether a command ends well; what it prints is shown as it comes, or with its title when all is over. */
function run(command, args, stdio) {
  const child = spawn(bin(command), args, { cwd: root, stdio, env });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ isGood: false, output: String(error) }));
    child.once('close', (code) => resolve({ isGood: code === 0, output: Buffer.concat(output).toString() }));
  });
}

const checks = [
  [
    'types',
    'tsc',
    // In one thread: several check much of the same twice, and tests want the other processors.
    ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', join(cache, 'types.tsbuildinfo')],
  ],
  ['lint', 'biome', ['check', '.']],
  ['unused code', 'knip', []],
];

// One after the other, in the time in which tests wait for others.
async function runChecks() {
  const outcomes = [];
  for (const [title, command, args] of checks)
    outcomes.push({ title, ...(await run(command, args, ['ignore', 'pipe', 'pipe'])) });
  return outcomes;
}

const [results, tested] = await Promise.all([
  runChecks(),
  run(
    'vitest',
    [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...options.filter((option) => option !== '--long'),
    ],
    'inherit',
  ),
]);
for (const { title, output } of results) console.log(`\n== ${title}\n${output.trim()}`);

let passed = results.filter(({ isGood }) => isGood).length;
let failed = results.length - passed;
let skipped = 0;
try {
  const summary = JSON.parse(readFileSync(report, 'utf8'));
  passed += summary.numPassedTests;
  failed +=
    summary.numFailedTests +
    summary.testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    ).length;
  skipped = summary.numPendingTests + summary.numTodoTests;
} catch {
  failed += 1;
}
if (!tested.isGood && failed === 0) failed = 1;
rmSync(report, { force: true });
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);
