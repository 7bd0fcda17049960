import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readProperties } from '../../src/media/properties.ts';
import { describeWithFfmpeg } from './ffmpeg.ts';

const folder = mkdtempSync(join(tmpdir(), 'limpede-properties-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=64x48'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=2'];

describeWithFfmpeg('what a file says of itself', () => {
  const make = (name: string, ...args: string[]) => {
    const path = join(folder, name);
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path]);
    return path;
  };

  it.each<[string, string[], object]>([
    ['a.png', [...PICTURE, '-frames:v', '1'], { width: 64, height: 48, hasPicture: true }],
    ['a.jpg', [...PICTURE, '-frames:v', '1'], { width: 64, height: 48, durationSec: null }],
    [
      'a.mp4',
      [...PICTURE, '-pix_fmt', 'yuv420p'],
      { width: 64, height: 48, durationSec: 1, hasPicture: true },
    ],
    ['a.wav', SOUND, { width: null, height: null, durationSec: 2, hasPicture: false }],
    ['a.ogg', SOUND, { durationSec: 2, hasPicture: false }],
  ])('is read from %s', async (name, args, expected) => {
    expect(await readProperties(make(name, ...args))).toMatchObject(expected);
  });

  it('has the sides as they are shown', async () => {
    const turned = make('turned.mp4', ...PICTURE, '-pix_fmt', 'yuv420p');
    const bytes = readFileSync(turned);
    // The matrix of the track header (ISO/IEC 14496-12): a quarter turn.
    const at = bytes.indexOf('tkhd') + 4 + 40;
    for (const [place, value] of [0, 65_536, 0, -65_536, 0].entries())
      bytes.writeInt32BE(value, at + place * 4);
    writeFileSync(turned, bytes);
    expect(await readProperties(turned)).toMatchObject({ width: 48, height: 64 });
  });

  it.each([
    ['noise', Buffer.from('GIF89a\x00')],
    ['a playlist that names another file', Buffer.from('#EXTM3U\n#EXTINF:1,\n/etc/hostname\n')],
    ['a list of files', Buffer.from("ffconcat version 1.0\nfile '/etc/hostname'\n")],
    ['nothing', Buffer.alloc(0)],
  ])('is unknown of %s', async (_name, bytes) => {
    const path = join(folder, 'odd');
    writeFileSync(path, bytes);
    expect(await readProperties(path)).toBe('not_read');
  });

  it('is not read when nobody waits for it any more', async () => {
    const path = make('waits.wav', ...SOUND);
    await expect(readProperties(path, AbortSignal.abort(new Error('left')))).rejects.toThrow();
  });
});
