import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';

const { isBuilt, markBuilt } = (await import(pathToFileURL(packageFile('scripts', 'built.mjs')).href)) as {
  isBuilt(root: string): boolean;
  markBuilt(root: string, start: Date): void;
};

const MINUTE_MS = 60_000;
const checkout = mkdtempSync(join(tmpdir(), 'limpede-built-'));
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

/** Writes a file of the checkout that was changed some minutes ago. */
function change(path: readonly string[], minutes: number): void {
  const file = join(checkout, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, minutesAgo(minutes), minutesAgo(minutes));
}

beforeEach(() => {
  rmSync(checkout, { recursive: true, force: true });
  mkdirSync(join(checkout, 'dist'), { recursive: true });
  change(['src', 'cli', 'limpede.ts'], 10);
  change(['models', 'words.json'], 10);
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

describe('what was built', () => {
  it('is nothing before the first complete build, whatever a broken one left', () => {
    change(['dist', 'limpede.js'], 0);
    expect(isBuilt(checkout)).toBe(false);
  });

  it('stands while nothing changes', () => {
    markBuilt(checkout, minutesAgo(5));
    expect(isBuilt(checkout)).toBe(true);
  });

  it.each([
    [['src', 'cli', 'limpede.ts']],
    [['src', 'text', 'a-new-file.ts']],
    [['data', 'evidence', 'rows.json']],
    [['models', 'words.json']],
    [['package-lock.json']],
    [['scripts', 'build.mjs']],
  ])('is old once %j changed, also while the build ran', (path) => {
    markBuilt(checkout, minutesAgo(5));
    change(path, 4);
    expect(isBuilt(checkout)).toBe(false);
    markBuilt(checkout, minutesAgo(3));
    expect(isBuilt(checkout)).toBe(true);
  });

  it('does not depend on files that are no source', () => {
    markBuilt(checkout, minutesAgo(5));
    change(['README.md'], 0);
    expect(isBuilt(checkout)).toBe(true);
  });
});
