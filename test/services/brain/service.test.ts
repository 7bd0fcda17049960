import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import type { Platform } from '../../../src/foundation/platform.ts';
import { type BuiltService, buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { brain } from '../../../src/services/brain/contract.ts';
import type { BrainAnswer } from '../../../src/services/brain/resources.ts';
import { brainService } from '../../../src/services/brain/service.ts';
import { brainSettings } from '../../../src/services/brain/settings.ts';
import { changeable } from '../../foundation/configuration/changeable.ts';
import { freshHome, silent } from '../../foundation/database/engines.ts';
import { eventually, until } from '../../patience.ts';
import { type RunningEmbeddings, startEmbeddings } from '../embeddings/running-embeddings.ts';
import { packOf } from './packs.ts';

/** A web evidence service that answers what the test says, and counts. */
function startWeb() {
  let answer: (claim: string) => { status: number; body?: unknown; texts?: string[] } = () => ({
    status: 200,
    texts: ['one'],
  });
  const asked: string[] = [];
  const server: Server = createServer(async (request, response) => {
    // How the service is asked for its health.
    if (request.method === 'GET') return void response.writeHead(answer('').status).end('{}');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { claim } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { claim: string };
    asked.push(claim);
    const { status, body, texts } = answer(claim);
    const pack = { request_id: '11111111-1111-4111-8111-111111111111', ...packOf(claim, ...(texts ?? [])) };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? pack));
  });
  return {
    asked,
    answers: (given: typeof answer) => {
      answer = given;
    },
    listen: () =>
      new Promise<string>((resolve) => {
        server.listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
        );
      }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

let vectors: RunningEmbeddings;
let database: Database;
const home = freshHome();
beforeAll(async () => {
  vectors = await startEmbeddings();
  // The service waits a few seconds for a vector: the encoder is loaded before that counts.
  await vectors.post({ model: 'limpede-encoder-1', input: 'warm' });
  database = await openDatabase({ home: home.home, log: silent });
});
afterAll(async () => {
  await vectors.close();
  await database.close();
  home.remove();
});

let web: ReturnType<typeof startWeb>;
let service: BuiltService<object>;
async function start(
  settings: Record<string, string> = {},
  configuration?: Platform['configuration'],
): Promise<void> {
  const given = {
    WEB_URL: await web.listen(),
    EMBEDDINGS_URL: vectors.url,
    BRAIN_RECHECK_SECONDS: '0',
    ...settings,
  };
  service = await buildService(brainService, parseSettings(brainSettings, given), {
    home: home.home,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: silent,
    metrics: new Registry(),
    database: async () => database,
    ...(configuration && { configuration }),
  });
  await service.begin();
}
beforeEach(() => {
  web = startWeb();
});
afterEach(async () => {
  await service.close();
  await web.close();
  await database.kysely<{ brain_fact: object; brain_audit: object }>().deleteFrom('brain_fact').execute();
  await database.kysely<{ brain_audit: object }>().deleteFrom('brain_audit').execute();
});

async function call(method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) {
  const response = await service.app.inject({ method, url, ...(payload && { payload }) });
  return { status: response.statusCode, headers: response.headers, body: response.json() };
}
async function gather(claim: string, options: object = {}): Promise<BrainAnswer> {
  const { status, body } = await call('POST', '/v1/gather', { claim, ...options });
  expect(body).toMatchObject({ claim });
  expect(status).toBe(200);
  return brain.operations.gather.answer.parse(body);
}

const CLAIM = 'Vaccines cause autism in children.';

/** The check of every fact is due now. */
const makeDue = () =>
  database
    .kysely<{ brain_fact: { next_check_at: Date } }>()
    .updateTable('brain_fact')
    .set({ next_check_at: new Date(0) })
    .execute();

describe('a claim', () => {
  it('is gathered once, and found again in other words and in the other language', async () => {
    await start();
    const first = await gather(CLAIM);
    expect(first.brain_meta).toMatchObject({ cache_status: 'miss', similarity: null, fact_id: null });
    const { stored_fact_id: id } = first.brain_meta;
    expect((await gather('VACCINES cause autism in children')).brain_meta).toMatchObject({
      cache_status: 'hit',
      similarity: 1,
      fact_id: id,
    });
    expect((await gather('Autism in children is caused by vaccines.')).brain_meta).toMatchObject({
      cache_status: 'hit',
      fact_id: id,
    });
    const romanian = await gather('Vaccinurile provoacă autism la copii.');
    expect(romanian.brain_meta).toMatchObject({ cache_status: 'hit', fact_id: id });
    expect(romanian.evidence).toEqual(first.evidence);
    expect(web.asked).toEqual([CLAIM]);
  });

  it('that differs is gathered, and the near one is named', async () => {
    await start();
    const { stored_fact_id: id } = (await gather(CLAIM)).brain_meta;
    const { brain_meta: meta } = await gather('Vaccines do not cause autism in children.');
    expect(meta).toMatchObject({ cache_status: 'miss', fact_id: id });
    expect(meta.similarity).toBeGreaterThanOrEqual(0.5);
    expect(meta.stored_fact_id).not.toBe(id);
    expect(web.asked).toHaveLength(2);
  });

  it('is gathered anew for other sites, other queries, and for more than was gathered', async () => {
    await start();
    await gather(CLAIM, { max_evidence_items: 5 });
    expect((await gather(CLAIM, { site_allowlist: ['who.int'] })).brain_meta.cache_status).toBe('miss');
    expect((await gather(CLAIM, { search_queries: ['autism'] })).brain_meta.cache_status).toBe('miss');
    expect((await gather(CLAIM, { max_evidence_items: 6 })).brain_meta.cache_status).toBe('miss');
    expect((await gather(CLAIM, { max_evidence_items: 3 })).brain_meta.cache_status).toBe('hit');
  });

  it('is cut to as many items as are asked for', async () => {
    await start();
    web.answers(() => ({ status: 200, texts: ['one', 'two', 'three'] }));
    await gather(CLAIM);
    const { evidence, total_evidence_items } = await gather(CLAIM, { max_evidence_items: 2 });
    expect([evidence.length, total_evidence_items]).toEqual([2, 2]);
  });

  it('that several ask at once is gathered once', async () => {
    await start();
    const all = await Promise.all(Array.from({ length: 8 }, () => gather(CLAIM)));
    expect(web.asked).toHaveLength(1);
    expect(new Set(all.map(({ brain_meta: meta }) => meta.stored_fact_id)).size).toBe(1);
  });

  it('without any evidence is kept too, unless the search itself failed', async () => {
    await start();
    web.answers(() => ({ status: 200, texts: [] }));
    await gather(CLAIM);
    expect((await gather(CLAIM)).brain_meta.cache_status).toBe('hit');
    const failed = { ...packOf('x'), stages: [{ ...packOf('x').stages[0], success: false }] };
    const body = { request_id: '11111111-1111-4111-8111-111111111111', ...failed };
    web.answers((claim) => ({ status: 200, body: { ...body, claim } }));
    const other = 'The moon landing was staged in a studio.';
    expect((await gather(other)).brain_meta.stored_fact_id).toBeNull();
    expect((await gather(other)).brain_meta.cache_status).toBe('miss');
  });

  it('whose check is due is answered as stale, and checked', async () => {
    await start({ BRAIN_FIRST_CHECK_HOURS: '0.01' });
    const { stored_fact_id: id } = (await gather(CLAIM)).brain_meta;
    await makeDue();
    const due = await call('GET', '/v1/fact_status/due_for_recheck');
    expect(due.body).toMatchObject({ total: 1, facts: [{ fact_id: id }] });
    web.answers(() => ({ status: 200, texts: ['new'] }));
    expect((await gather(CLAIM)).brain_meta.cache_status).toBe('stale');
    const fact = await eventually(async () => {
      const { body } = await call('GET', `/v1/facts/${id}`);
      expect(body.evidence.evidence[0].snippet).toBe('new');
      return body;
    });
    expect(fact).toMatchObject({ locked: false, provenance: { hits: 1 } });
    expect((await gather(CLAIM)).brain_meta.cache_status).toBe('hit');
  });
});

describe('without its dependencies', () => {
  it('equal claims are found without vectors, others are gathered', async () => {
    await start({ EMBEDDINGS_URL: 'http://127.0.0.1:9' });
    await gather(CLAIM);
    expect((await gather('vaccines cause autism in children')).brain_meta.cache_status).toBe('hit');
    expect((await gather('Autism in children is caused by vaccines.')).brain_meta).toMatchObject({
      cache_status: 'miss',
      similarity: null,
    });
  });

  it.each([
    [500, 503, 'service_unavailable'],
    [400, 502, 'provider_error'],
  ])('a web service that answers %i is told as %i', async (status, expected, error) => {
    await start();
    web.answers(() => ({ status, body: { detail: 'no' } }));
    const answer = await call('POST', '/v1/gather', { claim: CLAIM });
    expect(answer).toMatchObject({ status: expected, body: { detail: { error } } });
  });

  it('a call that came too soon waits its turn instead of being lost', async () => {
    await start();
    let calls = 0;
    web.answers(() => (++calls < 3 ? { status: 429, body: {} } : { status: 200, texts: ['one'] }));
    const { brain_meta: meta } = await gather(CLAIM);
    expect([meta.cache_status, calls]).toEqual(['miss', 3]);
  });

  it('what is known is told though the web service is gone, and health says so', async () => {
    await start();
    await gather(CLAIM);
    web.answers(() => ({ status: 500, body: {} }));
    expect((await gather(CLAIM)).brain_meta.cache_status).toBe('hit');
    const health = await call('GET', '/health');
    expect(health.body.status).toBe('degraded');
  });
});

describe('facts', () => {
  const verdict = {
    status: 'false',
    confidence: 0.9,
    explanation_en: 'No link was found.',
    explanation_ro: 'Nu s-a găsit nicio legătură.',
    decided_by: 'a person',
    decided_at: '2026-01-02T03:04:05.000Z',
  };

  it('keep a verdict, which comes with the evidence', async () => {
    await start();
    const { stored_fact_id: id } = (await gather(CLAIM)).brain_meta;
    expect((await call('PUT', `/v1/facts/${id}/verdict`, verdict)).status).toBe(200);
    expect((await gather(CLAIM)).brain_meta.verdict).toEqual(verdict);
  });

  it('are forgotten by claim or id, ten times an hour', async () => {
    await start({ BRAIN_INVALIDATIONS_PER_HOUR: '2' });
    const forget = (body: object) => call('POST', '/v1/cache/invalidate', { reason: 'wrong', ...body });
    const { stored_fact_id: id } = (await gather(CLAIM)).brain_meta;
    expect(await forget({ fact_id: id })).toMatchObject({
      status: 200,
      body: { invalidated: 1, fact_ids: [id] },
    });
    expect((await forget({ fact_id: id })).body.detail.error).toBe('fact_not_found');
    expect((await gather(CLAIM)).brain_meta.cache_status).toBe('miss');
    expect((await forget({ claim: CLAIM.toUpperCase() })).status).toBe(200);
    await gather(CLAIM);
    const refused = await forget({ claim: CLAIM });
    expect(refused).toMatchObject({ status: 429, body: { detail: { error: 'rate_limited' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await forget({})).status).toBe(422);
  });

  it('that are locked stay', async () => {
    await start();
    const { stored_fact_id: id } = (await gather(CLAIM)).brain_meta;
    const lock = await call('POST', `/v1/facts/${id}/lock`, { locked: true, reason: 'checked by hand' });
    expect(lock.body).toMatchObject({ fact_id: id, locked: true });
    const forget = await call('POST', '/v1/cache/invalidate', { fact_id: id, reason: 'wrong' });
    expect(forget).toMatchObject({ status: 409, body: { detail: { error: 'fact_locked' } } });
    expect((await call('PUT', `/v1/facts/${id}/verdict`, verdict)).status).toBe(409);
  });

  it('that are unknown are told', async () => {
    await start();
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await call('GET', `/v1/facts/${id}`)).status).toBe(404);
    expect((await call('PUT', `/v1/facts/${id}/verdict`, verdict)).status).toBe(404);
    expect((await call('POST', `/v1/facts/${id}/lock`, { locked: true, reason: 'x' })).status).toBe(404);
  });
});

describe('a change of staff', () => {
  let staff: Awaited<ReturnType<typeof changeable>>;
  beforeEach(async () => {
    staff = await changeable();
    await start({}, staff.configuration);
  });
  afterEach(() => staff.close());

  it('of the similarity that counts as the same holds for the next claim', async () => {
    await gather(CLAIM);
    await staff.set('brain.confirm', 1);
    const { cache_status: strict } = (await gather('Autism in children is caused by vaccines.')).brain_meta;
    await staff.set('brain.confirm', null);
    const { cache_status: usual } = (await gather('Vaccinurile provoacă autism la copii.')).brain_meta;
    expect([strict, usual]).toEqual(['miss', 'hit']);
  });

  it('of how often one may make it forget holds at once', async () => {
    await staff.set('brain.invalidations_per_hour', 1);
    const forget = async () => {
      await gather(CLAIM);
      return (await call('POST', '/v1/cache/invalidate', { reason: 'wrong', claim: CLAIM })).status;
    };
    expect([await forget(), await forget()]).toEqual([200, 429]);
    await staff.set('brain.invalidations_per_hour', 2);
    expect(await forget()).toBe(200);
  });

  it('of the pause between two looks begins the next look', async () => {
    await gather(CLAIM);
    await makeDue();
    web.answers(() => ({ status: 200, texts: ['new'] }));
    await staff.set('brain.recheck_seconds', 1);
    await eventually(() => expect(web.asked).toEqual([CLAIM, CLAIM]));
  });

  it('of the hours until the first check holds for the next fact', async () => {
    await staff.set('brain.first_check_hours', 100);
    const { checked_at: checked, next_check_at: next } = (await gather(CLAIM)).brain_meta;
    const hours = (Date.parse(next ?? '') - Date.parse(checked ?? '')) / 3_600_000;
    expect(hours).toBeCloseTo(100, 0);
  });

  it('of a share of one caller holds for those that come', async () => {
    await staff.set('brain.caller_share', 1);
    const ask = async (claim: string) => (await call('POST', '/v1/gather', { claim })).status;
    // One claim waits for as long as the web service has no time for it.
    web.answers(() => ({ status: 429, body: {} }));
    const first = ask('One claim is this.');
    await until(() => web.asked.length > 0);
    expect(await ask('Another claim is that.')).toBe(429);
    await staff.set('brain.caller_share', 2);
    const third = ask('A third claim is neither.');
    await until(() => web.asked.some((claim) => claim.startsWith('A third')));
    web.answers(() => ({ status: 200, texts: ['one'] }));
    expect(await Promise.all([first, third])).toEqual([200, 200]);
  });
});

it('asks for a token when it has some', async () => {
  await start({ BRAIN_API_TOKENS: 'secret' });
  const answer = await call('POST', '/v1/gather', { claim: CLAIM });
  expect(answer).toMatchObject({ status: 401, body: { detail: { error: 'authentication_required' } } });
});
