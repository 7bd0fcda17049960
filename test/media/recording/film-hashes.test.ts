import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readFacts } from '../../../src/media/recording/facts.ts';
import { hashFilm } from '../../../src/media/recording/film-hashes.ts';
import { compareFilms, isNearCopy } from '../../../src/media/recording/film-similarity.ts';
import { RecordingError } from '../../../src/media/recording/programs.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { describeWithFfmpeg } from '../ffmpeg.ts';

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describeWithFfmpeg('the hashes of a film', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-film-hashes-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const make = (name: string, ...args: string[]) => {
    const path = join(folder, name);
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path]);
    return path;
  };
  const hash = async (path: string) => {
    const { picture, startSec } = await readFacts(path);
    if (picture === null) throw new Error('no pictures');
    return hashFilm(path, { picture, startSec, mostSeconds: 30, timeoutMs: 60_000 });
  };
  // Always the same pictures: other sources draw their colours anew in each run. With the iterations that ffmpeg would take by itself
  // a film takes minutes.
  const scenes = ['-f', 'lavfi', '-i', 'mandelbrot=s=320x180:r=25:end_pts=150:maxiter=100', '-t', '6'];

  it('are four a second, and those of a smaller copy that was cut and begins later are found again', async () => {
    const film = make('film.mp4', ...scenes);
    const copy = make('copy.ts', '-ss', '2.5', '-i', film, '-vf', 'scale=160:-2', '-output_ts_offset', '100');
    const [first, second] = [await hash(film), await hash(copy)];
    expect(first).toHaveLength(24);
    expect(first.map(({ timeSec }) => Math.floor(4 * timeSec + 0.01))).toEqual(range(0, 24));
    expect(second[0]?.timeSec).toBeLessThan(0.25);
    const likeness = compareFilms(second, first);
    expect(Math.abs((likeness?.offsetSec ?? 0) - 2.5)).toBeLessThanOrEqual(0.25);
    expect(likeness?.shareOfFirst).toBeGreaterThanOrEqual(0.75);
    expect(likeness !== undefined && isNearCopy(likeness)).toBe(true);
  });

  it.each([
    ['bars above and below', 'pad=iw:ih*1.33:0:(oh-ih)/2'],
    ['white bars at the sides, at another frame rate', 'scale=240:-2,pad=iw*1.6:ih:(ow-iw)/2:0:white,fps=12'],
  ])('are those of the film inside %s', async (_name, filter) => {
    const film = make('inside.mp4', ...scenes.slice(0, -1), '4');
    const first = await hash(film);
    const boxed = await hash(make('boxed.mp4', '-i', film, '-vf', filter));
    const likeness = compareFilms(boxed, first);
    expect(likeness).toMatchObject({ shareOfFirst: 1, shareOfSecond: 1 });
    expect(likeness !== undefined && isNearCopy(likeness)).toBe(true);
  });

  it('are not made of films that are no films, or too large', async () => {
    const sound = make('sound.wav', '-f', 'lavfi', '-i', 'sine=d=1');
    const picture = { codec: 'h264', width: 64, height: 64, pixelShape: 1, framesPerSecond: 25 };
    const options = { picture, startSec: 0, mostSeconds: 5, timeoutMs: PATIENCE_MS };
    await expect(hashFilm(sound, options)).rejects.toBeInstanceOf(RecordingError);
    const large = { ...options, picture: { ...picture, width: 7680, height: 4320 } };
    await expect(hashFilm(sound, large)).rejects.toMatchObject({ reason: 'too_large' });
  });
});
