import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embeddings } from '../../../src/services/embeddings/contract.ts';
import { fromBase64 } from '../../../src/services/embeddings/vectors.ts';
import { type RunningEmbeddings, startEmbeddings } from './running-embeddings.ts';

const MODEL = 'limpede-encoder-1';
const ENGLISH = 'The government raised the price of petrol.';
const ROMANIAN = 'Guvernul a mărit prețul benzinei.';
const OTHER = 'The goalkeeper saved a penalty in the last minute.';

let service: RunningEmbeddings;
beforeAll(async () => {
  service = await startEmbeddings();
});
afterAll(() => service.close());

const answerSchema = embeddings.operations.embed.answer;
const errorSchema = z.object({
  detail: z.unknown(),
  error: z.object({ message: z.string(), code: z.string() }),
});

async function embed(body: object) {
  const response = await service.post({ model: MODEL, ...body });
  expect(response.status).toBe(200);
  return answerSchema.parse(await response.json());
}

async function vectorsOf(body: object): Promise<number[][]> {
  const { data } = await embed(body);
  return data.map(({ embedding }) =>
    typeof embedding === 'string' ? [...fromBase64(embedding)] : embedding,
  );
}

async function refused(body: object, status: number, headers: Record<string, string> = {}) {
  const response = await service.post(body, headers);
  expect(response.status).toBe(status);
  return { headers: response.headers, ...errorSchema.parse(await response.json()) };
}

const dot = (one: readonly number[] = [], two: readonly number[] = []) =>
  one.reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0);

describe('embeddings', () => {
  it('answers a text, a list, tokens and lists of tokens with vectors in their order', async () => {
    const [one] = await vectorsOf({ input: ENGLISH });
    const answer = await embed({ input: [OTHER, ENGLISH] });
    expect(answer).toMatchObject({ object: 'list', model: MODEL });
    expect(answer.data.map(({ object, index }) => [object, index])).toEqual([
      ['embedding', 0],
      ['embedding', 1],
    ]);
    expect(answer.data[1]?.embedding).toEqual(one);
    expect(one?.length).toBe(512);
    expect(dot(one, one)).toBeCloseTo(1, 5);
    // The tokens of "The vaccine is safe." in the vocabulary of the model.
    const tokens = [34, 6325, 131, 356, 18, 1297, 6];
    const [text] = await vectorsOf({ input: 'The vaccine is safe.' });
    expect(await vectorsOf({ input: tokens })).toEqual([text]);
    expect(await vectorsOf({ input: [[11], tokens] })).toEqual([expect.any(Array), text]);
    expect(answer.usage.prompt_tokens).toBe(answer.usage.total_tokens);
    expect((await embed({ input: tokens })).usage.total_tokens).toBe(tokens.length);
  });

  it('makes neighbours of an English and a Romanian sentence of one meaning', async () => {
    const [english, romanian, other, said] = await vectorsOf({ input: [ENGLISH, ROMANIAN, OTHER, ENGLISH] });
    expect(dot(english, romanian)).toBeGreaterThan(dot(other, romanian) + 0.3);
    expect(said).toEqual(english);
    const [asRomanian] = await vectorsOf({ input: ROMANIAN, language: 'ro' });
    expect(asRomanian).toEqual(romanian);
    const [asEnglish] = await vectorsOf({ input: ROMANIAN, language: 'en' });
    expect(asEnglish).not.toEqual(romanian);
  });

  it('gives the same floats in base64', async () => {
    const [numbers] = await vectorsOf({ input: ENGLISH, encoding_format: 'float' });
    const [decoded] = await vectorsOf({ input: ENGLISH, encoding_format: 'base64' });
    expect(Float32Array.from(numbers ?? [])).toEqual(Float32Array.from(decoded ?? []));
  });

  it('cuts vectors to the dimensions that are asked for and scales them again', async () => {
    const [whole] = await vectorsOf({ input: ENGLISH });
    const [short] = await vectorsOf({ input: ENGLISH, dimensions: 64 });
    expect(short?.length).toBe(64);
    expect(dot(short, short)).toBeCloseTo(1, 5);
    expect((short?.[3] ?? 0) / (short?.[0] ?? 1)).toBeCloseTo((whole?.[3] ?? 0) / (whole?.[0] ?? 1), 5);
    const { detail } = await refused({ model: MODEL, input: ENGLISH, dimensions: 513 }, 422);
    expect(detail).toMatchObject([{ loc: ['body', 'dimensions'], input: 513 }]);
    await refused({ model: MODEL, input: ENGLISH, dimensions: 0 }, 422);
  });

  it('reads a long text in passages: its end counts too', async () => {
    const start = 'The council met on Monday and talked about the bridge. '.repeat(20);
    const [one, two] = await vectorsOf({ input: [start + OTHER.repeat(20), start + ENGLISH.repeat(20)] });
    const [about] = await vectorsOf({ input: ENGLISH });
    expect(dot(two, about)).toBeGreaterThan(dot(one, about) + 0.1);
    const { usage } = await embed({ input: start });
    expect(usage.total_tokens).toBeGreaterThan(200);
  });

  it.each([
    ['no model', { input: ENGLISH }, ['body', 'model']],
    ['no input', { model: MODEL }, ['body', 'input']],
    ['an empty list', { model: MODEL, input: [] }, ['body', 'input']],
    ['white space', { model: MODEL, input: ['a', ' \n'] }, ['body', 'input', 1]],
    ['tokens that the model lacks', { model: MODEL, input: [8000] }, ['body', 'input', 0]],
    ['another format', { model: MODEL, input: 'a', encoding_format: 'hex' }, ['body', 'encoding_format']],
  ])('refuses %s', async (_name, body, loc) => {
    const { detail } = await refused(body, 422);
    expect(detail).toMatchObject([{ loc, msg: expect.any(String), type: expect.any(String) }]);
  });

  it('says which models there are when there is none of a name', async () => {
    const { error, headers } = await refused({ model: 'text-embedding-3-small', input: 'a' }, 404);
    expect(error).toMatchObject({ code: 'model_not_found', message: expect.stringContaining(MODEL) });
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('lists its models and backends, and is well', async () => {
    const get = async (path: string) => (await fetch(service.url + path)).json();
    await embed({ input: ENGLISH });
    expect(await get('/v1/models')).toMatchObject({
      object: 'list',
      data: [
        {
          id: MODEL,
          object: 'model',
          backend: 'packaged',
          loaded: true,
          dimensions: 512,
          languages: ['en', 'ro'],
        },
      ],
    });
    expect(await get('/v1/backends')).toEqual({ backends: ['packaged', 'onnx'] });
    expect(await get('/health')).toEqual({
      status: 'healthy',
      backends: [
        { name: 'packaged', healthy: true, message: null },
        { name: 'onnx', healthy: true, message: null },
      ],
    });
    expect(await get('/ready')).toEqual({ ready: true });
    expect(await get('/v1/info')).toMatchObject({
      resource: { name: 'embeddings' },
      models: [{ id: MODEL }],
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('embeddings');
  });
});

describe('embeddings with tokens', () => {
  it('answers known callers alone', async () => {
    const guarded = await startEmbeddings({ EMBEDDINGS_API_TOKENS: 'secret' });
    const ask = (headers: Record<string, string>) => guarded.post({ model: MODEL, input: 'a' }, headers);
    const stranger = await ask({});
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask({ authorization: 'Bearer secret' })).status).toBe(200);
    expect((await fetch(`${guarded.url}/health`)).status).toBe(200);
    await guarded.close();
  });
});
