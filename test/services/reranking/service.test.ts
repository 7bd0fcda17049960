import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reranking } from '../../../src/services/reranking/contract.ts';
import { type RunningReranking, startReranking } from './running-reranking.ts';

const MODEL = 'limpede-reranker-1';
const QUERY = 'The government raised the price of petrol.';
const DOCUMENTS = [
  'The goalkeeper saved a penalty in the last minute.',
  'Fuel became dearer on Monday by a decision of the cabinet, petrol by four percent.',
  'The museum opens its doors at nine.',
];
const ROMANIAN = [
  'Portarul a apărat o lovitură de pedeapsă în ultimul minut.',
  'Guvernul a mărit de luni prețul benzinei cu patru la sută.',
  'Muzeul se deschide la ora nouă.',
];

let service: RunningReranking;
beforeAll(async () => {
  service = await startReranking();
});
afterAll(() => service.close());

const answerSchema = reranking.operations.rerank.answer;
const errorSchema = z.object({
  detail: z.unknown(),
  message: z.string(),
  error: z.object({ message: z.string(), code: z.string() }),
});

async function rank(body: object, path = '/v1/rerank') {
  const response = await service.post({ model: MODEL, query: QUERY, ...body }, {}, path);
  expect(response.status).toBe(200);
  return answerSchema.parse(await response.json());
}

async function refused(body: object, status: number) {
  const response = await service.post(body);
  expect(response.status).toBe(status);
  return errorSchema.parse(await response.json());
}

describe('reranking', () => {
  it.each([
    ['/v1/rerank', '1'],
    ['/v2/rerank', '2'],
  ])('puts the documents of %s in the order of their relevance', async (path, version) => {
    const answer = await rank({ documents: DOCUMENTS }, path);
    expect(answer).toMatchObject({
      model: MODEL,
      meta: { api_version: { version }, billed_units: { search_units: 1 } },
    });
    expect(answer.results.map(({ index }) => index)[0]).toBe(1);
    expect(new Set(answer.results.map(({ index }) => index))).toEqual(new Set([0, 1, 2]));
    const scores = answer.results.map((result) => result.relevance_score);
    expect(scores).toEqual(scores.toSorted((one, two) => two - one));
    expect(scores[0]).toBeGreaterThan((scores[1] ?? 1) + 0.2);
    expect(answer.results.every((result) => result.document === undefined)).toBe(true);
    expect(answer.usage.total_tokens).toBeGreaterThan(30);
    expect(answer.meta.tokens.input_tokens).toBe(answer.usage.total_tokens);
  });

  it.each([
    ['Romanian documents for an English query', QUERY, ROMANIAN],
    ['English documents for a Romanian query', 'Guvernul a scumpit benzina.', DOCUMENTS],
    ['Romanian documents without diacritics', 'Guvernul a marit pretul benzinei.', ROMANIAN],
  ])('ranks %s', async (_name, query, documents) => {
    const { results } = await rank({ query, documents });
    expect(results[0]?.index).toBe(1);
  });

  it('answers the best alone, with their documents', async () => {
    const { results } = await rank({ documents: DOCUMENTS, top_n: 1, return_documents: true });
    expect(results).toMatchObject([{ index: 1, document: { text: DOCUMENTS[1] } }]);
    expect((await rank({ documents: DOCUMENTS, top_n: 50 })).results.length).toBe(3);
  });

  it('reads the fields of documents that are objects, and gives them back whole', async () => {
    const documents = DOCUMENTS.map((text, id) => ({ id, text, title: 'News' }));
    const { results } = await rank({ documents, return_documents: true });
    expect(results[0]).toMatchObject({ index: 1, document: { id: 1, title: 'News' } });
    const titled = DOCUMENTS.map((title) => ({ title, text: 'Nothing of note.' }));
    const { results: byTitle } = await rank({ documents: titled, rank_fields: ['title', 'text'] });
    expect(byTitle[0]?.index).toBe(1);
    const { detail } = await refused({ query: QUERY, documents: ['a', { title: 'b' }] }, 422);
    expect(detail).toMatchObject([{ loc: ['body', 'documents', 1], type: 'missing' }]);
  });

  it('finds a passage deep in a long document, unless it is told to read its beginning alone', async () => {
    const filling = 'The museum opens its doors at nine and closes them at five in the evening. '.repeat(40);
    const documents = [filling, `${filling}${DOCUMENTS[1]} ${filling}`];
    const [first, second] = (await rank({ documents })).results;
    expect(first?.index).toBe(1);
    expect(first?.relevance_score).toBeGreaterThan((second?.relevance_score ?? 1) + 0.05);
    const short = await rank({ documents, max_chunks_per_doc: 1 });
    expect(short.results.map(({ index }) => index)).toEqual([0, 1]);
    expect(short.results[0]?.relevance_score).toBe(short.results[1]?.relevance_score);
    const { usage } = await rank({ documents: [filling, 'x'], max_chunks_per_doc: 1 });
    expect(usage.total_tokens).toBeLessThan(200);
  });

  it('scores a document nearly alike whatever stands beside it, and equally for equal texts', async () => {
    const alone = await rank({ documents: [DOCUMENTS[1]] });
    const among = await rank({ documents: [...DOCUMENTS, DOCUMENTS[1]] });
    expect(among.results.slice(0, 2).map(({ index }) => index)).toEqual([1, 3]);
    expect(among.results[0]?.relevance_score).toBe(among.results[1]?.relevance_score);
    const gap = (alone.results[0]?.relevance_score ?? 0) - (among.results[0]?.relevance_score ?? 1);
    expect(Math.abs(gap)).toBeLessThan(0.1);
  });

  it('takes the first model when none is named, and documents without text', async () => {
    const response = await service.post({ query: QUERY, documents: ['', '\u00a0', DOCUMENTS[1]] });
    const { model, results } = answerSchema.parse(await response.json());
    expect(model).toBe(MODEL);
    expect(results[0]?.index).toBe(2);
    expect(results[1]?.relevance_score).toBeLessThan(0.1);
  });

  it.each([
    ['no query', { documents: ['a'] }, ['body', 'query']],
    ['a query of white space', { query: ' \n', documents: ['a'] }, ['body', 'query']],
    ['no documents', { query: 'a' }, ['body', 'documents']],
    ['an empty list', { query: 'a', documents: [] }, ['body', 'documents']],
    ['a document that is a number', { query: 'a', documents: ['a', 7] }, ['body', 'documents', 1]],
    ['no results', { query: 'a', documents: ['a'], top_n: 0 }, ['body', 'top_n']],
    [
      'too many passages',
      { query: 'a', documents: ['a', 'b'], max_chunks_per_doc: 5001 },
      ['body', 'max_chunks_per_doc'],
    ],
    ['too many documents', { query: 'a', documents: Array(1001).fill('a') }, ['body', 'documents']],
    [
      'a document that is too long',
      { query: 'a', documents: ['a'.repeat(100_001)] },
      ['body', 'documents', 0],
    ],
    [
      'a long text in an object',
      { query: 'a', documents: [{ text: 'a'.repeat(100_001) }] },
      ['body', 'documents', 0],
    ],
  ])('refuses %s', async (_name, body, loc) => {
    const { detail, message } = await refused(body, 422);
    expect(detail).toMatchObject([{ loc, msg: expect.any(String), type: expect.any(String) }]);
    expect(message).toContain(loc.slice(1).join('.'));
  });

  it('says which models there are when there is none of a name', async () => {
    const { error } = await refused({ model: 'rerank-v3.5', query: 'a', documents: ['a'] }, 404);
    expect(error).toMatchObject({ code: 'model_not_found', message: expect.stringContaining(MODEL) });
  });

  it('lists its models and backends, and is well', async () => {
    const get = async (path: string) => (await fetch(service.url + path)).json();
    await rank({ documents: ['a'] });
    expect(await get('/v1/models')).toMatchObject({
      object: 'list',
      data: [{ id: MODEL, object: 'model', backend: 'packaged', loaded: true, languages: ['en', 'ro'] }],
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
    expect(await get('/v1/info')).toMatchObject({ resource: { name: 'reranking' }, models: [{ id: MODEL }] });
  });
});

describe('reranking with tokens', () => {
  it('answers known callers alone', async () => {
    const guarded = await startReranking({ RERANKING_API_TOKENS: 'secret' });
    const ask = (headers: Record<string, string>) => guarded.post({ query: 'a', documents: ['a'] }, headers);
    const stranger = await ask({});
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask({ authorization: 'Bearer secret' })).status).toBe(200);
    expect((await fetch(`${guarded.url}/health`)).status).toBe(200);
    await guarded.close();
  });
});
