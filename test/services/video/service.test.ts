import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import type { extractors } from '../../../src/services/extractors/contract.ts';
import type { DeepfakeAnswer, SemanticAnswer } from '../../../src/services/video/contract.ts';
import { videoService } from '../../../src/services/video/service.ts';
import { filesBelow } from '../../files-below.ts';
import { type RunningModelService, startModelService } from '../../foundation/model-service/running.ts';
import { describeWithFfmpeg } from '../../media/ffmpeg.ts';
import { type Asked, picturesOf, startChat } from './chat-server.ts';

/** What the extractors say of a film that a model has made and signed. */
const SIGNED: z.input<typeof extractors.operations.metadata.answer> = {
  request_id: '8f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
  media_type: 'video',
  mime_type: 'video/mp4',
  size_bytes: 1,
  sha256: 'a'.repeat(64),
  facts: null,
  exif: {},
  xmp: {},
  iptc: {},
  text: {},
  has_location: false,
  location: null,
  container: null,
  c2pa: {
    state: 'valid',
    reason: null,
    trusted: null,
    content: 'unchanged',
    ai_origin: 'generated',
    digital_source_types: ['trainedAlgorithmicMedia'],
    remote_url: null,
    active: 'one',
    manifests: [],
    failures: [],
  },
  pictures: [],
  degraded: [],
  extraction_time_ms: 1,
};

/** Extractors that say this of every file whose bytes they have read to the end. */
async function startExtractors(): Promise<Server> {
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(SIGNED));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describeWithFfmpeg('videos', () => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-video-service-'));
  let vision: Awaited<ReturnType<typeof startChat>>;
  let gateway: Awaited<ReturnType<typeof startChat>>;
  let service: RunningModelService;
  let alone: RunningModelService;
  let signing: RunningModelService;
  let origins: Server;
  let film: Buffer;
  let sound: Buffer;
  beforeAll(async () => {
    const make = (name: string, ...args: string[]) => {
      const path = join(home, name);
      execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', ...args, path]);
      return readFileSync(path);
    };
    film = make('film.mp4', 'testsrc=d=12:s=320x240:r=10', '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
    sound = make('sound.wav', 'sine=d=1');
    [vision, gateway] = await Promise.all([startChat('qwen-vl'), startChat('merger')]);
    const common = { VIDEO_MAX_SECONDS: '20', VIDEO_MAX_FILE_BYTES: '3000000' };
    const set = { ...common, VISION_URL: vision.url, LLM_URL: gateway.url };
    service = await startModelService(videoService, set, home);
    origins = await startExtractors();
    const extractorsUrl = `http://127.0.0.1:${(origins.address() as AddressInfo).port}`;
    signing = await startModelService(videoService, { ...set, EXTRACTORS_URL: extractorsUrl }, home);
    alone = await startModelService(videoService, { ...common, VISION_URL: 'none' }, home);
  });
  beforeEach(() => {
    vision.state.asked.length = 0;
    gateway.state.asked.length = 0;
    vision.state.model = 'qwen-vl';
    gateway.state.model = 'merger';
    vision.state.answer = ({ response_format: form }) =>
      form === undefined
        ? [200, 'A test card with moving numbers.']
        : [200, '{"score":0.8,"reasons":["The edge swims."],"frames":[2,99],"visible_text":""}'];
    gateway.state.answer = () => [200, 'A test card.'];
  });
  afterAll(async () => {
    await Promise.all([service.close(), alone.close(), signing.close()]);
    origins.close();
    vision.close();
    gateway.close();
    rmSync(home, { recursive: true });
  });
  const post = async (
    path: string,
    file: Buffer | undefined,
    fields: Record<string, string> = {},
    url = service.url,
  ) => {
    const form = new FormData();
    if (file !== undefined) form.append('file', new Blob([new Uint8Array(file)]), 'a.mp4');
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return fetch(url + path, { method: 'POST', body: form });
  };

  it('are judged by 16 frames at their true times', async () => {
    const response = await post('/analyze/video', film);
    expect(response.status).toBe(200);
    const answer = (await response.json()) as DeepfakeAnswer;
    expect(answer).toMatchObject({
      verdict: 'UNCERTAIN',
      frames_analyzed: 16,
      usage: { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 },
      meta: { fps: 10, total_frames: 120, duration_s: 12, sampled: 16 },
      evidence_grade: 'C',
    });
    expect(answer.meta.indices).toHaveLength(16);
    answer.meta.timestamps_s.forEach((time, place) => {
      expect(time).toBeCloseTo((answer.meta.indices[place] ?? 0) / 10, 2);
    });
    // The second frame of each of both requests.
    const [second, tenth] = [1, 9].map((place) => answer.meta.indices[place]);
    expect(answer.evidence.map(({ frame_index: index }) => index)).toEqual([second, tenth]);
    expect(answer.explanation).toContain('The edge swims.');
    expect(vision.state.asked.map((question) => picturesOf(question).length)).toEqual([8, 8]);
    expect(picturesOf(vision.state.asked[0] as Asked)[0]).toMatch(/^data:image\/jpeg;base64,\/9j\//);
    const run = join(home, answer.run_dir);
    expect(readdirSync(join(run, 'frames'))).toHaveLength(16);
    expect(JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')).request_id).toBe(answer.request_id);
  });

  it('are fake when their signed history says that a model made them', async () => {
    vision.state.answer = () => [200, '{"score":0}'];
    const answer = await (await post('/analyze/video', film, {}, signing.url)).json();
    expect(answer).toMatchObject({ verdict: 'FAKE', evidence_grade: 'A', probability: 0.9, evidence: [] });
  });

  it('are not judged by a model that only describes', async () => {
    vision.state.model = 'limpede-vision-1';
    const answer = (await (await post('/analyze/video', film)).json()) as DeepfakeAnswer;
    expect(answer).toMatchObject({
      verdict: 'UNCERTAIN',
      frames_analyzed: 0,
      evidence: [],
      evidence_grade: 'D',
    });
    expect(vision.state.asked).toEqual([]);
  });

  it('are described part by part, and as a whole', async () => {
    const fields = { chunk_duration_s: '5', frames_per_chunk: '4' };
    const response = await post('/analyze/video/semantic', film, fields);
    expect(response.status).toBe(200);
    const answer = (await response.json()) as SemanticAnswer;
    expect(answer).toMatchObject({
      analysis_type: 'semantic',
      num_chunks: 3,
      video_duration_s: 12,
      final_summary: 'A test card.',
      degraded: [],
      meta: { chunk_duration_s: 5, frames_per_chunk: 4, total_frames_sampled: 12 },
    });
    const ranges = answer.chunk_results.map(({ time_range: range }) => range);
    expect(ranges).toEqual(['0.0-5.0', '5.0-10.0', '10.0-12.0']);
    expect(answer.chunk_results[0]).toMatchObject({
      chunk_idx: 0,
      frames_analyzed: 4,
      description: 'A test card with moving numbers.',
    });
    expect(JSON.stringify(gateway.state.asked)).toContain('[5.0-10.0 s] A test card with moving numbers.');
  });

  it('are described by the middle of each group of frames where only our describer stands', async () => {
    vision.state.model = 'limpede-describe-1';
    const fields = { chunk_duration_s: '20', frames_per_chunk: '12', enable_aggregation: 'false' };
    const answer = (await (await post('/analyze/video/semantic', film, fields)).json()) as SemanticAnswer;
    expect(answer.meta.total_frames_sampled).toBe(12);
    expect(answer.chunk_results).toMatchObject([{ frames_analyzed: 2 }]);
    expect(vision.state.asked.map((asked) => picturesOf(asked).length)).toEqual([1, 1]);
  });

  it.each<[string, Record<string, string>, () => void, object]>([
    [
      'aggregation is off',
      { enable_aggregation: 'false' },
      () => undefined,
      { final_summary: null, aggregation_time_s: null, degraded: [] },
    ],
    [
      'the gateway fails',
      {},
      () => {
        gateway.state.answer = () => [500, ''];
      },
      { final_summary: null, degraded: [{ dependency: 'llm', reason: 'unavailable' }] },
    ],
    [
      'the gateway has no model',
      {},
      () => {
        gateway.state.model = '';
      },
      { final_summary: null, degraded: [{ dependency: 'llm', reason: 'unavailable' }] },
    ],
  ])('have no summary when %s', async (_name, fields, prepare, expected) => {
    prepare();
    const short = { chunk_duration_s: '60', frames_per_chunk: '4', ...fields };
    const answer = await (await post('/analyze/video/semantic', film, short)).json();
    expect(answer).toMatchObject(expected);
  });

  it.each<[string, string, () => Buffer | undefined, Record<string, string>]>([
    ['no file', '/analyze/video', () => undefined, {}],
    ['noise', '/analyze/video', () => Buffer.from('noise'), {}],
    ['a sound', '/analyze/video', () => sound, {}],
    ['half a film', '/analyze/video/semantic', () => film.subarray(0, film.length / 2), {}],
    ['parts that are too short', '/analyze/video/semantic', () => film, { chunk_duration_s: '0.5' }],
    ['too many frames', '/analyze/video/semantic', () => film, { frames_per_chunk: '65' }],
    ['a switch that is none', '/analyze/video/semantic', () => film, { enable_aggregation: 'perhaps' }],
  ])('are refused with 400, with and without a vision server: %s', async (_name, path, file, fields) => {
    for (const { url } of [service, alone]) {
      const response = await post(path, file(), fields, url);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ detail: expect.stringMatching(/\w/) });
    }
  });

  it.each<[string, [number, string]]>([
    ['fails', [500, '']],
    ['answers something else', [200, 'I cannot tell.']],
  ])('are answered with 500 when the vision server %s, and nothing is kept', async (_name, answer) => {
    const before = readdirSync(join(home, 'video', 'runs'));
    vision.state.answer = () => answer;
    const response = await post('/analyze/video', film);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ detail: expect.stringContaining('vision model server') });
    expect(readdirSync(join(home, 'video', 'runs'))).toEqual(before);
  });

  it.each(['/analyze/video', '/analyze/video/semantic'])(
    'are answered with 500 when no vision server is set: %s',
    async (path) => {
      const before = readdirSync(join(home, 'video', 'runs'));
      const response = await post(path, film, {}, alone.url);
      expect([response.status, await response.json()]).toEqual([
        500,
        { detail: 'VISION_URL is not set: there is no vision model server to ask.' },
      ]);
      expect(readdirSync(join(home, 'video', 'runs'))).toEqual(before);
    },
  );

  it('tell their health in their own form', async () => {
    gateway.state.model = '';
    expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({
      status: 'ok',
      checks: {
        decoder: { status: 'healthy' },
        vision: { status: 'healthy' },
        vision_model: { status: 'healthy' },
        // Having no model is no failure of a gateway.
        llm: { status: 'healthy' },
      },
    });
    expect(await (await fetch(`${alone.url}/health`)).json()).toMatchObject({
      status: 'ok',
      checks: { vision: { status: 'unknown' } },
    });
  });

  it('say that there is no vision model where only our describer stands', async () => {
    vision.state.model = 'limpede-describe-1';
    expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({
      status: 'ok',
      checks: {
        vision: { status: 'healthy' },
        vision_model: { status: 'unknown', error: expect.stringMatching(/no vision model is set up/) },
      },
    });
  });

  it('leave no upload behind', () => {
    expect(filesBelow(join(home, 'temporary'))).toEqual([]);
  });
});
