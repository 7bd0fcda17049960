// Runs one campaign of the tests for so many minutes; what is named beside chooses among its tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Reads `--minutes N` and runs the file of tests with that in the environment; ends the process with the outcome. */
export function runCampaign(name, file, setting) {
  const { values, positionals } = parseArgs({
    options: { minutes: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) {
    console.error(`npm run ${name} -- --minutes N: a number above 0`);
    process.exit(1);
  }
  const chosen = positionals.length > 0 ? ['-t', positionals.join('|')] : [];
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), ['run', file, ...chosen], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [setting]: String(minutes) },
  });
  process.exit(status ?? 1);
}
