// Runs the benchmarks one after the other: `npm run bench`, or `npm run bench -- pipeline`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const all = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .sort();
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  process.exit(1);
}

spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-changed'], { stdio: 'inherit' });
let failed = false;
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n## ${name}\n`);
  const file = join(root, 'bench', `${name}.bench.ts`);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
