import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: the same for sources, the built bundle and the tests. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json was not found above the program');
  return findRoot(parent);
}

/** Absolute path of a file that ships with the package: weights, data, built workers. */
export function packageFile(...parts: string[]): string {
  return join(packageRoot, ...parts);
}

/** A bundled program, and the paths that a sandbox must let it read: `dist`, `node_modules` and `package.json`. */
export function bundledProgram(name: string): {
  readonly script: string;
  readonly readable: readonly string[];
} {
  const readable = ['dist', 'node_modules', 'package.json'].map((part) => packageFile(part));
  return { script: packageFile('dist', name), readable };
}

/** The version in package.json. */
export function packageVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return (parsed as { version: string }).version;
}
