import { OpenAIEmbeddings } from '@langchain/openai';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningEmbeddings, startEmbeddings } from './running-embeddings.ts';

const MODEL = 'limpede-encoder-1';
const TEXTS = ['The vaccine is safe.', 'Vaccinul este sigur.', 'It rained all day.'];

let service: RunningEmbeddings;
let client: OpenAI;
beforeAll(async () => {
  service = await startEmbeddings({ EMBEDDINGS_API_TOKENS: 'secret' });
  client = new OpenAI({ apiKey: 'secret', baseURL: `${service.url}/v1`, maxRetries: 0 });
});
afterAll(() => service.close());

describe('the OpenAI client', () => {
  it('gets the same vectors in both formats', async () => {
    // Without a format the client asks for base64 and decodes it.
    const plain = await client.embeddings.create({ model: MODEL, input: TEXTS });
    const floats = await client.embeddings.create({ model: MODEL, input: TEXTS, encoding_format: 'float' });
    expect(plain.data.map(({ embedding }) => embedding.length)).toEqual([512, 512, 512]);
    expect(plain.data.map(({ embedding }) => [...Float32Array.from(embedding)])).toEqual(
      floats.data.map(({ embedding }) => [...Float32Array.from(embedding)]),
    );
    expect(plain.usage.total_tokens).toBeGreaterThan(10);
  });

  it('gets shorter vectors, and its models', async () => {
    const { data } = await client.embeddings.create({ model: MODEL, input: 'one', dimensions: 16 });
    expect(data[0]?.embedding.length).toBe(16);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual([MODEL]);
  });

  it('understands errors', async () => {
    const failure = await client.embeddings
      .create({ model: 'other', input: 'a' })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ status: 404, code: 'model_not_found' });
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${service.url}/v1`, maxRetries: 0 });
    await expect(stranger.embeddings.create({ model: MODEL, input: 'a' })).rejects.toMatchObject({
      status: 401,
    });
  });
});

describe('LangChain', () => {
  it('embeds queries and documents', async () => {
    const langchain = new OpenAIEmbeddings({
      apiKey: 'secret',
      model: MODEL,
      batchSize: 2,
      maxRetries: 0,
      configuration: { baseURL: `${service.url}/v1` },
    });
    const documents = await langchain.embedDocuments(TEXTS);
    const query = await langchain.embedQuery(TEXTS[0] ?? '');
    const cosines = documents.map((document) =>
      document.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0),
    );
    expect(cosines[0]).toBeCloseTo(1, 5);
    expect(cosines[1]).toBeGreaterThan((cosines[2] ?? 1) + 0.2);
  });
});
