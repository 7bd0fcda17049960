// Bundles the sources into dist/: the command line, which starts the platform, and every worker. Packages stay outside.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every file named *-worker.ts becomes dist/<name>.js; see packageFile() in src/foundation/files.ts. */
function workers(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('-worker.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const source = join(root, 'src');
const entries = [join(source, 'cli', 'limpede.ts'), ...workers(source)];

/** One file for each entry, so that a worker loads nothing that it does not need. */
async function bundle(file) {
  await build({
    entryPoints: [file],
    outfile: join(root, 'dist', basename(file).replace(/\.ts$/, '.js')),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
}

const outcomes = await Promise.allSettled(entries.map(bundle));
if (outcomes.some(({ status }) => status === 'rejected')) process.exit(1);
