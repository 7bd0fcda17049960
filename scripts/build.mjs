// Bundles the sources into dist/: the command line, which starts the platform, and every worker, with the packages that they load. With
// --if-changed only when something changed since.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isBuilt, markBuilt } from './built.mjs';

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

/**
 * Packages that load files of their own (native code, WebAssembly, threads, pages) are loaded from node_modules. All others are bundled:
 * to find and open their hundreds of files costs a third of the processor time of a start.
 */
const LOADED_FROM_MODULES = [
  '@contentauth/c2pa-wasm',
  '@electric-sql/pglite',
  '@fastify/swagger-ui',
  'linkedom',
  'oidc-provider',
  'pg-native',
  'pino',
  'piscina',
  'playwright-core',
  'sharp',
  'unpdf',
];

/** Bundled packages in CommonJS expect these names, which modules of the standard do not have. */
const NAMES_OF_COMMONJS = [
  "import { createRequire as limpedeRequire } from 'node:module';",
  'const require = limpedeRequire(import.meta.url), __dirname = import.meta.dirname;',
].join('\n');

/**
 * Tables in JSON are read by JSON.parse: as programs, which esbuild makes of them, those of the text engines take 0.2 s more of
 * processor time in each thread.
 */
const jsonAsText = {
  name: 'json-as-text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const compact = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { contents: `export default JSON.parse(${JSON.stringify(compact)});`, loader: 'js' };
    }),
};

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: LOADED_FROM_MODULES,
  banner: { js: NAMES_OF_COMMONJS },
  sourcemap: true,
  sourcesContent: false,
  plugins: [jsonAsText],
  logLevel: 'warning',
};

/**
 * One program in pieces: the command line, whose commands load what they need when they are called, or a worker, whose engines do at
 * their first task. Each is bundled by itself, so that it loads nothing that only another one needs.
 */
function bundle(file) {
  return build({
    ...common,
    entryPoints: [file],
    outdir: join(root, 'dist'),
    splitting: true,
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
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

if (process.argv.includes('--if-changed') && isBuilt(root)) process.exit(0);
const start = new Date();
removeOldChunks();
const outcomes = await Promise.allSettled([program, ...workers(source)].map(bundle));
if (outcomes.some(({ status }) => status === 'rejected')) process.exit(1);
markBuilt(root, start);
