// What a minute of sound costs: decoding against bare ffmpeg, voices, and the engines of this machine that are installed. Wall times. --minutes=N, --rounds=N.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeSound, type Sound } from '../src/media/recording/sound.ts';
import { detectVoices } from '../src/media/recording/voice-activity.ts';
import type { SpeechBackend } from '../src/services/speech/backends/backend.ts';
import {
  createPocketsphinxBackend,
  isPocketsphinxInstalled,
} from '../src/services/speech/backends/pocketsphinx.ts';
import { createSherpaBackend } from '../src/services/speech/backends/sherpa.ts';
import { isSpeechInstalled, speechFolder } from '../src/services/speech/backends/sherpa-runtime.ts';
import { SAMPLE_RATE } from '../src/services/speech/pieces.ts';
import { transcribe } from '../src/services/speech/transcriber.ts';
import { voiceLike } from '../test/media/recording/voices.ts';
import { writeTinySpeechModel } from '../test/services/speech/tiny-speech-model.ts';
import { bareFfmpeg, type Cost, costOf, median, numberOption, row } from './media-parts.ts';

const minutes = numberOption('minutes', 7);
const rounds = numberOption('rounds', 3);
const home = mkdtempSync(join(tmpdir(), 'limpede-bench-speech-'));
const signal = new AbortController().signal;
/** Engines hear half a minute: they take much longer than all else. */
const HEARD_SECONDS = 30;

async function repeated<Result>(work: () => Promise<Result>): Promise<{ costs: Cost[]; result: Result }> {
  const runs = [await costOf(work)];
  while (runs.length < rounds) runs.push(await costOf(work));
  return { costs: runs.map(({ cost }) => cost), result: (runs[0] as (typeof runs)[number]).result };
}

const perMinute = (costs: readonly Cost[], length: number) =>
  median(costs.map(({ wallMs }) => wallMs)) / length;
const print = (what: string, costs: readonly Cost[], length: number, floor?: number) =>
  row(
    what,
    perMinute(costs, length).toFixed(0),
    floor === undefined ? '' : (perMinute(costs, length) / floor).toFixed(2),
  );

async function engine(what: string, backend: SpeechBackend): Promise<void> {
  const sound: Sound = { rate: SAMPLE_RATE, samples: voiceLike(HEARD_SECONDS) };
  const recording = { sound, durationSec: HEARD_SECONDS, voices: await detectVoices(sound) };
  const wish = {
    model: undefined,
    language: 'en',
    prompt: undefined,
    temperature: undefined,
    wantsWords: true,
  };
  const options = { backends: [backend], pieceSeconds: () => 300 };
  const { costs } = await repeated(() => transcribe(recording, wish, options, signal));
  print(what, costs, HEARD_SECONDS / 60);
}

console.log(
  `Load of the machine ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}; ${minutes} minutes of sound.\n`,
);
try {
  const path = join(home, 'sound.m4a');
  await bareFfmpeg([
    '-f',
    'lavfi',
    '-i',
    `anoisesrc=d=${60 * minutes}:c=pink:a=0.1`,
    '-ac',
    '2',
    '-b:a',
    '128k',
    path,
  ]);
  row('work', 'ms a minute of sound', 'to bare ffmpeg');
  row('---', '--:', '--:');
  const bare = await repeated(() =>
    bareFfmpeg([
      '-threads',
      '1',
      '-i',
      path,
      '-ac',
      '1',
      '-ar',
      String(SAMPLE_RATE),
      '-f',
      's16le',
      '/dev/null',
    ]),
  );
  const floor = perMinute(bare.costs, minutes);
  print('bare ffmpeg to 16 kHz', bare.costs, minutes, floor);
  const limits = { rate: SAMPLE_RATE, mostSeconds: 60 * minutes + 10, timeoutMs: 600_000 };
  const decoded = await repeated(() => decodeSound(path, limits, signal));
  print('decoding in the sandbox', decoded.costs, minutes, floor);
  const heard = await repeated(() => detectVoices(decoded.result, signal));
  print('finding voices', heard.costs, minutes, floor);
  const most = { timeoutMs: 600_000, memoryBytes: 4e9 };
  if (isSpeechInstalled(speechFolder())) {
    writeTinySpeechModel(join(home, 'models', 'tiny'));
    await engine(
      'start of a model that knows one word',
      createSherpaBackend({ models: join(home, 'models'), preferred: undefined, threads: 1, limits: most }),
    );
  }
  if (isPocketsphinxInstalled()) await engine('pocketsphinx', createPocketsphinxBackend(most));
} finally {
  rmSync(home, { recursive: true });
}
