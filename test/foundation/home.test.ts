import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareHome } from '../../src/foundation/home.ts';

const place = mkdtempSync(join(tmpdir(), 'limpede-home-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const rights = (path: string) => statSync(path).mode & 0o777;
const failing = (code: string) => () => {
  throw Object.assign(new Error(`${code}: it failed`), { code });
};

describe('the data folder', () => {
  it('is made with all that is missing, for its owner alone, and nothing stays in it', () => {
    const home = join(place, 'a', 'b', 'c');
    prepareHome(home);
    expect([rights(home), rights(join(place, 'a'))]).toEqual([0o700, 0o700]);
    expect(readdirSync(home)).toEqual([]);
    prepareHome(home);
  });

  it.each(['identity', 'database'])('that is ours by its folder %s is closed to others', (name) => {
    const home = join(place, `open-${name}`);
    mkdirSync(join(home, name), { recursive: true, mode: 0o755 });
    prepareHome(home);
    expect(rights(home)).toBe(0o700);
  });

  it('that others use too keeps its rights', () => {
    const home = join(place, 'theirs');
    mkdirSync(home, { mode: 0o755 });
    writeFileSync(join(home, 'notes.txt'), 'x');
    prepareHome(home);
    expect(rights(home)).toBe(0o755);
  });

  it('that cannot be used is refused in one sentence with what to do', () => {
    writeFileSync(join(place, 'file'), 'x');
    const refused = (home: string, write?: () => void) => {
      try {
        prepareHome(home, write);
        return 'taken';
      } catch (error) {
        expect(error).toMatchObject({ name: 'StartError' });
        const { message } = error as Error;
        expect(message).not.toContain('\n');
        return message;
      }
    };
    expect(refused(join(place, 'file'))).toContain('is a file: name a folder');
    expect(refused(join(place, 'file', 'below'))).toContain(`${join(place, 'file')} is a file`);
    expect(refused('/proc/limpede-home')).toContain('cannot be written to (ENOENT): set LIMPEDE_HOME');
    for (const code of ['ENOSPC', 'EDQUOT'])
      expect(refused(join(place, 'full'), failing(code))).toContain(
        'is full: make room, or set LIMPEDE_HOME',
      );
    for (const code of ['EACCES', 'EROFS'])
      expect(refused(join(place, 'closed'), failing(code))).toContain(`cannot be written to (${code})`);
  });
});
