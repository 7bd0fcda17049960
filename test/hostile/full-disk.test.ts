import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isDiskFull } from '../../src/foundation/start-error.ts';
import { eventually } from '../patience.ts';
import { createEnvironment, runBeside, talkTo } from '../running-platform.ts';

/** Programs of every Linux; a user who may not use them has no small disk. */
const [MOUNT, UNMOUNT] = ['mount', 'umount'] as const;
/** Room for a platform with an empty database, in MiB. */
const DISK_MIB = 256;
const TEXT = 'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share it now!';
const BODY = { media_type: 'text', text: TEXT.repeat(40) };
/** Analyses after which a full disk must have been met: the room that the log has in reserve is used up long before. */
const MOST = 400;

/** A disk of its own for a platform; undefined where this user may mount none. */
function mountDisk(): { folder: string; unmount(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-disk-'));
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'limpede-test', folder], {
      stdio: 'ignore',
    });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  const unmount = () => {
    execFileSync(UNMOUNT, ['-l', folder]);
    rmdirSync(folder);
  };
  return { folder, unmount };
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const handle = openSync(file, 'a');
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      try {
        writeSync(handle, Buffer.alloc(size));
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        size = Math.floor(size / 4);
      }
    }
  } finally {
    closeSync(handle);
  }
}

const disk = mountDisk();
afterAll(() => disk?.unmount());

describe.skipIf(disk === undefined)(
  `a disk that is full${disk === undefined ? ' (skipped: this user may not mount a small one)' : ''}`,
  () => {
    it('is told as such, loses nothing that was accepted, and is no trouble once there is room', async () => {
      const folder = disk?.folder ?? '';
      const { environment, remove } = await createEnvironment({
        LIMPEDE_HOME: folder,
        LIMPEDE_LOG_LEVEL: 'error',
      });
      const program = await runBeside(environment);
      const talk = talkTo(environment);
      const filler = join(folder, 'filler');
      try {
        const token = await talk.token();
        const analyze = () => talk.ask('/api/v3/pipeline/analyze', { token, body: BODY });
        const before = await analyze();
        expect(before.status).toBe(200);
        const accepted: string[] = [before.body.data.session_id];
        const refusals: unknown[] = [];
        fill(filler);
        for (let count = 0; count < MOST && refusals.length < 5; count++) {
          fill(filler);
          const { status, body, headers } = await analyze();
          if (status === 200) accepted.push(body.data.session_id);
          else refusals.push([status, body?.error_code, headers.has('retry-after')]);
        }
        expect(refusals).toEqual(Array.from({ length: 5 }, () => [503, 'service_unavailable', true]));
        await eventually(async () => expect((await talk.ask('/health', { inside: true })).status).toBe(503));
        expect(program.child.exitCode).toBeNull();
        rmSync(filler);
        await eventually(async () => expect((await talk.ask('/health', { inside: true })).status).toBe(200));
        expect((await analyze()).status).toBe(200);
        for (const id of accepted) {
          const { body } = await talk.ask(`/api/v3/pipeline/sessions/${id}`, { token });
          expect(body.data.status).toBe('completed');
        }
      } finally {
        program.child.kill('SIGKILL');
        await program.ended;
        await remove();
      }
    });
  },
);
