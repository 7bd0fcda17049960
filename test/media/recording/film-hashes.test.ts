import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/media/recording/facts.ts';
import { compareFilms, type FrameHash, hashFilm } from '../../../src/media/recording/film-hashes.ts';
import { missingPrograms, RecordingError } from '../../../src/media/recording/programs.ts';

/** A hash of its own for each number: sixteen digits, repeated, of a multiplication that spreads them. */
const hashOf = (number: number) =>
  ((BigInt(number + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0').repeat(4);
const filmOf = (numbers: readonly number[], quality = 100): FrameHash[] =>
  numbers.map((number, second) => ({ timeSec: second, hash: hashOf(number), quality }));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('the likeness of two films', () => {
  it('is found at its offset, with its share of both', () => {
    const first = filmOf(range(0, 20));
    const second = filmOf([...range(100, 103), ...range(5, 12)]);
    expect(compareFilms(first, second)).toEqual({
      offsetSec: -2,
      matching: 7,
      shareOfFirst: 0.35,
      shareOfSecond: 0.7,
      stretches: [{ startSec: 5, endSec: 12 }],
    });
    expect(compareFilms(second, first)?.offsetSec).toBe(2);
  });

  it('lets up to 31 bits differ', () => {
    const digits = hashOf(1);
    const changed = (bits: number) =>
      [...digits]
        .map((digit, at) => (at < bits ? (Number.parseInt(digit, 16) ^ 1).toString(16) : digit))
        .join('');
    const filmWith = (bits: number): FrameHash[] => [{ timeSec: 0, hash: changed(bits), quality: 100 }];
    expect(compareFilms(filmOf([1]), filmWith(31))?.matching).toBe(1);
    expect(compareFilms(filmOf([1]), filmWith(32))).toBeUndefined();
  });

  it('takes nothing from hashes that say little, nor from films that share nothing', () => {
    expect(compareFilms(filmOf(range(0, 5), 49), filmOf(range(0, 5)))).toBeUndefined();
    expect(compareFilms(filmOf(range(0, 5)), filmOf(range(50, 55)))).toBeUndefined();
    expect(compareFilms([], [])).toBeUndefined();
  });

  it('counts a second once however many frames of a still picture agree with it', () => {
    const still = filmOf([7, 7, 7, 7, 7]);
    expect(compareFilms(still, still)).toMatchObject({ offsetSec: 0, matching: 5, shareOfSecond: 1 });
  });

  it('joins quarters that lie beside each other', () => {
    const second = filmOf(range(0, 8)).map((frame, at) => ({
      ...frame,
      timeSec: frame.timeSec + 0.1 + 0.1 * (at % 2),
    }));
    expect(compareFilms(filmOf(range(0, 8)), second)?.matching).toBe(8);
  });
});

const isThere = missingPrograms().length === 0;
describe.skipIf(!isThere)(`the hashes of a film${isThere ? '' : ' (skipped: no ffmpeg)'}`, () => {
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
  // Always the same pictures: other sources draw their colours anew in each run.
  const scenes = ['-f', 'lavfi', '-i', 'mandelbrot=s=320x180:r=25:end_pts=150', '-t', '6'];

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
  });

  it('are not made of films that are no films, or too large', async () => {
    const sound = make('sound.wav', '-f', 'lavfi', '-i', 'sine=d=1');
    const picture = { codec: 'h264', width: 64, height: 64, pixelShape: 1, framesPerSecond: 25 };
    const options = { picture, startSec: 0, mostSeconds: 5, timeoutMs: 30_000 };
    await expect(hashFilm(sound, options)).rejects.toBeInstanceOf(RecordingError);
    const large = { ...options, picture: { ...picture, width: 7680, height: 4320 } };
    await expect(hashFilm(sound, large)).rejects.toMatchObject({ reason: 'too_large' });
  });
});
