import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/media/recording/facts.ts';
import { decodeFrames, frameSize, planPasses } from '../../../src/media/recording/frames.ts';
import { RecordingError, runProgramOnFile } from '../../../src/media/recording/programs.ts';
import { decodeSound } from '../../../src/media/recording/sound.ts';
import {
  chooseFrames,
  midpoints,
  nearestFrames,
  parsePackets,
  readTimeline,
  shiftTimeline,
} from '../../../src/media/recording/timeline.ts';
import { describeWithFfmpeg } from '../ffmpeg.ts';

const folder = mkdtempSync(join(tmpdir(), 'limpede-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));
const limits = { timeoutMs: 60_000 };

/** Frames each a little brighter than the one before, in a period of 32. */
const SHADES = [
  '-f',
  'lavfi',
  '-i',
  "color=s=64x48:r=25:d=8,format=yuv420p,geq=lum='mod(N,32)*6+20':cb=128:cr=128",
];
const TONE = ['-f', 'lavfi', '-i', 'sine=f=500:d=2:r=48000'];
/** Films hold brightness from 16 to 235. */
const shadeOf = (frame: number) => (((frame % 32) * 6 + 4) * 255) / 219;

function make(name: string, ...args: string[]): string {
  const path = join(folder, name);
  if (!existsSync(path)) execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path]);
  return path;
}

describe('the list of frames', () => {
  const list = (packets: string[]) => parsePackets(packets.join('\n'), 10);

  it('is in the order in which they are shown, counted from the start', () => {
    const { times, keys, durationSec } = list([
      'pts_time=10.000000|dts_time=9.8|flags=K_',
      'pts_time=10.120000|dts_time=9.9|flags=__',
      'pts_time=10.040000|dts_time=10.0|flags=__',
      'pts_time=10.080000|dts_time=10.1|flags=K_',
    ]);
    expect([...times].map((time) => time.toFixed(2))).toEqual(['0.00', '0.04', '0.08', '0.12']);
    expect(keys).toEqual([0, 2]);
    expect(durationSec).toBeCloseTo(0.16);
  });

  it('is the same when the start is learnt later', () => {
    const packets = [
      'pts_time=10.000000|flags=K_',
      'pts_time=10.040000|flags=__',
      'pts_time=10.080000|flags=__',
    ];
    const later = shiftTimeline(parsePackets(packets.join('\n'), 0), 10);
    expect([...later.times].map((time) => time.toFixed(2))).toEqual(['0.00', '0.04', '0.08']);
    expect(later.durationSec).toBeCloseTo(list(packets).durationSec);
  });

  it('takes the time of decoding where a container gives no other', () => {
    const { times, isTimed } = list(['pts_time=N/A|dts_time=10.5|flags=K_', 'flags=__', '']);
    expect(times).toEqual(Float64Array.of(0.5));
    expect(isTimed).toBe(false);
  });

  it('is refused when it is empty', () => {
    expect(() => list([''])).toThrow(RecordingError);
  });
});

describe('frames to take', () => {
  const timeline = (frames: number, everyKey: number) => ({
    times: Float64Array.from({ length: frames }, (_, index) => index / 25),
    keys: Array.from({ length: Math.ceil(frames / everyKey) }, (_, index) => index * everyKey),
    isTimed: true,
    durationSec: frames / 25,
  });

  it('are the middles of equal parts', () => {
    expect(midpoints(4, 0, 8)).toEqual([1, 3, 5, 7]);
    expect(midpoints(2, 10, 12)).toEqual([10.5, 11.5]);
  });

  it.each([
    ['those that can be decoded alone, when there are enough', 4500, 50, 'keys'],
    ['the nearest, when there are not', 4500, 900, 'nearest'],
  ] as const)('are %s', (_name, frames, everyKey, expected) => {
    const line = timeline(frames, everyKey);
    const targets = midpoints(16, 0, line.durationSec);
    const chosen = chooseFrames(line, targets);
    expect(chosen).toHaveLength(16);
    if (expected === 'keys') expect(chosen.every((frame) => frame % everyKey === 0)).toBe(true);
    else expect(chosen).toEqual(nearestFrames(line, targets));
  });

  it('are all of them, when there are fewer than are wanted', () => {
    expect(chooseFrames(timeline(3, 1), midpoints(16, 0, 0.12))).toEqual([0, 1, 2]);
  });

  it.each([
    ['one run for frames that can be decoded alone', 4500, 50, [50, 2000, 4000], 1, true],
    ['a run each, when there are too many of those', 4500, 5, [50, 2000, 4000], 3, true],
    ['a run each, when going there is cheaper', 4500, 900, [10, 2000, 4000], 3, false],
    ['one run, when each would begin at the start', 4500, 4500, [1000, 2000, 4000], 1, false],
    ['none for no frames', 10, 1, [], 0, false],
  ] as const)('are decoded by %s', (_name, frames, everyKey, wanted, passes, keysOnly) => {
    const planned = planPasses(timeline(frames, everyKey), wanted);
    expect(planned).toHaveLength(passes);
    expect(planned.flatMap((pass) => [...pass.frames])).toEqual(wanted);
    for (const pass of planned) expect(pass.keysOnly).toBe(keysOnly);
  });

  it('are counted from the first where their times are not known', () => {
    const line = { ...timeline(4500, 50), isTimed: false };
    expect(planPasses(line, [50, 4000])).toMatchObject([{ frames: [50, 4000], fromSec: 0, by: 'number' }]);
  });

  it('keep the form of the film within the longest side', () => {
    const picture = { codec: 'h264', width: 720, height: 576, pixelShape: 16 / 15, framesPerSecond: 25 };
    expect(frameSize(picture, 512)).toEqual({ width: 512, height: 384 });
    expect(frameSize({ ...picture, pixelShape: 1 }, 2000)).toEqual({ width: 720, height: 576 });
  });
});

describeWithFfmpeg('a recording', () => {
  const open = async (path: string) => {
    const facts = await readFacts(path);
    const timeline = await readTimeline(path, { ...facts, ...limits });
    if (facts.picture === null) throw new Error('there is no picture');
    return { timeline, options: { ...facts, ...limits, picture: facts.picture, timeline, longestSide: 512 } };
  };

  it('says what it holds', async () => {
    const path = make('both.mp4', ...SHADES, ...TONE, '-c:v', 'libx264', '-c:a', 'aac');
    expect(await readFacts(path)).toMatchObject({
      container: expect.stringContaining('mp4'),
      durationSec: 8,
      picture: { codec: 'h264', width: 64, height: 48, framesPerSecond: 25 },
      sound: { codec: 'aac', sampleRate: 48_000, channels: 1 },
      tracks: 2,
    });
  });

  it.each<[string, string, string[]]>([
    ['one run over frames that can be decoded alone', 'keys.mp4', ['-g', '5']],
    ['runs that go to each frame', 'seek.mkv', ['-g', '60', '-keyint_min', '60', '-sc_threshold', '0']],
    ['one run over everything', 'whole.mp4', ['-g', '900', '-keyint_min', '900', '-sc_threshold', '0']],
    ['a stream that begins late', 'late.ts', ['-g', '60', '-output_ts_offset', '900']],
    ['an old container', 'old.mpg', ['-c:v', 'mpeg2video', '-q:v', '2']],
  ])('gives the very frames of the times that it names, by %s', async (_name, name, args) => {
    const path = make(name, ...SHADES, '-c:v', 'libx264', '-crf', '5', ...args);
    const { timeline, options } = await open(path);
    expect(timeline.times).toHaveLength(200);
    const frames = await decodeFrames(
      path,
      chooseFrames(timeline, midpoints(16, 0, timeline.durationSec)),
      options,
    );
    expect(frames).toHaveLength(16);
    for (const { index, timeSec, rgb } of frames) {
      expect(timeSec).toBeCloseTo(index / 25, 1);
      // A step of brightness is 6: a neighbour would be further off.
      expect(Math.abs((rgb[3 * (24 * 64 + 32)] ?? 0) - shadeOf(index))).toBeLessThan(4);
    }
  });

  it('becomes samples of one channel', async () => {
    const { rate, samples } = await decodeSound(make('tone.ogg', ...TONE, '-ac', '2'), {
      rate: 16_000,
      mostSeconds: 5,
      ...limits,
    });
    expect(samples.length / rate).toBeCloseTo(2, 1);
    const crossings = samples.reduce(
      (sum, sample, index) => sum + (sample >= 0 && (samples[index - 1] ?? 0) < 0 ? 1 : 0),
      0,
    );
    expect(crossings / 2).toBeCloseTo(500, -1);
  });

  it('is refused when it sounds for longer than allowed, whatever its header says', async () => {
    const path = make('lies.wav', ...TONE);
    const bytes = readFileSync(path);
    // The size of the data: a tenth of a second.
    bytes.writeUInt32LE(9_600, bytes.indexOf('data') + 4);
    const long = make('long.mp3', '-f', 'lavfi', '-i', 'sine=d=8');
    const options = { rate: 16_000, mostSeconds: 4, ...limits };
    await expect(decodeSound(long, options)).rejects.toMatchObject({ reason: 'too_long' });
    writeFileSync(path, bytes);
    expect((await decodeSound(path, options)).samples.length / 16_000).toBeLessThanOrEqual(4);
  });

  it.each<[string, () => string, RecordingError['reason']]>([
    ['it has no sound', () => make('silent.mp4', ...SHADES), 'broken'],
    ['it breaks off in its header', () => cut('cut.mp4', 900), 'broken'],
    ['it is empty', () => written('empty.mp4', ''), 'broken'],
    ['it is a playlist', () => written('list.mp4', '#EXTM3U\n#EXTINF:1,\n/etc/hostname\n'), 'broken'],
    [
      'it is a list of files',
      () => written('list.wav', "ffconcat version 1.0\nfile '/etc/hostname'\n"),
      'broken',
    ],
    ['it is subtitles', () => written('a.mkv', '1\n00:00:00,000 --> 00:00:01,000\nText\n'), 'broken'],
  ])('is refused when %s', async (_name, path, expected) => {
    const options = { rate: 16_000, mostSeconds: 5, ...limits };
    await expect(decodeSound(path(), options)).rejects.toMatchObject({ reason: expected });
  });

  it('is refused when its frames are larger than 4096 x 2304', async () => {
    const path = make('large.mp4', ...SHADES);
    const { options } = await open(path);
    const picture = { ...options.picture, width: 8192, height: 4320 };
    await expect(decodeFrames(path, [0], { ...options, picture })).rejects.toMatchObject({
      reason: 'too_large',
    });
  });

  it('is given up when its time is over, and when nobody waits any more', async () => {
    const path = make('both.mp4', ...SHADES, ...TONE, '-c:v', 'libx264', '-c:a', 'aac');
    const endless = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', path, '-f', 'null', '-'];
    await expect(
      runProgramOnFile('ffmpeg', path, endless, { wallMs: 500, outputBytes: 10 }),
    ).rejects.toMatchObject({
      reason: 'timeout',
    });
    const leaving = new AbortController();
    const waiting = runProgramOnFile(
      'ffmpeg',
      path,
      endless,
      { wallMs: 60_000, outputBytes: 10 },
      leaving.signal,
    );
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });
});

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function cut(name: string, bytes: number): string {
  const path = make(name, ...SHADES, ...TONE);
  truncateSync(path, bytes);
  return path;
}
