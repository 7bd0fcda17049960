import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reranking } from '../../../../src/services/reranking/contract.ts';
import { type RunningReranking, startReranking } from '../running-reranking.ts';

interface Request {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

let requests: Request[] = [];
let reply: { status: number; body: unknown; headers?: Record<string, string> };
let models: { status: number; body: unknown };
const listed = {
  object: 'list',
  data: [{ id: 'bge-reranker', object: 'model', created: 7, owned_by: 'lab' }],
};
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  requests.push({
    path: request.url ?? '',
    authorization: request.headers.authorization,
    body: text === '' ? {} : JSON.parse(text),
  });
  const answer = request.url === '/v1/models' ? models : reply;
  response.writeHead(answer.status, { 'content-type': 'application/json', ...reply.headers });
  response.end(JSON.stringify(answer.body));
});

let service: RunningReranking;
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  service = await startReranking({ RERANKING_UPSTREAM_URL: url, RERANKING_UPSTREAM_API_KEY: 'key' });
});
afterAll(async () => {
  await service.close();
  server.close();
});
beforeEach(() => {
  requests = [];
  reply = { status: 200, body: {} };
  models = { status: 200, body: listed };
});

const ranking = (...scores: number[]) => ({
  status: 200,
  body: {
    results: scores.map((score, index) => ({ index, relevance_score: score })),
    usage: { total_tokens: 5 },
  },
});
const bodySchema = z.looseObject({
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })).default([]),
  error: z.object({ code: z.string() }).default({ code: '' }),
});
async function ask(more: object = {}, of = service) {
  const response = await of.post({ model: 'bge-reranker', query: 'q', documents: ['a', 'b', 'c'], ...more });
  const body = bodySchema.parse(await response.json());
  return { status: response.status, headers: response.headers, body };
}

describe('an upstream server', () => {
  it('ranks for the models that are not packaged, with its key', async () => {
    reply = ranking(0.2, 0.9, 0.5);
    const { status, body } = await ask({ top_n: 2, return_documents: true, max_chunks_per_doc: 4 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      model: 'bge-reranker',
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 2, relevance_score: 0.5 },
      ],
      usage: { total_tokens: 5 },
    });
    expect(requests[0]).toMatchObject({
      path: '/v1/rerank',
      authorization: 'Bearer key',
      body: {
        model: 'bge-reranker',
        query: 'q',
        documents: ['a', 'b', 'c'],
        top_n: 3,
        max_chunks_per_doc: 4,
      },
    });
  });

  it('may answer as Cohere does, with its tokens in meta', async () => {
    const { body } = ranking(0.1, 0.2, 0.3);
    reply = { status: 200, body: { results: body.results, meta: { tokens: { input_tokens: 9 } } } };
    expect((await ask()).body).toMatchObject({ usage: { total_tokens: 9 } });
    expect(Object.keys(requests[0]?.body ?? {})).not.toContain('max_chunks_per_doc');
  });

  it('may answer log-odds where that is said, and only there', async () => {
    reply = ranking(-3, 4, 0);
    expect((await ask()).body.error.code).toBe('backend_failed');
    const llama = await startReranking({ RERANKING_UPSTREAM_URL: url, RERANKING_UPSTREAM_SCORES: 'logit' });
    const { results } = (await ask({}, llama)).body;
    expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(results[1]?.relevance_score).toBe(0.5);
    await llama.close();
  });

  it('leaves the packaged model to this process', async () => {
    const response = await service.post({ model: 'limpede-reranker-1', query: 'a', documents: ['a'] });
    expect(response.status).toBe(200);
    expect(requests).toEqual([]);
  });

  it.each([
    [429, 429, 'upstream_rate_limited'],
    [404, 404, 'model_not_found'],
    [400, 400, 'request_refused'],
    [401, 502, 'backend_failed'],
    [500, 503, 'backend_unavailable'],
  ])('turns its status %d into %d', async (given, status, code) => {
    reply = { status: given, body: { error: 'its own words' }, headers: { 'retry-after': '7' } };
    const answer = await ask();
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain('its own words');
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('7');
  });

  it.each([
    ['too few documents', ranking(0.1, 0.2)],
    ['scores out of range', ranking(0.1, 0.2, 1.5)],
    ['something else', { status: 200, body: { results: 'no' } }],
  ])('is not trusted with %s', async (_name, given) => {
    reply = given;
    const answer = await ask();
    expect([answer.status, answer.body.error.code]).toEqual([502, 'backend_failed']);
  });

  it('shows its models beside our own, and is well without a list of them', async () => {
    const get = async (path: string) => (await fetch(service.url + path)).json();
    const { data } = reranking.operations.models.answer.parse(await get('/v1/models'));
    expect(data.map(({ id, backend }) => [id, backend])).toEqual([
      ['limpede-reranker-1', 'packaged'],
      ['bge-reranker', 'upstream'],
    ]);
    expect(await get('/v1/backends')).toEqual({ backends: ['packaged', 'onnx', 'upstream'] });
    models = { status: 404, body: {} };
    expect(await get('/health')).toMatchObject({ status: 'healthy' });
  });
});
