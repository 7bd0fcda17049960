import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSpeechModels } from '../../../src/services/speech/backends/model-folder.ts';
import {
  isPocketsphinxInstalled,
  readUtterances,
} from '../../../src/services/speech/backends/pocketsphinx.ts';
import { createSherpaBackend } from '../../../src/services/speech/backends/sherpa.ts';
import { isSpeechInstalled, speechFolder } from '../../../src/services/speech/backends/sherpa-runtime.ts';
import { transcription, verboseTranscription } from '../../../src/services/speech/contract.ts';
import { wavOf } from '../../../src/services/speech/pieces.ts';
import { speechService } from '../../../src/services/speech/service.ts';
import { segmentsOfWords } from '../../../src/services/speech/transcript.ts';
import { type RunningModelService, startModelService } from '../../foundation/model-service/running.ts';
import { describeWithFfmpeg } from '../../media/ffmpeg.ts';
import { noise, recordingOf, voiceLike } from '../../media/recording/voices.ts';
import { isRequired } from '../../required.ts';
import { writeTinySpeechModel } from './tiny-speech-model.ts';

const home = mkdtempSync(join(tmpdir(), 'limpede-engines-'));
afterAll(() => rmSync(home, { recursive: true }));
const hasRuntime = isSpeechInstalled(speechFolder()) || isRequired('speech');

/** A suite of an engine that may be absent: skipped with the reason in its name. */
function describeEngine(name: string, absent: string | undefined, suite: () => void): void {
  if (absent === undefined) describeWithFfmpeg(name, suite);
  else describe.skip(`${name} (skipped: ${absent})`, suite);
}

describe('what pocketsphinx writes', () => {
  it('is words with times, without silences and marks of pronunciation', () => {
    const written = [
      'and then',
      '<s> 0.000 0.140 0.999400',
      'and(2) 0.150 0.360 0.250000',
      '<sil> 0.370 0.400 0.900000',
      'then 1.840 2.110 1.000000',
      '</s> 2.120 2.300 1.000000',
      '',
    ].join('\n');
    const { text, language, words, segments } = readUtterances(written);
    expect([text, language]).toEqual(['and then', 'en']);
    expect(words).toMatchObject([
      { word: 'and', startSec: 0.15, endSec: 0.36 },
      { word: 'then', startSec: 1.84, endSec: 2.11 },
    ]);
    expect(segments?.map((one) => one.meanLogProbability)).toEqual([Math.log(0.25), 0]);
  });

  it.each(['', 'READY....', 'a 1 2', '0.1 0.2 0.3'])('%j holds no word', (written) => {
    expect(readUtterances(written)).toMatchObject({ text: '', words: [], segments: [] });
  });
});

it('lines of subtitles end at pauses and do not grow too long', () => {
  const words = Array.from({ length: 15 }, (_, index) => ({
    word: String(index),
    startSec: index + (index > 1 ? 2 : 0),
    endSec: index + 1 + (index > 1 ? 2 : 0),
  }));
  expect(segmentsOfWords(words).map(({ text }) => text.split(' ').length)).toEqual([2, 12, 1]);
});

describe('folders of models', () => {
  const folder = join(home, 'folders');
  it.each<[string, string[], object | undefined]>([
    [
      'whisper-tiny.en',
      ['tiny.en-encoder.onnx', 'tiny.en-encoder.int8.onnx', 'tiny.en-decoder.onnx', 'tiny.en-tokens.txt'],
      {
        family: 'whisper',
        graphs: { encoder: 'tiny.en-encoder.int8.onnx', decoder: 'tiny.en-decoder.onnx' },
        tokens: 'tiny.en-tokens.txt',
        languages: ['en'],
        missing: [],
      },
    ],
    [
      'zipformer',
      ['encoder-epoch-99.onnx', 'decoder-epoch-99.onnx', 'joiner-epoch-99.onnx', 'tokens.txt'],
      { family: 'transducer', languages: null, missing: [] },
    ],
    ['sense-voice', ['model.onnx', 'tokens.txt'], { family: 'senseVoice', missing: [] }],
    ['nemo-ctc', ['model.int8.onnx', 'tokens.txt'], { family: 'nemoCtc', missing: [] }],
    ['half', ['small-encoder.onnx'], { family: 'whisper', missing: ['decoder.onnx', 'tokens.txt'] }],
    ['no-graph', ['tokens.txt'], { missing: ['model.onnx'] }],
    ['encoder-of-sentences', ['model.onnx', 'tokenizer.json'], undefined],
  ])('%s', async (id, names, expected) => {
    mkdirSync(join(folder, id), { recursive: true });
    for (const name of names) writeFileSync(join(folder, id, name), '');
    const found = (await listSpeechModels(folder)).find((model) => model.id === id);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it('that are not there hold none', async () => {
    expect(await listSpeechModels(join(home, 'nowhere'))).toEqual([]);
  });
});

describe('models without what runs them', () => {
  const limits = { timeoutMs: 1_000, memoryBytes: 1 };
  const open = (models: string, runtime: string) =>
    createSherpaBackend({ models, preferred: undefined, threads: 1, limits, runtime });
  const signal = AbortSignal.timeout(60_000);

  it('are not listed, and health says how to get it', async () => {
    const models = join(home, 'waiting');
    writeTinySpeechModel(join(models, 'tiny'));
    const backend = open(models, join(home, 'nowhere'));
    expect(await backend.models()).toEqual([]);
    await expect(backend.probe?.(signal)).rejects.toThrow(
      'tiny: the runtime is not installed; run `limpede setup speech`',
    );
    await open(join(home, 'nowhere'), join(home, 'nowhere')).probe?.(signal);
  });
});

const SPOKEN = (() => {
  const sound = recordingOf(
    noise(1, 0.0005),
    voiceLike(2),
    noise(10, 0.0005),
    voiceLike(2),
    noise(1, 0.0005),
  );
  return wavOf(sound, { startSec: 0, endSec: sound.samples.length / sound.rate });
})();

async function post(url: string, fields: Record<string, string> = {}) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(SPOKEN)]), 'a.wav');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body: form });
  return { status: response.status, body: await response.json() };
}

describeEngine(
  'a model of the operator',
  hasRuntime ? undefined : 'not installed: run `limpede setup speech`',
  () => {
    let service: RunningModelService;
    beforeAll(async () => {
      writeTinySpeechModel(join(home, 'models', 'tiny-nemo-ctc'));
      service = await startModelService(speechService, { SPEECH_POCKETSPHINX: 'false' }, home);
    });
    afterAll(() => service?.close());

    it('reaches the official client, with the times of words', async () => {
      const client = new OpenAI({ apiKey: 'none', baseURL: `${service.url}/v1`, maxRetries: 0 });
      const file = await toFile(SPOKEN, 'a.wav');
      const answer = await client.audio.transcriptions.create({
        file,
        model: 'tiny-nemo-ctc',
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      });
      expect(answer.text).toMatch(/^la( la)+$/);
      expect(verboseTranscription.parse(answer)).toMatchObject({
        engine: { model: 'tiny-nemo-ctc', backend: 'sherpa' },
        degraded: [],
      });
      const starts = (answer.words ?? []).map(({ start }) => start);
      expect(starts.every((start) => (start > 0.9 && start < 3.1) || (start > 12.9 && start < 15.1))).toBe(
        true,
      );
      expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['tiny-nemo-ctc']);
    });

    it('that is damaged leaves an empty transcript that says so; the service lives', async () => {
      const damaged = join(home, 'models', 'damaged');
      writeTinySpeechModel(damaged);
      truncateSync(join(damaged, 'model.onnx'), 100);
      const { status, body } = await post(service.url, { model: 'damaged' });
      expect(status).toBe(200);
      expect(transcription.parse(body)).toMatchObject({
        text: '',
        engine: null,
        degraded: [{ reason: 'engine_failed' }],
      });
      rmSync(damaged, { recursive: true });
    });

    it('that lacks a file is told by health and is not taken', async () => {
      mkdirSync(join(home, 'models', 'half'));
      writeFileSync(join(home, 'models', 'half', 'small-encoder.onnx'), '');
      const health = await (await fetch(`${service.url}/health`)).json();
      expect(JSON.stringify(health)).toContain('half lacks decoder.onnx, tokens.txt');
      const { status, body } = await post(service.url, { model: 'half' });
      expect([status, (body as { error: { code: string } }).error.code]).toEqual([404, 'model_not_found']);
      rmSync(join(home, 'models', 'half'), { recursive: true });
    });
  },
);

describeEngine('pocketsphinx', isPocketsphinxInstalled() ? undefined : 'not installed', () => {
  let service: RunningModelService;
  beforeAll(async () => {
    service = await startModelService(speechService, {}, join(home, 'empty'));
  });
  afterAll(() => service?.close());

  it('is asked where English is named, and its text is called a hint', async () => {
    const { body } = await post(service.url, { language: 'en' });
    expect(transcription.parse(body)).toMatchObject({
      engine: { model: 'pocketsphinx-en-us', backend: 'pocketsphinx' },
      degraded: [{ reason: 'low_confidence' }],
    });
  });

  it.each([{ language: 'ro' }, { language: 'ro', model: 'pocketsphinx-en-us' }, {}])(
    'is not asked for %j',
    async (fields) => {
      const { status, body } = await post(service.url, fields);
      expect(status).toBe(200);
      expect(transcription.parse(body)).toMatchObject({
        text: '',
        engine: null,
        degraded: [{ reason: 'language_unknown' }],
      });
    },
  );
});
