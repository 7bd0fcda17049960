// Measures lip-sync and pulse: npx tsx training/forensic-film.ts FOLDER [MODULES], where FOLDER holds labels.json and the films that it names, and
// MODULES is the folder in which `limpede setup recognition` installs what finds faces.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { loadHuman } from '../src/media/human.ts';
import { readFacts } from '../src/media/recording/facts.ts';
import { decodeSound } from '../src/media/recording/sound.ts';
import { detectVoices } from '../src/media/recording/voice-activity.ts';
import { decodeRun, decodeSoundRun } from '../src/media/recording/window.ts';
import { FACE_PARTS, trackFaces } from '../src/services/forensic/film/faces.ts';
import { type FilmWindow, lipSync, pulse } from '../src/services/forensic/film/film-findings.ts';
import { lipSyncOf, loudnessOf } from '../src/services/forensic/film/lip-sync.ts';
import { areaUnderCurve, withInterval } from './metrics.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({
        lip_sync: z.boolean().optional(),
        synthetic_pulse_bpm: z.number().nullable().optional(),
      }),
    }),
  ),
});

/** How films travel: as they are, and compressed. */
const COPIES: readonly (readonly [name: string, args: readonly string[] | null])[] = [
  ['as it is', null],
  ['crf 32', ['-c:v', 'libx264', '-crf', '32', '-c:a', 'aac', '-b:a', '48k']],
  [
    '200 pixels',
    ['-vf', 'scale=200:-2', '-c:v', 'libx264', '-crf', '28', '-c:a', 'libmp3lame', '-b:a', '64k'],
  ],
];
const RATE = 25;
/** Seconds by which sound is moved, round the end of the film. */
const SHIFTS = [0.5, 0.7, 0.9, 1.1, 1.3, 1.5].flatMap((shift) => [shift, -shift]);

const [folder = '.', modules = 'optional/recognition'] = process.argv.slice(2);
const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
const place = mkdtempSync(join(tmpdir(), 'forensic-film-'));
const human = await loadHuman(modules, FACE_PARTS);

async function windowOf(path: string): Promise<FilmWindow> {
  const facts = await readFacts(path);
  if (facts.picture === null) throw new Error(`${path} has no pictures`);
  const options = { fromSec: 0, seconds: Math.min(12, facts.durationSec ?? 12), timeoutMs: 60_000 };
  const run = await decodeRun(path, {
    ...options,
    picture: facts.picture,
    longestSide: 384,
    framesPerSecond: RATE,
  });
  const faces = await trackFaces(human, run);
  const hasSound = facts.sound !== null;
  const sound = hasSound ? await decodeSoundRun(path, { ...options, rate: 16_000 }) : undefined;
  const whole = hasSound
    ? await decodeSound(path, { rate: 16_000, mostSeconds: 60, timeoutMs: 60_000 })
    : undefined;
  return {
    fromSec: 0,
    framesPerSecond: RATE,
    ownFramesPerSecond: facts.picture.framesPerSecond,
    faces,
    loudness: sound && loudnessOf(sound, RATE, faces.length),
    voicedSec: whole === undefined ? 0 : (await detectVoices(whole)).voicedSec,
  };
}

/** The same film with its sound moved. */
function moved(window: FilmWindow, shift: number): FilmWindow {
  const { loudness = new Float64Array() } = window;
  const by = Math.round(shift * RATE);
  const turned = loudness.map((_, index) => loudness[(index - by + loudness.length) % loudness.length] ?? 0);
  return { ...window, loudness: turned };
}

interface Case {
  readonly source: string;
  readonly copy: string;
  readonly kind: 'untouched' | 'moved' | 'other voice';
  readonly score: number | null;
  readonly applicable: boolean;
  readonly found: boolean;
}

const cases: Case[] = [];
const add = (source: string, copy: string, kind: Case['kind'], window: FilmWindow) => {
  const motion = window.faces.map((face) => face?.mouthMotion ?? null);
  const sync = lipSyncOf(motion, window.loudness ?? new Float64Array(), RATE);
  // The detector gives no score where it cannot say anything; the measure is over all films.
  const score = sync === undefined ? null : sync.apart - sync.together;
  const { applicable, found } = lipSync(window);
  cases.push({ source, copy, kind, score, applicable, found: found === true });
};
const films: { source: string; copy: string; window: FilmWindow }[] = [];
for (const { file, expected } of items) {
  const path = join(folder, file);
  if (expected.synthetic_pulse_bpm !== undefined) {
    const { score, explanation } = pulse(await windowOf(path));
    console.log(
      `pulse of ${expected.synthetic_pulse_bpm ?? 'none'}: ${score?.toFixed(1)} dB, ${explanation?.en ?? 'none seen'}`,
    );
  }
  if (expected.lip_sync === undefined) continue;
  const source = basename(file).split(/[._]/)[0] ?? file;
  if (!expected.lip_sync) {
    add(source, 'labelled', 'moved', await windowOf(path));
    continue;
  }
  for (const [copy, args] of COPIES) {
    const copied = args === null ? path : join(place, 'copy.mp4');
    if (args !== null) execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', path, ...args, copied]);
    const window = await windowOf(copied);
    films.push({ source, copy, window });
    add(source, copy, 'untouched', window);
    for (const shift of SHIFTS) add(source, copy, 'moved', moved(window, shift));
  }
}
for (const one of films)
  for (const other of films)
    if (one.source !== other.source && one.copy === other.copy)
      add(one.source, one.copy, 'other voice', { ...one.window, loudness: other.window.loudness });
rmSync(place, { recursive: true });

function report(name: string, some: readonly Case[]): void {
  const rows = some.filter(({ score }) => score !== null);
  const line = (kind: Case['kind']) => {
    const of = rows.filter((one) => one.kind === kind);
    const scores = of.map(({ score }) => score ?? 0).sort((one, two) => one - two);
    const range = `${scores[0]?.toFixed(2)} to ${scores.at(-1)?.toFixed(2)}`;
    const silent = of.filter(({ applicable }) => !applicable).length;
    return `${kind} ${of.filter(({ found }) => found).length} of ${of.length} found, ${silent} cannot be told (${range})`;
  };
  const told = rows
    .filter(({ kind }) => kind !== 'other voice')
    .map(({ score, kind, source }) => ({ score: score ?? 0, truth: kind === 'moved', group: source }));
  const value = withInterval(told, areaUnderCurve);
  console.log(`${name}: AUC ${value}; ${line('untouched')}; ${line('moved')}; ${line('other voice')}`);
}

report('all', cases);
for (const source of new Set(cases.map((one) => one.source)))
  report(
    source,
    cases.filter((one) => one.source === source),
  );
for (const [copy] of COPIES)
  report(
    copy,
    cases.filter((one) => one.copy === copy),
  );
