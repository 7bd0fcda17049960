import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';

const place = mkdtempSync(join(tmpdir(), 'limpede-bootstrap-'));
const checkout = join(place, 'checkout');
const others = join(place, 'others');
const called = join(place, 'npm-was-called');

beforeAll(() => {
  mkdirSync(join(checkout, 'scripts'), { recursive: true });
  mkdirSync(others);
  copyFileSync(packageFile('scripts', 'bootstrap.mjs'), join(checkout, 'scripts', 'bootstrap.mjs'));
  writeFileSync(join(checkout, 'package-lock.json'), '{}');
  writeFileSync(join(others, 'package.txt'), 'of another checkout');
  // Stands for npm: it tells that it was called.
  writeFileSync(
    join(place, 'npm.cjs'),
    `require('node:fs').writeFileSync(${JSON.stringify(called)}, ''); process.exit(0);`,
  );
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const install = () =>
  spawnSync(process.execPath, [join(checkout, 'scripts', 'bootstrap.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(place, 'npm.cjs') },
  });

describe('installing the packages', () => {
  it('is refused where they would go through a link into the folder of another checkout', () => {
    const link = join(checkout, 'node_modules');
    symlinkSync(others, link, 'dir');
    const { status, stderr } = install();
    rmSync(link);
    expect(status).toBe(1);
    expect(stderr).toContain('node_modules is a symbolic link');
    expect(stderr).toContain('would empty the folder that it points to');
    expect(existsSync(called)).toBe(false);
    expect(existsSync(join(others, 'package.txt'))).toBe(true);
    expect(existsSync(join(checkout, '.limpede-install.lock'))).toBe(false);
  });

  it('goes into a folder of its own', () => {
    const { status, stderr } = install();
    expect(stderr).toContain('Installing packages');
    expect(status).toBe(0);
    expect(existsSync(called)).toBe(true);
    expect(existsSync(join(checkout, 'node_modules', '.limpede-stamp'))).toBe(true);
  });
});
