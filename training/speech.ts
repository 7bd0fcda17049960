// Measures a speech engine of this machine: npx tsx training/speech.ts FOLDER [MODELS], where FOLDER holds labels.json and the recordings that it names, MODELS
// folders of speech models; without them pocketsphinx is measured.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeSound } from '../src/media/recording/sound.ts';
import { detectVoices } from '../src/media/recording/voice-activity.ts';
import { createPocketsphinxBackend } from '../src/services/speech/backends/pocketsphinx.ts';
import { createSherpaBackend } from '../src/services/speech/backends/sherpa.ts';
import { SAMPLE_RATE } from '../src/services/speech/pieces.ts';
import { transcribe } from '../src/services/speech/transcriber.ts';
import { MEMES } from './data/memes.ts';
import { randomStream } from './rows.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      expected: z.object({
        transcript: z.string().optional(),
        lang: z.string().optional(),
        synthetic_speech: z.boolean().optional(),
      }),
    }),
  ),
});

/** A recording, what is said in it, and the set that it belongs to. */
interface Sample {
  readonly path: string;
  readonly said: string;
  readonly set: string;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\d']+/gu) ?? [];

/** Words that were put in, left out or changed: the least edits from one text to the other. */
function edits(said: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, index) => index + 1);
  row.unshift(0);
  said.forEach((word, line) => {
    const next = [line + 1];
    heard.forEach((other, column) => {
      const change = (row[column] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    });
    row = next;
  });
  return row.at(-1) ?? 0;
}

const [folder = '.', models] = process.argv.slice(2);
const limits = { timeoutMs: 600_000, memoryBytes: 4e9 };
const engine =
  models === undefined
    ? createPocketsphinxBackend(limits)
    : createSherpaBackend({ models, preferred: undefined, threads: 2, limits });
const place = mkdtempSync(join(tmpdir(), 'speech-'));
const signal = new AbortController().signal;

/** Given recordings of people in English, and sentences of ours as espeak-ng says them. */
function samples(): Sample[] {
  const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
  const given = items.flatMap(({ file, expected }) =>
    expected.transcript === undefined || expected.lang !== 'en' || expected.synthetic_speech === true
      ? []
      : [{ path: join(folder, file), said: expected.transcript, set: 'people, English' }],
  );
  const spoken = MEMES.filter(({ language }) => language === 'en').map(({ lines }, index) => {
    const text = lines.join(' ');
    const path = join(place, `${index}.wav`);
    execFileSync('espeak-ng', ['-v', 'en-us', '-s', '140', '-w', path, text]);
    return { path, said: text, set: 'espeak-ng, English' };
  });
  return [...given, ...spoken];
}

const rows: { set: string; wrong: number; words: number; sure: number; seconds: number; tookMs: number }[] =
  [];
for (const { path, said, set } of samples()) {
  const sound = await decodeSound(path, { rate: SAMPLE_RATE, mostSeconds: 600, timeoutMs: 60_000 });
  const seconds = sound.samples.length / SAMPLE_RATE;
  const recording = { sound, durationSec: seconds, voices: await detectVoices(sound) };
  const wish = {
    model: undefined,
    language: 'en',
    prompt: undefined,
    temperature: undefined,
    wantsWords: true,
  };
  const started = performance.now();
  const { transcript } = await transcribe(
    recording,
    wish,
    { backends: [engine], pieceSeconds: () => 300 },
    signal,
  );
  const tookMs = performance.now() - started;
  const words = wordsOf(said);
  const told = transcript.segments.flatMap(({ meanLogProbability }) => meanLogProbability ?? []);
  const sure = Math.exp(told.reduce((sum, one) => sum + one, 0) / Math.max(1, told.length));
  rows.push({
    set,
    wrong: edits(words, wordsOf(transcript.text)),
    words: words.length,
    sure,
    seconds,
    tookMs,
  });
  console.log(
    `${path}: ${rows.at(-1)?.wrong} of ${words.length} wrong, sure ${sure.toFixed(2)}: ${transcript.text}`,
  );
}
rmSync(place, { recursive: true });

const rateOf = (some: typeof rows) =>
  some.reduce((sum, { wrong }) => sum + wrong, 0) / some.reduce((sum, { words }) => sum + words, 0);
for (const set of new Set(rows.map((row) => row.set))) {
  const own = rows.filter((row) => row.set === set);
  const random = randomStream(1);
  const drawn = Array.from({ length: 2_000 }, () =>
    rateOf(own.map(() => own[Math.floor(random() * own.length)] ?? own[0]).flatMap((row) => row ?? [])),
  ).sort((one, two) => one - two);
  const seconds = own.reduce((sum, row) => sum + row.seconds, 0);
  const took = own.reduce((sum, row) => sum + row.tookMs, 0) / 1000;
  console.log(
    `${set}: ${own.length} recordings, ${own.reduce((sum, { words }) => sum + words, 0)} words, word error ${rateOf(own).toFixed(2)} (${drawn[50]?.toFixed(2)} to ${drawn[1_949]?.toFixed(2)}), ${(took / seconds).toFixed(2)} s a second of sound`,
  );
}
