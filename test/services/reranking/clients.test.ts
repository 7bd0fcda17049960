import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type RunningReranking, startReranking } from './running-reranking.ts';

const MODEL = 'limpede-reranker-1';
const QUERY = 'What is the capital of the United States?';
const DOCUMENTS = [
  'Carson City is the seat of government of Nevada.',
  'Washington, D.C. is the capital of the United States.',
  'Capital letters begin the words of titles.',
];

let service: RunningReranking;
beforeAll(async () => {
  service = await startReranking({ RERANKING_API_TOKENS: 'secret' });
});
afterAll(() => service.close());

const options = (token: string) => ({ token, environment: service.url, maxRetries: 0 });

describe('the client of Cohere', () => {
  it('ranks by the first version, documents as objects', async () => {
    const client = new CohereClient(options('secret'));
    const answer = await client.rerank({
      model: MODEL,
      query: QUERY,
      documents: DOCUMENTS.map((text) => ({ text })),
      topN: 2,
      returnDocuments: true,
      maxChunksPerDoc: 3,
    });
    expect(answer.results.length).toBe(2);
    expect(answer.results[0]).toMatchObject({ index: 1, document: { text: DOCUMENTS[1] } });
    expect(answer.meta).toMatchObject({ apiVersion: { version: '1' }, billedUnits: { searchUnits: 1 } });
  });

  it('ranks by the second version', async () => {
    const client = new CohereClientV2(options('secret'));
    const answer = await client.rerank({ model: MODEL, query: QUERY, documents: DOCUMENTS });
    expect(answer.results.map(({ index }) => index)[0]).toBe(1);
    expect(answer.results[0]?.relevanceScore).toBeGreaterThan(0.5);
    expect(answer.meta).toMatchObject({ apiVersion: { version: '2' } });
  });

  it('understands errors', async () => {
    const ask = (token: string, model: string) =>
      new CohereClientV2(options(token)).rerank({ model, query: 'a', documents: ['a'] });
    const failure = await ask('secret', 'other').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CohereError);
    expect(failure).toMatchObject({ statusCode: 404, body: { message: expect.stringContaining(MODEL) } });
    await expect(ask('wrong', MODEL)).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe('a client of the kind of Jina', () => {
  it('reads results, their documents and usage', async () => {
    // The answer as https://api.jina.ai/docs#/rerank describes it.
    const jinaAnswer = z.object({
      model: z.string(),
      usage: z.object({ total_tokens: z.int() }),
      results: z.array(
        z.object({
          index: z.int(),
          relevance_score: z.number(),
          document: z.object({ text: z.string() }),
        }),
      ),
    });
    const body = { model: MODEL, query: QUERY, documents: DOCUMENTS, top_n: 3, return_documents: true };
    const response = await service.post(body, { authorization: 'Bearer secret' });
    const { results } = jinaAnswer.parse(await response.json());
    expect(results[0]).toMatchObject({ index: 1, document: { text: DOCUMENTS[1] } });
  });
});
