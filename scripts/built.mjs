// Whether dist/ holds what the sources say. Uses nothing but Node's own modules: it runs before each command of a checkout.
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Weights and tables in JSON become part of the programs, as do packages. */
const SOURCES = ['src', 'data', 'models', 'package-lock.json', join('scripts', 'build.mjs')];
/** An empty file whose time is that at which the last complete build began. */
const stampOf = (root) => join(root, 'dist', '.built');

/** Time of a file, or of the newest file below a folder, in milliseconds; 0 where there is none. */
function newest(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return found?.mtimeMs ?? 0;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce(
    (latest, { parentPath, path: older, name }) =>
      Math.max(latest, statSync(join(parentPath ?? older, name)).mtimeMs),
    0,
  );
}

/** Whether all programs were built since their sources changed. */
export function isBuilt(root) {
  const built = newest(stampOf(root));
  return SOURCES.every((source) => newest(join(root, source)) < built);
}

/** Says that a build that began at `start`, a date, is complete. */
export function markBuilt(root, start) {
  writeFileSync(stampOf(root), '');
  utimesSync(stampOf(root), start, start);
}
