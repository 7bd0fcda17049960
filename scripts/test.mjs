// Everything that must hold before a commit: types, lint, tests. Ends with one line that counts. With --long the campaigns of the
// tests run whole instead of a sample of each; further arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const report = join(tmpdir(), `limpede-tests-${process.pid}.json`);

function run(title, command, args) {
  console.log(`\n== ${title}`);
  const env = { ...process.env, ...(isLong && { LIMPEDE_TEST_LONG: 'true' }) };
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}

const options = process.argv.slice(2);
const isLong = options.includes('--long');

const checks = [
  ['types', bin('tsc'), ['--noEmit']],
  ['lint', bin('biome'), ['check', '.']],
  ['unused code', bin('knip'), []],
];
const results = checks.map(([title, command, args]) => run(title, command, args));
const tested = run('tests', bin('vitest'), [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...options.filter((option) => option !== '--long'),
]);

let passed = results.filter(Boolean).length;
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
if (!tested && failed === 0) failed = 1;
rmSync(report, { force: true });
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);
