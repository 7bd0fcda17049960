// Measures splices by steps of the bandwidth: npx tsx training/forensic-splices.ts FOLDER, where FOLDER holds labels.json and the recordings that it names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { bandwidthSteps } from '../src/services/forensic/sound/bandwidth-steps.ts';
import { STEP_DECIBELS } from '../src/services/forensic/sound/sound-findings.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      expected: z.object({
        synthetic_speech: z.boolean().optional(),
        lip_sync: z.boolean().optional(),
        splice_s: z.array(z.number()).optional(),
      }),
    }),
  ),
});

type Encoding = readonly [name: string, extension: string, args: readonly string[]];

const AS_IT_IS: Encoding = ['as it is', 'wav', []];
/** How recordings travel. */
const COPIES: readonly Encoding[] = [
  AS_IT_IS,
  ...[24, 48, 64, 128].map((rate): Encoding => [`MP3 ${rate}k`, 'mp3', ['-b:a', `${rate}k`]]),
  ['MP3, variable', 'mp3', ['-q:a', '6']],
  ...[16, 24, 32, 64].map((rate): Encoding => [`Opus ${rate}k`, 'opus', ['-b:a', `${rate}k`]]),
  ...[24, 32, 64, 128].map((rate): Encoding => [`AAC ${rate}k`, 'm4a', ['-b:a', `${rate}k`]]),
  ['Vorbis, lowest', 'ogg', ['-c:a', 'libvorbis', '-q:a', '0']],
  ['telephone', 'wav', ['-ar', '8000']],
  ['noise gate, MP3 64k', 'mp3', ['-af', 'agate=threshold=0.02', '-b:a', '64k']],
];
/** Where parts that are put in come from. */
const HISTORIES: readonly Encoding[] = [
  ['as wide as it was recorded', 'wav', []],
  ['from a telephone (8 kHz)', 'wav', ['-ar', '8000']],
  ['from a sound of 16 kHz', 'wav', ['-ar', '16000']],
  ['from an MP3 of 24k', 'mp3', ['-b:a', '24k']],
  ['from Opus of 12k', 'opus', ['-b:a', '12k']],
];
const SAVES: readonly Encoding[] = [
  AS_IT_IS,
  ['MP3 64k', 'mp3', ['-b:a', '64k']],
  ['Opus 24k', 'opus', ['-b:a', '24k']],
  ['AAC 64k', 'm4a', ['-b:a', '64k']],
];

const [folder = '.'] = process.argv.slice(2);
const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
const place = mkdtempSync(join(tmpdir(), 'forensic-splices-'));
const ffmpeg = (args: readonly string[], input?: Buffer) =>
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { input, maxBuffer: 1 << 28 });

interface Sound {
  readonly rate: number;
  readonly samples: Float32Array;
}

function rateOf(path: string): number {
  const asked = [
    '-v',
    'error',
    '-select_streams',
    'a:0',
    '-show_entries',
    'stream=sample_rate',
    '-of',
    'csv=p=0',
  ];
  return Math.min(
    48_000,
    Number.parseInt(execFileSync('ffprobe', [...asked, path], { encoding: 'utf8' }), 10),
  );
}

function read(path: string, rate: number): Sound {
  const bytes = ffmpeg(['-i', path, '-map', '0:a:0', '-ac', '1', '-ar', `${rate}`, '-f', 's16le', 'pipe:1']);
  return {
    rate,
    samples: Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (one) => one / 32_768),
  };
}

function write({ rate, samples }: Sound): string {
  const path = join(place, 'written.wav');
  const values = Int16Array.from(samples, (one) =>
    Math.max(-32_768, Math.min(32_767, Math.round(one * 32_768))),
  );
  ffmpeg(['-f', 's16le', '-ar', `${rate}`, '-ac', '1', '-i', 'pipe:0', path], Buffer.from(values.buffer));
  return path;
}

function encoded(path: string, [, extension, args]: Encoding): string {
  const copy = join(place, `copy.${extension}`);
  ffmpeg(['-i', path, '-map', '0:a:0', '-vn', ...args, copy]);
  return copy;
}

const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);

/** `seconds` of another recording in the middle of a host, as loud as the host, with the history of `history`. */
function spliced(host: Sound, donor: string, history: Encoding, at: number, seconds: number): Sound {
  const { rate } = host;
  const whole = read(encoded(donor, history), rate).samples;
  const from = Math.floor((whole.length - seconds * rate) / 2);
  const part = whole.subarray(from, from + Math.round(seconds * rate));
  const gain = loudness(host.samples) / loudness(part);
  const cut = Math.round(at * rate);
  return {
    rate,
    samples: Float32Array.from([
      ...host.samples.subarray(0, cut),
      ...part.map((one) => one * gain),
      ...host.samples.subarray(cut),
    ]),
  };
}

interface Measured {
  readonly gap: number | undefined;
  readonly isRightTime: boolean;
}

async function measure(path: string, from = 0, to = 0): Promise<Measured> {
  const steps = await bandwidthSteps(read(path, rateOf(path)));
  const [one] = steps?.ranges ?? [];
  const isRightTime =
    one !== undefined && Math.abs(one.startSec - from) <= 0.5 && Math.abs(one.endSec - to) <= 0.5;
  return { gap: steps?.gap, isRightTime };
}

const rows = new Map<string, Measured[]>();
function note(name: string, measured: Measured): void {
  rows.set(name, [...(rows.get(name) ?? []), measured]);
}

const sources = items.filter(
  ({ expected }) =>
    expected.splice_s === undefined &&
    (expected.synthetic_speech !== undefined || expected.lip_sync === true),
);
/** Every second recording is held out: the bound was chosen on the others. */
const halfOf = (index: number) => (index % 2 === 0 ? 'chosen on' : 'held out');

for (const [index, { file }] of sources.entries())
  for (const copy of COPIES)
    note(`untouched, ${halfOf(index)}, ${copy[0]}`, await measure(encoded(join(folder, file), copy)));

for (const { file, expected } of items) {
  const [from, to] = expected.splice_s ?? [];
  if (from === undefined) continue;
  for (const copy of COPIES)
    note(`labelled splice, ${copy[0]}`, await measure(encoded(join(folder, file), copy), from, to));
}

for (const [index, { file }] of sources.entries()) {
  const path = join(folder, file);
  const host = read(path, rateOf(path));
  const length = host.samples.length / host.rate;
  const same = sources.filter((other, place) => place % 2 === index % 2 && other.file !== file);
  for (const [turn, seconds] of [1.5, 2.5].entries()) {
    const donor = same[(index + turn * 3) % same.length];
    if (donor === undefined) continue;
    const at = length * (turn === 0 ? 0.4 : 0.6);
    for (const history of HISTORIES) {
      const made = write(spliced(host, join(folder, donor.file), history, at, seconds));
      for (const save of SAVES)
        note(
          `${history[0]}, ${halfOf(index)}, saved ${save[0]}`,
          await measure(encoded(made, save), at, at + seconds),
        );
    }
  }
}
rmSync(place, { recursive: true });

for (const [name, measured] of rows) {
  const gaps = measured.flatMap(({ gap }) => (gap === undefined ? [] : [gap])).sort((one, two) => one - two);
  const found = measured.filter(({ gap = 0 }) => gap >= STEP_DECIBELS);
  const right = found.filter(({ isRightTime }) => isRightTime).length;
  const told = gaps.map((gap) => gap.toFixed(0)).join(' ');
  console.log(`${name}: ${found.length} of ${measured.length}, ${right} at the right time; gaps ${told}`);
}
