// Bundles the sources into dist/: the command line, which starts the platform, and every worker. Packages stay outside.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const DAY_MS = 24 * 3600 * 1000;
const root = fileURLToPath(new URL('..', import.meta.url));

/** Every file named *-worker.ts becomes dist/<name>.js; see packageFile() in src/foundation/files.ts. */
function workers(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('-worker.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const source = join(root, 'src');
const program = join(source, 'cli', 'limpede.ts');

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
};

/** The command line in pieces: each command loads what it needs when it is called. */
function bundleProgram() {
  return build({
    ...common,
    entryPoints: [program],
    outdir: join(root, 'dist'),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/** One file for each worker, so that it loads nothing that it does not need. */
function bundleWorker(file) {
  return build({
    ...common,
    entryPoints: [file],
    outfile: join(root, 'dist', basename(file).replace(/\.ts$/, '.js')),
  });
}

/** A program that runs may still load its pieces: only those of earlier days are removed. */
function removeOldChunks() {
  const folder = join(root, 'dist', 'chunks');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > DAY_MS) rmSync(file, { force: true });
  }
}

removeOldChunks();
const outcomes = await Promise.allSettled([bundleProgram(), ...workers(source).map(bundleWorker)]);
if (outcomes.some(({ status }) => status === 'rejected')) process.exit(1);
