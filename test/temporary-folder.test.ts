import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentProcess, machineId } from '../src/foundation/process-identity.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'limpede-places-'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** A folder of another run. */
function left(name: string, owner: object | undefined): string {
  const folder = join(place, name);
  mkdirSync(folder);
  if (owner !== undefined) writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
  return folder;
}

describe('the temporary files of a run of the tests', () => {
  it('go when the run was killed, at the start of the next', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const dead = left('limpede-tests-dead', { pid, started: '1', machine: machineId() });
    const others = [
      left('limpede-tests-running', currentProcess()),
      left('limpede-tests-elsewhere', { pid, started: '1', machine: 'another' }),
      left('limpede-tests-starting', undefined),
      left('something-else', { pid, started: '1', machine: machineId() }),
    ];
    const { folder, remove } = openTemporaryFolder(place);
    expect([existsSync(dead), ...others.map((one) => existsSync(one))]).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(existsSync(folder)).toBe(true);
    remove();
    expect(existsSync(folder)).toBe(false);
  });
});
