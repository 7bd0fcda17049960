import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embeddings } from '../../../../src/services/embeddings/contract.ts';
import { startUpstreamServer, TOLD_AS } from '../../../foundation/model-service/upstream-server.ts';
import { type RunningEmbeddings, startEmbeddings } from '../running-embeddings.ts';

const LISTED = {
  status: 200,
  body: { object: 'list', data: [{ id: 'bge-m3', object: 'model', created: 7, owned_by: 'lab' }] },
};

let upstream: Awaited<ReturnType<typeof startUpstreamServer>>;
let service: RunningEmbeddings;
beforeAll(async () => {
  upstream = await startUpstreamServer(LISTED);
  service = await startEmbeddings({
    EMBEDDINGS_UPSTREAM_URL: upstream.url,
    EMBEDDINGS_UPSTREAM_API_KEY: 'key',
  });
});
afterAll(async () => {
  await service.close();
  upstream.close();
});
beforeEach(() => upstream.reset());

const vectors = (...rows: (number[] | string)[]) => ({
  status: 200,
  body: {
    object: 'list',
    data: rows.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'bge-m3',
    usage: { prompt_tokens: 5, total_tokens: 5 },
  },
});
const bodySchema = z.looseObject({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()) })).default([]),
  error: z.object({ code: z.string() }).default({ code: '' }),
});
const ask = async (more: object = {}) => {
  const response = await service.post({ model: 'bge-m3', input: ['a', 'b'], ...more });
  return {
    status: response.status,
    headers: response.headers,
    body: bodySchema.parse(await response.json()),
  };
};

describe('an upstream server', () => {
  it('gets the models that are not packaged, with its key', async () => {
    upstream.state.reply = vectors([3, 4], Buffer.from(new Float32Array([0.5, 1]).buffer).toString('base64'));
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      model: 'bge-m3',
      data: [
        { index: 0, embedding: [3, 4] },
        { index: 1, embedding: [0.5, 1] },
      ],
      usage: { total_tokens: 5 },
    });
    expect(upstream.state.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: 'Bearer key',
      body: { model: 'bge-m3', input: ['a', 'b'] },
    });
  });

  it('sorts vectors that come in another order, and cuts them when it did not', async () => {
    const { body } = vectors([3, 4], [1, 0]);
    upstream.state.reply = { status: 200, body: { ...body, data: body.data.toReversed() } };
    const answer = await ask({ dimensions: 1 });
    expect(upstream.state.requests[0]?.body.dimensions).toBe(1);
    expect(answer.body.data.map(({ embedding }) => embedding)).toEqual([[1], [1]]);
  });

  it('leaves the packaged model to this process', async () => {
    const response = await service.post({ model: 'limpede-encoder-1', input: 'a' });
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
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    expect(JSON.stringify(answer.body)).not.toContain('its own words');
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('7');
  });

  it.each([
    ['too few vectors', vectors([1, 0])],
    ['something else', { status: 200, body: { data: 'no' } }],
  ])('is not trusted with %s', async (_name, given) => {
    upstream.state.reply = given;
    const answer = await ask();
    expect([answer.status, answer.body.error.code]).toEqual([502, 'backend_failed']);
  });

  it('shows its models beside our own', async () => {
    const get = async (path: string) => (await fetch(service.url + path)).json();
    const { data } = embeddings.operations.models.answer.parse(await get('/v1/models'));
    expect(data.map(({ id, backend }) => [id, backend])).toEqual([
      ['limpede-encoder-1', 'packaged'],
      ['bge-m3', 'upstream'],
    ]);
    expect(await get('/v1/backends')).toEqual({ backends: ['packaged', 'onnx', 'upstream'] });
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
