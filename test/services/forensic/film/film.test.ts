import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { type FaceFrame, trackFaces } from '../../../../src/services/forensic/film/faces.ts';
import {
  chooseWindow,
  createFilmExaminer,
  type FilmInput,
} from '../../../../src/services/forensic/film/film.ts';
import { type FilmWindow, lipSync, pulse } from '../../../../src/services/forensic/film/film-findings.ts';
import { lipSyncOf, loudnessOf } from '../../../../src/services/forensic/film/lip-sync.ts';
import { detectPulse } from '../../../../src/services/forensic/film/pulse.ts';
import { createRecordingExaminer } from '../../../../src/services/forensic/recordings.ts';
import { forensicSettings } from '../../../../src/services/forensic/settings.ts';
import { describeWithFfmpeg, itWithFfmpeg } from '../../../media/ffmpeg.ts';
import { PATIENCE_MS } from '../../../patience.ts';

const RATE = 25;
const FRAMES = 200;

/** Numbers from -1 to 1 that follow from their seed. */
function numbers(seed: number) {
  let state = seed;
  return () => {
    state = (1_103_515_245 * state + 12_345) % 2_147_483_648;
    return state / 1_073_741_824 - 1;
  };
}

/** Loudness of speech: syllables of some tenths of a second, and pauses. */
function speech(seed: number, frames = FRAMES): number[] {
  const random = numbers(seed);
  const loudness: number[] = [];
  while (loudness.length < frames) {
    const length = 4 + Math.floor(4 * (random() + 1));
    const strength = random() > -0.4 ? 1.5 + random() : 0;
    for (let frame = 0; frame < length; frame += 1)
      loudness.push(strength * Math.sin((Math.PI * (frame + 0.5)) / length) - 4 + 0.1 * random());
  }
  return loudness.slice(0, frames);
}

const face = (motion: number | null, skin: FaceFrame['skin'] = [180, 130, 110]): FaceFrame => ({
  eyeDistance: 70,
  mouthMotion: motion,
  skin,
});

/** A face whose mouth moves with the sound so many frames before. */
function talking(later: number, seed = 1): FilmWindow {
  const said = speech(seed, FRAMES + 100);
  const random = numbers(seed + 7);
  return {
    fromSec: 3,
    framesPerSecond: RATE,
    ownFramesPerSecond: 25,
    faces: said.slice(50, 50 + FRAMES).map((value) => face(5 + value + 0.3 * random())),
    loudness: Float64Array.from(said.slice(50 - later, 50 - later + FRAMES)),
    voicedSec: 6,
  };
}

/** The voice that belongs to a mouth so loud below another. */
function mixed(share: number): Float64Array {
  const other = speech(99);
  return (talking(0).loudness ?? new Float64Array()).map((own, at) => share * own + (other[at] ?? 0));
}

describe('lip-sync', () => {
  it.each([0, 2, -2])('finds nothing where mouth and sound are together (%i frames apart)', (later) => {
    const result = lipSync(talking(later));
    expect(result).toMatchObject({ applicable: true, found: false, log_likelihood_ratio: { value: 0 } });
    expect(result.explanation).toBeNull();
  });

  it.each([
    [20, /0\.8 s after/, /0,8 s după/],
    [-20, /0\.8 s before/, /0,8 s înainte/],
  ])('tells by how much the sound is out of step (%i frames)', (later, en, ro) => {
    const result = lipSync(talking(later));
    expect(result).toMatchObject({
      found: true,
      explanation: { en: expect.stringMatching(en), ro: expect.stringMatching(ro) },
      stretches: [{ start_s: 3, end_s: 11 }],
    });
    expect(result.log_likelihood_ratio.value).toBeLessThanOrEqual(1.5);
  });

  it('takes cuts and frames without a face in its stride', () => {
    const window = talking(0);
    const faces = window.faces.map((one, at) => (at % 40 === 0 ? null : at % 50 === 7 ? face(200) : one));
    expect(lipSync({ ...window, faces })).toMatchObject({ applicable: true, found: false });
  });

  it.each<[string, Partial<FilmWindow>]>([
    ['no_sound', { loudness: undefined }],
    ['no_face', { faces: Array.from({ length: FRAMES }, (_, at) => (at % 2 === 0 ? face(1) : null)) }],
    ['no_face', { faces: [] }],
    ['small_face', { faces: talking(0).faces.map((one) => one && { ...one, eyeDistance: 12 }) }],
    ['no_voice', { voicedSec: 1.9 }],
    ['short_window', { faces: talking(0).faces.slice(0, 20) }],
    // Of two seconds only neighbouring moments can be compared: one out of step by a second would pass.
    ['short_window', { faces: talking(25).faces.slice(0, 50) }],
    ['in_step_nowhere', { loudness: mixed(0.4) }],
    ['nothing_moves_with_it', { faces: Array.from({ length: FRAMES }, () => face(3)) }],
  ])('says nothing: %s', (code, part) => {
    expect(lipSync({ ...talking(0), ...part })).toMatchObject({
      applicable: false,
      reason: { code },
      score: null,
      found: null,
    });
  });

  it('finds no more than chance between one mouth and another voice', () => {
    const other = lipSyncOf(
      talking(0, 1).faces.map((one) => one?.mouthMotion ?? null),
      Float64Array.from(speech(99)),
      RATE,
    );
    expect(Math.max(other?.together ?? 1, other?.apart ?? 1)).toBeLessThan(0.5);
  });

  it('hears how loud each frame is', () => {
    const samples = new Float32Array(16_000).fill(0.5, 0, 8_000);
    const loudness = loudnessOf({ rate: 16_000, samples }, RATE, RATE);
    expect(loudness[3]).toBeCloseTo(Math.log(0.501));
    expect(loudness[20]).toBeCloseTo(Math.log(0.001));
  });
});

/** Skin whose colour changes so often a minute, with the noise of a camera. */
const skins = (beats: number, strength: number, seconds = 12) => {
  const random = numbers(3);
  return Array.from({ length: seconds * RATE }, (_, frame): [number, number, number] => {
    const beat = strength * Math.sin((2 * Math.PI * beats * frame) / (60 * RATE));
    return [
      170 + 0.3 * beat + 0.05 * random(),
      120 + 0.8 * beat + 0.05 * random(),
      100 + 0.5 * beat + 0.05 * random(),
    ];
  });
};

describe('the pulse', () => {
  it.each([48, 66, 90, 132])('is found at %i beats a minute by both methods', (beats) => {
    const { pos, chrom } = detectPulse(skins(beats, 0.5), RATE);
    expect(Math.abs(pos.beatsPerMinute - beats)).toBeLessThanOrEqual(1.5);
    expect(Math.abs(chrom.beatsPerMinute - beats)).toBeLessThanOrEqual(1.5);
    expect(Math.min(pos.signalToNoise, chrom.signalToNoise)).toBeGreaterThan(0);
  });

  it('is told to people, and weighs nothing', () => {
    const window = { ...talking(0), faces: skins(72, 0.5).map((skin) => face(1, skin)) };
    expect(pulse(window)).toMatchObject({
      applicable: true,
      found: null,
      log_likelihood_ratio: { value: 0 },
      explanation: {
        en: expect.stringMatching(/7[12] times a minute/),
        ro: expect.stringMatching(/pe minut/),
      },
    });
    const still = { ...window, faces: skins(72, 0).map((skin) => face(1, skin)) };
    expect(pulse(still)).toMatchObject({ applicable: true, explanation: null });
  });

  it.each<[string, Partial<FilmWindow>]>([
    ['slow_frames', { ownFramesPerSecond: 10 }],
    ['short_window', { faces: talking(0).faces.slice(0, 150) }],
    ['no_skin', { faces: Array.from({ length: FRAMES }, () => face(1, null)) }],
    ['no_face', { faces: Array.from({ length: FRAMES }, () => null) }],
  ])('is not looked for: %s', (code, part) => {
    expect(pulse({ ...talking(0), ...part })).toMatchObject({ applicable: false, reason: { code } });
  });
});

describe('the face of a film', () => {
  const side = 64;
  const mesh = (dx: number) => {
    const points = Array.from({ length: 468 }, (): [number, number, number] => [32 + dx, 12, 0]);
    points[33] = [22 + dx, 20, 0];
    points[263] = [42 + dx, 20, 0];
    return points;
  };
  /** Frames of grey with a mouth of some brightness, and a face that is found where it is said to be. */
  const follow = (mouths: readonly number[], places: readonly (number | null)[]) => {
    const rgb = Buffer.alloc(3 * side * side * mouths.length, 100);
    mouths.forEach((value, frame) => {
      for (let row = 34; row < 46; row += 1)
        rgb.fill(
          value,
          3 * (frame * side * side + row * side + 24),
          3 * (frame * side * side + row * side + 41),
        );
    });
    let frame = -1;
    const tensor = { dispose: () => undefined, data: async () => new Float32Array() };
    const tf = { tidy: <Result>(work: () => Result) => work(), tensor: () => tensor, cast: () => tensor };
    const human = {
      tf,
      detect: async () => {
        frame += 1;
        const place = places[frame] ?? null;
        return {
          face: place === null ? [] : [{ score: 1, box: [0, 0, 1, 1], mesh: mesh(place) }],
          object: [],
        };
      },
    } as unknown as Parameters<typeof trackFaces>[0];
    return trackFaces(human, { width: side, height: side, framesPerSecond: RATE, count: mouths.length, rgb });
  };

  it('moves with its mouth alone, and begins anew after a cut', async () => {
    const track = await follow([100, 200, 200, 200, 50], [0, 0, 0, null, 0]);
    expect(track.map((one) => one?.eyeDistance ?? null)).toEqual([20, 20, 20, null, 20]);
    expect(track[0]?.mouthMotion).toBeNull();
    expect(track[1]?.mouthMotion).toBeGreaterThan(40);
    expect(track[2]?.mouthMotion).toBe(0);
    expect(track[4]?.mouthMotion).toBeNull();
    expect((await follow([100, 200], [0, 15]))[1]?.mouthMotion).toBeNull();
  });
});

describe('the seconds that are looked at', () => {
  it('are those in which a voice is heard for longest', () => {
    const voices = [
      { startSec: 2, endSec: 4 },
      { startSec: 30, endSec: 36 },
      { startSec: 37, endSec: 41 },
    ];
    expect(chooseWindow(voices, 60)).toEqual({ fromSec: 30, seconds: 12 });
    expect(chooseWindow(voices, 38)).toEqual({ fromSec: 26, seconds: 12 });
    expect(chooseWindow([], 5)).toEqual({ fromSec: 0, seconds: 5 });
  });
});

describe('a film examiner', () => {
  const film = {
    path: '/nowhere.mp4',
    facts: {
      ...{ container: 'mov', durationSec: 5, startSec: 0, tracks: 1, encoder: null, sound: null },
      picture: { codec: 'h264', width: 64, height: 64, pixelShape: 1, framesPerSecond: 25 },
    },
    ...{ durationSec: 5, voices: [], timeoutMs: PATIENCE_MS },
  };

  it('says that nobody looks for faces where nothing is installed that does', async () => {
    const examiner = createFilmExaminer('/nowhere');
    const { results, lost } = await examiner.examine(film, new AbortController().signal);
    expect(lost).toBeUndefined();
    expect(results.map(({ detector, reason }) => [detector, reason?.code])).toEqual([
      ['lip_sync', 'engine_missing'],
      ['pulse', 'engine_missing'],
    ]);
    await examiner.close();
  });

  itWithFfmpeg('loses its part alone when a film cannot be decoded', async () => {
    const examiner = createFilmExaminer('/nowhere', () => true);
    const { results, lost } = await examiner.examine(film, new AbortController().signal);
    expect(lost).toBe('broken');
    expect(results.every(({ applicable }) => !applicable)).toBe(true);
    expect((await examiner.examine({ ...film, timeoutMs: 2 }, new AbortController().signal)).lost).toBe(
      'timeout',
    );
    await expect(examiner.examine(film, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});

describeWithFfmpeg('a film that is looked at', () => {
  it('is looked at to its end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'limpede-film-'));
    const path = join(folder, 'film.mp4');
    const sources = ['-f', 'lavfi', '-i', 'testsrc=d=3:s=160x120:r=25', '-f', 'lavfi', '-i', 'sine=d=3'];
    execFileSync('ffmpeg', ['-v', 'error', ...sources, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', path]);
    const asked: FilmInput[] = [];
    const films = {
      examine: async (film: FilmInput) => {
        asked.push(film);
        return { results: [], lost: undefined };
      },
      isInstalled: () => true,
      close: async () => undefined,
    };
    const examiner = createRecordingExaminer(parseSettings(forensicSettings, {}), films);
    try {
      await examiner.examine({ path, depth: 'full' }, 'ana', new AbortController().signal);
    } finally {
      await examiner.close();
      await rm(folder, { recursive: true });
    }
    expect(asked[0]?.durationSec).toBeCloseTo(3, 1);
  });
});
