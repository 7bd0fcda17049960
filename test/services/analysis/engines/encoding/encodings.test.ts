import { describe, expect, it } from 'vitest';
import { createEncodings } from '../../../../../src/services/analysis/engines/encoding/encodings.ts';
import type { TextEncoding } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { untimedTask } from '../../../../../src/services/analysis/engines/text-engines.ts';

const empty: TextEncoding = {
  bounds: new Uint32Array(),
  vectors: new Float32Array(),
};

/** Encodings whose work the test ends. */
function held(threads: number) {
  const begun: { text: string; end: (error?: Error) => void }[] = [];
  const encode = createEncodings(
    threads,
    ({ text }) =>
      new Promise((resolve, reject) => {
        begun.push({ text, end: (error) => (error === undefined ? resolve(empty) : reject(error)) });
      }),
  );
  const read = (text: string, turn = untimedTask('ana')) => encode({ text, language: 'en' }, turn);
  return { begun, read };
}

describe('encodings', () => {
  it('encode a text of a session once, whoever asks and when', async () => {
    const { begun, read } = held(1);
    const both = [read('a'), read('a')];
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end();
    expect(await Promise.all([...both, read('a')])).toEqual(Array(3).fill({ encoding: empty }));
    expect(begun.length).toBe(1);
    const other = read('a', untimedTask('bob'));
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.end();
    await other;
  });

  it('take only little work that waits', async () => {
    const { begun, read } = held(1);
    const all = Array.from({ length: 13 }, (_, index) => read(`text ${index}`, untimedTask(`user ${index}`)));
    expect(await all[12]).toEqual({ lost: 'unavailable' });
    expect(begun.length).toBe(4);
    for (let index = 0; index < 12; index++) {
      begun[index]?.end();
      expect(await all[index]).toEqual({ encoding: empty });
    }
  });

  it('give one user no more than a share', async () => {
    const { begun, read } = held(1);
    const own = Array.from({ length: 5 }, (_, index) => read(`text ${index}`));
    expect(await own[4]).toEqual({ lost: 'unavailable' });
    expect(begun.map(({ text }) => text)).toEqual(['text 0']);
    // Another does not wait for the end of what the first has under way.
    const other = read('another', untimedTask('bob'));
    await expect.poll(() => begun.map(({ text }) => text)).toEqual(['text 0', 'another']);
    begun[1]?.end();
    expect(await other).toEqual({ encoding: empty });
    begun[0]?.end();
    await own[0];
  });

  it('tell of work that took too long, and of any other fault', async () => {
    const { begun, read } = held(1);
    const late = read('a');
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end(new DOMException('too long', 'TimeoutError'));
    expect(await late).toEqual({ lost: 'timeout' });
    const broken = read('a');
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.end(new Error('no such model'));
    await expect(broken).rejects.toThrow('no such model');
  });

  it('end the wait of a session that is over, and begin anew for another that asked with it', async () => {
    const { begun, read } = held(1);
    const leaving = new AbortController();
    const first = read('busy');
    const gone = read('a', untimedTask('ana', leaving.signal));
    const stays = read('a');
    leaving.abort(new Error('canceled'));
    await expect(gone).rejects.toThrow('canceled');
    begun[0]?.end();
    await first;
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.end();
    expect(await stays).toEqual({ encoding: empty });
  });
});
