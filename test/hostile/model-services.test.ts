import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AnyService } from '../../src/foundation/service.ts';
import { embeddingsService } from '../../src/services/embeddings/service.ts';
import { rerankingService } from '../../src/services/reranking/service.ts';
import { videoService } from '../../src/services/video/service.ts';
import { visionService } from '../../src/services/vision/service.ts';
import { type RunningModelService, startModelService } from '../foundation/model-service/running.ts';
import { describeWithFfmpeg } from '../media/ffmpeg.ts';
import { until } from '../patience.ts';

const as = (user: string) => ({ 'x-caller-share': user });
const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

async function start(service: AnyService, settings: Record<string, string>, home?: string) {
  const started = await startModelService(service, settings, home);
  running.push(started);
  return started;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that reads whole requests before it hears of them. */
async function serve(listener: Listener): Promise<string> {
  const server = createServer(async (request, response) => {
    await request.resume().toArray();
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Lets the requests of the first user that it meets wait, and answers all others. */
function hangFirstUser(answer: (response: ServerResponse) => void) {
  const hanging: ServerResponse[] = [];
  let first: string | undefined;
  const listener: Listener = (request, response) => {
    const share = String(request.headers['x-caller-share']);
    first ??= share;
    if (share === first) hanging.push(response);
    else answer(response);
  };
  return { hanging, listener };
}

const LONG = 'The council voted on the budget of the next year after a long debate. '.repeat(60);

describe('a flood of one user', () => {
  it.each([
    {
      service: embeddingsService,
      path: '/v1/embeddings',
      settings: { EMBEDDINGS_CALLER_SHARE: '2', EMBEDDINGS_CACHE_ENTRIES: '0' },
      body: (words: string) => ({ model: 'limpede-encoder-1', input: [words, LONG, LONG, LONG] }),
    },
    {
      service: rerankingService,
      path: '/v1/rerank',
      settings: { RERANKING_CALLER_SHARE: '2' },
      body: (words: string) => ({ query: words, documents: [LONG, LONG, LONG, LONG] }),
    },
    {
      service: rerankingService,
      path: '/v2/rerank',
      settings: { RERANKING_CALLER_SHARE: '2' },
      body: (words: string) => ({ query: words, documents: [LONG, LONG, LONG, LONG] }),
    },
  ])('at $path leaves others their turns', async ({ service, path, settings, body }) => {
    const { post } = await start(service, settings);
    const flood = Array.from({ length: 12 }, (_, index) => post(path, body(`Tax ${index}`), as('hog')));
    const good = await post(path, body('Tax'), as('ana'));
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(good.status).toBe(200);
    expect(statuses).toContain(429);
    expect((await post(path, body('Tax'), as('hog'))).status).toBe(200);
  });

  it('with the name of another user takes no turn of those who come with another token', async () => {
    const settings = { EMBEDDINGS_CALLER_SHARE: '1', EMBEDDINGS_API_TOKENS: 'one,two' };
    const { post } = await start(embeddingsService, settings);
    const body = { model: 'limpede-encoder-1', input: Array(8).fill(LONG) };
    const call = (token: string, input: object) =>
      post('/v1/embeddings', input, { ...as('ana'), authorization: `Bearer ${token}` });
    const flood = Array.from({ length: 6 }, () => call('one', body));
    const good = await call('two', { ...body, input: 'Tax' });
    expect((await Promise.all(flood)).map(({ status }) => status)).toContain(429);
    expect(good.status).toBe(200);
  });
});

describe('pictures in chats', () => {
  let picture: string;
  beforeAll(async () => {
    const create = { width: 32, height: 24, channels: 3, background: 'teal' } as const;
    picture = `data:image/png;base64,${(await sharp({ create }).png().toBuffer()).toString('base64')}`;
  });
  const asking = (stream: boolean) => ({
    stream,
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] }],
  });
  const notFound = (response: ServerResponse) => void response.writeHead(404).end('{}');

  it('of one user whose pictures take for ever leave a place for others', async () => {
    const { hanging, listener } = hangFirstUser(notFound);
    const { url } = await start(visionService, {
      FORENSIC_URL: await serve(listener),
      EXTRACTORS_URL: 'none',
      VISION_AT_ONCE: '2',
    });
    const leaving = new AbortController();
    const post = (user: string, signal: AbortSignal | null = null) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as(user) },
        body: JSON.stringify(asking(false)),
        signal,
      });
    const hog = Array.from({ length: 3 }, () => post('hog', leaving.signal).catch(() => undefined));
    await until(() => hanging.length >= 1);
    expect((await post('ana')).status).toBe(200);
    leaving.abort();
    await Promise.all(hog);
  });

  it('whose reader leaves while they are looked at give their place back', async () => {
    const met: ServerResponse[] = [];
    let isSlow = true;
    const forensic = await serve((_request, response) => {
      met.push(response);
      if (!isSlow) notFound(response);
    });
    const service: RunningModelService = await start(visionService, {
      FORENSIC_URL: forensic,
      EXTRACTORS_URL: 'none',
      VISION_AT_ONCE: '1',
    });
    const leaving = new AbortController();
    const left = fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asking(true)),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await until(() => met.length === 1);
    leaving.abort();
    expect(await left).toBe('AbortError');
    isSlow = false;
    expect((await service.post('/v1/chat/completions', asking(false))).status).toBe(200);
  });
});

describeWithFfmpeg('videos', () => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-hostile-videos-'));
  let film: Buffer;
  beforeAll(() => {
    const path = join(home, 'film.mp4');
    const source = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=96x64:r=10', '-pix_fmt', 'yuv420p'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...source, path]);
    film = readFileSync(path);
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('of one user at whom a model looks for ever leave a place for others', async () => {
    const answer = (response: ServerResponse) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ model: 'seer', choices: [{ message: { content: 'A test card.' } }] }));
    const { hanging, listener } = hangFirstUser(answer);
    const vision = await serve(listener);
    const settings = { VISION_URL: vision, VIDEO_VISION_MODEL: 'seer', VIDEO_RUNNING: '2', LLM_URL: 'none' };
    const service = await start(videoService, settings, home);
    const leaving = new AbortController();
    const describeAs = (user: string, signal: AbortSignal | null = null) => {
      const body = new FormData();
      body.set('file', new Blob([new Uint8Array(film)]), 'film.mp4');
      return fetch(`${service.url}/analyze/video/semantic`, {
        method: 'POST',
        headers: as(user),
        body,
        signal,
      });
    };
    const hog = Array.from({ length: 3 }, () => describeAs('hog', leaving.signal).catch(() => undefined));
    await until(() => hanging.length >= 1);
    expect((await describeAs('ana')).status).toBe(200);
    leaving.abort();
    await Promise.all(hog);
  });
});
