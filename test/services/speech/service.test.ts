import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { transcription, verboseTranscription } from '../../../src/services/speech/contract.ts';
import { wavOf } from '../../../src/services/speech/pieces.ts';
import { speechService } from '../../../src/services/speech/service.ts';
import { filesBelow } from '../../files-below.ts';
import { type RunningModelService, startModelService } from '../../foundation/model-service/running.ts';
import { describeWithFfmpeg } from '../../media/ffmpeg.ts';
import { noise, recordingOf, voiceLike } from '../../media/recording/voices.ts';

interface Heard {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly fields: FormData;
}

/** A transcription server that answers what a test says. */
async function startUpstream() {
  const state = { heard: [] as Heard[], answer: (_fields: FormData): [number, unknown] => [200, {}] };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const type = request.headers['content-type'] ?? '';
    const path = request.url ?? '';
    const fields = type.startsWith('multipart')
      ? await new Response(Buffer.concat(parts), { headers: { 'content-type': type } }).formData()
      : new FormData();
    if (path === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ id: 'large', created: 1, owned_by: 'me' }] }));
      return;
    }
    state.heard.push({ path, headers: request.headers, fields });
    const [status, body] = state.answer(fields);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const whole = (samples: Float32Array) => {
  const sound = recordingOf(samples);
  return wavOf(sound, { startSec: 0, endSec: samples.length / sound.rate });
};
/** Two voices with a pause of ten seconds between them. */
const SPOKEN = whole(
  recordingOf(noise(1, 0.002), voiceLike(2), noise(10, 0.002), voiceLike(2), noise(1, 0.002)).samples,
);
const NOISE = whole(noise(2, 0.1));

describeWithFfmpeg('transcriptions', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let service: RunningModelService;
  let alone: RunningModelService;
  let client: OpenAI;
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'limpede-speech-'));
    upstream = await startUpstream();
    service = await startModelService(
      speechService,
      {
        SPEECH_API_TOKENS: 'secret',
        SPEECH_UPSTREAM_URL: upstream.url,
        SPEECH_UPSTREAM_API_KEY: 'key',
        SPEECH_POCKETSPHINX: 'false',
        SPEECH_MAX_SECONDS: '60',
        SPEECH_MAX_FILE_BYTES: '3000000',
      },
      home,
    );
    alone = await startModelService(speechService, { SPEECH_POCKETSPHINX: 'false' }, home);
    client = new OpenAI({ apiKey: 'secret', baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  beforeEach(() => {
    upstream.state.heard.length = 0;
    upstream.state.answer = (fields) => {
      const place = upstream.state.heard.length;
      const words = fields.getAll('timestamp_granularities[]').includes('word');
      return [
        200,
        {
          text: place === 1 ? 'Apa este limpede.' : 'Vine ploaia peste câmpuri.',
          language: 'romanian',
          segments: [
            { id: 0, start: 0.2, end: 1.8, text: ' Apa.', avg_logprob: -0.25, no_speech_prob: 0.01 },
          ],
          ...(words && { words: [{ word: 'Apa', start: 0.2, end: 0.7 }] }),
        },
      ];
    };
  });
  afterAll(async () => {
    await Promise.all([service.close(), alone.close()]);
    upstream.close();
    await rm(home, { recursive: true });
  });
  const post = async (url: string, file: Buffer, fields: Record<string, string> = {}) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(file)]), 'a.wav');
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const headers = { authorization: 'Bearer secret' };
    return fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body: form, headers });
  };

  it('reach the official client, with the times of words', async () => {
    const answer = await client.audio.transcriptions.create({
      file: await toFile(SPOKEN, 'a.wav'),
      model: 'large',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      language: 'ro',
      prompt: 'ploaie',
      temperature: 0,
    });
    expect(answer.text).toBe('Apa este limpede. Vine ploaia peste câmpuri.');
    expect(answer.language).toBe('ro');
    expect(answer.duration).toBeCloseTo(16, 1);
    expect(answer.segments).toHaveLength(2);
    // The second voice begins at 13 s.
    expect(answer.segments?.[1]?.start).toBeGreaterThan(12.5);
    expect(answer.words?.[1]?.start).toBeGreaterThan(12.5);
    expect(verboseTranscription.safeParse(answer).error).toBeUndefined();
    const [first] = upstream.state.heard;
    expect(upstream.state.heard).toHaveLength(2);
    expect(first?.path).toBe('/v1/audio/transcriptions');
    expect(first?.headers.authorization).toBe('Bearer key');
    expect(Object.fromEntries([...(first?.fields ?? [])].filter(([name]) => name !== 'file'))).toMatchObject({
      model: 'large',
      language: 'ro',
      prompt: 'ploaie',
      temperature: '0',
      response_format: 'verbose_json',
    });
    const sent = first?.fields.get('file') as File;
    expect(Buffer.from(await sent.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
    expect(sent.size).toBeLessThan(200_000);
  });

  it('reach the official client as subtitles and text', async () => {
    const file = await toFile(SPOKEN, 'a.wav');
    const vtt = await client.audio.transcriptions.create({ file, model: 'large', response_format: 'vtt' });
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
    upstream.state.heard.length = 0;
    const text = await client.audio.transcriptions.create({ file, model: 'large', response_format: 'text' });
    expect(text).toBe('Apa este limpede. Vine ploaia peste câmpuri.\n');
  });

  it('name the language of the text when the engine names none', async () => {
    upstream.state.answer = () => [200, { text: 'Ministerul a publicat astăzi un raport despre drumuri.' }];
    const answer = transcription.parse(await (await post(service.url, SPOKEN)).json());
    expect(answer.language).toBe('ro');
    expect(answer.degraded.map((one) => one.reason)).toEqual(['no_segments']);
  });

  it('ask a server that gives no times without them', async () => {
    upstream.state.answer = (fields) =>
      fields.get('response_format') === 'json' ? [200, { text: 'Words.' }] : [400, { error: 'no' }];
    const answer = transcription.parse(await (await post(service.url, SPOKEN)).json());
    expect(answer.text).toBe('Words. Words.');
  });

  it.each([500, 401, 429])('are empty and say so when the server answers %i', async (status) => {
    upstream.state.answer = () => [status, {}];
    const response = await post(service.url, SPOKEN, { model: 'large' });
    expect(response.status).toBe(200);
    expect(transcription.parse(await response.json())).toMatchObject({
      text: '',
      language: 'und',
      engine: null,
      degraded: [{ reason: 'engine_failed' }],
    });
  });

  it('are empty and say so when there is no engine, whatever model is named', async () => {
    const response = await post(alone.url, SPOKEN, { model: 'whisper-1', response_format: 'verbose_json' });
    expect(response.status).toBe(200);
    const answer = verboseTranscription.parse(await response.json());
    expect(answer).toMatchObject({
      text: '',
      language: 'und',
      segments: [],
      degraded: [{ reason: 'no_engine' }],
    });
    expect(answer.voice.voiced_seconds).toBeGreaterThan(2);
    expect(await (await post(alone.url, SPOKEN, { response_format: 'srt' })).text()).toBe('');
  });

  it('ask no engine where nobody speaks', async () => {
    const answer = transcription.parse(await (await post(service.url, NOISE)).json());
    expect(answer).toMatchObject({ text: '', language: 'und', degraded: [], voice: { voiced_seconds: 0 } });
    expect(upstream.state.heard).toEqual([]);
  });

  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ['noise in place of a file', Buffer.from('noise'), {}, 400, 'broken_media'],
    ['a recording that is too long', whole(noise(61, 0.01)), {}, 400, 'media_too_long'],
    ['a file that is too large', Buffer.alloc(3_100_000), {}, 413, 'payload_too_large'],
    ['an unknown format', SPOKEN, { response_format: 'docx' }, 422, 'validation_failed'],
    ['a language that is none', SPOKEN, { language: 'Romanian!' }, 422, 'validation_failed'],
    ['a temperature out of range', SPOKEN, { temperature: '3' }, 422, 'validation_failed'],
  ])('refuse %s', async (_name, file, fields, status, code) => {
    const response = await post(service.url, file, fields);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('want a token, list models and tell how the engines are', async () => {
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${service.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['large']);
    expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({
      status: 'healthy',
      backends: [
        { name: 'recordings', healthy: true },
        { name: 'upstream', healthy: true },
        { name: 'pocketsphinx', healthy: false, message: 'switched off' },
        { name: 'sherpa', healthy: true },
      ],
    });
    expect(await (await fetch(`${alone.url}/health`)).json()).toMatchObject({ status: 'healthy' });
    expect(await (await fetch(`${alone.url}/v1/models`)).json()).toEqual({ object: 'list', data: [] });
  });

  it('leave no file behind', () => {
    expect(filesBelow(join(home, 'temporary'))).toEqual([]);
  });
});
