import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reranking } from '../../../../src/services/reranking/contract.ts';
import { startUpstreamServer, TOLD_AS } from '../../../foundation/model-service/upstream-server.ts';
import { type RunningReranking, startReranking } from '../running-reranking.ts';

const LISTED = {
  status: 200,
  body: { object: 'list', data: [{ id: 'bge-reranker', object: 'model', created: 7, owned_by: 'lab' }] },
};

let upstream: Awaited<ReturnType<typeof startUpstreamServer>>;
let service: RunningReranking;
beforeAll(async () => {
  upstream = await startUpstreamServer(LISTED);
  service = await startReranking({ RERANKING_UPSTREAM_URL: upstream.url, RERANKING_UPSTREAM_API_KEY: 'key' });
});
afterAll(async () => {
  await service.close();
  upstream.close();
});
beforeEach(() => upstream.reset());

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
    upstream.state.reply = ranking(0.2, 0.9, 0.5);
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
    expect(upstream.state.requests[0]).toMatchObject({
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
    upstream.state.reply = {
      status: 200,
      body: { results: body.results, meta: { tokens: { input_tokens: 9 } } },
    };
    expect((await ask()).body).toMatchObject({ usage: { total_tokens: 9 } });
    expect(Object.keys(upstream.state.requests[0]?.body ?? {})).not.toContain('max_chunks_per_doc');
  });

  it('may answer log-odds where that is said, and only there', async () => {
    upstream.state.reply = ranking(-3, 4, 0);
    expect((await ask()).body.error.code).toBe('backend_failed');
    const llama = await startReranking({
      RERANKING_UPSTREAM_URL: upstream.url,
      RERANKING_UPSTREAM_SCORES: 'logit',
    });
    const { results } = (await ask({}, llama)).body;
    expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(results[1]?.relevance_score).toBe(0.5);
    await llama.close();
  });

  it('leaves the packaged model to this process', async () => {
    const response = await service.post({ model: 'limpede-reranker-1', query: 'a', documents: ['a'] });
    expect(response.status).toBe(200);
    expect(upstream.state.requests).toEqual([]);
  });

  it.each(TOLD_AS)('turns its status %d into %d', async (given, status, code) => {
    upstream.state.reply = {
      status: given,
      body: { error: 'its own words' },
      headers: { 'retry-after': '7' },
    };
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
    upstream.state.reply = given;
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
    upstream.state.models = { status: 404, body: {} };
    expect(await get('/health')).toMatchObject({ status: 'healthy' });
  });

  it('is what health names while it is lost', async () => {
    upstream.state.models = { status: 500, body: {} };
    const { status, backends } = (await (await fetch(`${service.url}/health`)).json()) as {
      status: string;
      backends: { name: string; healthy: boolean }[];
    };
    expect(status).toBe('degraded');
    expect(backends.filter(({ healthy }) => !healthy)).toMatchObject([{ name: 'upstream' }]);
  });
});
