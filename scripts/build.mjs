// Bundles the sources into dist/: the command line, which starts the platform, and every worker. Packages stay outside.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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

await build({
  entryPoints: Object.fromEntries(entries.map((file) => [file.split('/').at(-1).replace(/\.ts$/, ''), file])),
  outdir: join(root, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
