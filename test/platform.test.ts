import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analysis } from '../src/services/analysis/contract.ts';
import {
  type AnalysisSession,
  analysisSession,
} from '../src/services/analysis/resources/analysis-session.ts';
import { asyncAccepted } from '../src/services/analysis/resources/async-accepted.ts';
import type { Span } from '../src/services/analysis/resources/finding.ts';
import { deepHealthResponse } from '../src/services/analysis/resources/health.ts';
import { SCORES } from '../src/services/analysis/resources/verdict-config.ts';
import { eventually } from './patience.ts';
import { runHere } from './running-platform.ts';

const ENGLISH =
  'They are HIDING the truth from you! Doctors admit that this one trick destroys the virus overnight. ' +
  'Everybody knows that the government is lying. Share this before it is deleted, or your children will pay!';
const ROMANIAN =
  'Guvernul României a adoptat marți o hotărâre privind plafonarea prețurilor la alimentele de bază, a anunțat ' +
  'Ministerul Finanțelor. Măsura se aplică timp de șase luni și costă 120 de milioane de lei.';
const EMOJI =
  '🚨🚨 ATENȚIE!!! 👩‍👩‍👧 Toți mincinoșii ăștia „știu” adevărul 😡 și ni-l ASCUND! ' +
  'Țara e vândută trădătorilor. 🇷🇴 Dați mai departe până nu șterg! e\u0301 un dezastru total 🔥';

const ARTICLE = `<!doctype html><html lang="en"><head><title>Council approves bus budget - Daily Record</title>
<meta property="og:site_name" content="Daily Record"></head><body><nav>Home</nav><article><h1>Council approves bus budget</h1>
${'<p>The city council approved a budget of 12 million euros for buses on Tuesday, according to minutes published by the clerk. Mayor Ana Pop said that the vehicles will arrive in May.</p>'.repeat(6)}
</article></body></html>`;

let platform: Awaited<ReturnType<typeof runHere>>;
let site: Server;
let origin: string;
let ana: string;
let dan: string;

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url === '/slow') site.emit('slow', response);
    else if (request.url === '/story') response.writeHead(200, { 'content-type': 'text/html' }).end(ARTICLE);
    else response.writeHead(404, { 'content-type': 'text/html' }).end('gone');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  platform = await runHere({ WEB_ALLOWED_PRIVATE_HOSTS: `${host},127.0.0.1:1` });
  [ana, dan] = await Promise.all([platform.token({ user: 'ana' }), platform.token({ user: 'dan' })]);
});
afterAll(async () => {
  await platform?.stop();
  site?.close();
});

const PIPELINE = '/api/v3/pipeline';
const analyze = async (body: object): Promise<AnalysisSession> => {
  const answered = await platform.ask(`${PIPELINE}/analyze`, { token: ana, body });
  expect(answered.status, answered.text).toBe(200);
  expect(analysis.operations.analyze.answer.safeParse(answered.body).error).toBeUndefined();
  return analysisSession.parse(answered.body.data);
};
const post = (path: string, body: unknown, token = ana) =>
  platform.ask(`${PIPELINE}/${path}`, { method: 'POST', token, body });
const get = (path: string, token = ana) => platform.ask(`${PIPELINE}/${path}`, { token });

/** The numbers of a verdict can be redone from the stored record alone. */
function expectRedone({ verdict }: AnalysisSession): void {
  if (verdict === null) throw new Error('there is no verdict');
  const weighted = SCORES.map((name) => verdict.applied_weights[name] * (verdict[`score_${name}`] ?? 0));
  const base = weighted.reduce((sum, part) => sum + part, 0);
  expect(Math.abs((verdict.risk_score ?? 0) - base - verdict.override_adjustment)).toBeLessThanOrEqual(0.06);
  const weights = SCORES.map((name) => verdict.applied_weights[name]);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
  for (const name of SCORES) {
    if (verdict[`score_${name}`] === null) expect(verdict.applied_weights[name]).toBe(0);
  }
}

/** Every passage that a session points at. */
function passagesOf(session: AnalysisSession): Span[] {
  const indicators = session.ai_tampered?.indicators_detected ?? [];
  return [
    ...(session.techniques?.techniques_detected ?? []).flatMap(({ spans }) => spans),
    ...(session.claims?.claims_verified ?? []).map(({ span }) => span),
    ...indicators.flatMap(({ where }) => (where !== null && 'quote' in where ? [where] : [])),
    ...(session.verdict?.virality_factors ?? []).flatMap(({ spans }) => spans),
  ];
}

function expectQuoted(session: AnalysisSession): void {
  const text = session.input_text ?? '';
  const points = [...text];
  for (const passage of passagesOf(session)) {
    expect(points.slice(passage.start, passage.end).join('')).toBe(passage.quote);
    expect(text.slice(passage.start_utf16, passage.end_utf16)).toBe(passage.quote);
  }
}

describe('a new user', () => {
  it('finds the platform healthy', async () => {
    const basic = await platform.ask('/api/v3/health');
    expect([basic.status, basic.body.status]).toEqual([200, 'healthy']);
    expect((await platform.ask('/api/v3/health/all')).status).toBe(401);
    // Each check has a time limit, which a busy machine may miss.
    await eventually(async () => {
      const deep = await platform.ask('/api/v3/health/all', { token: ana });
      expect(deep.status).toBe(200);
      const { checks, status } = deepHealthResponse.parse(deep.body);
      expect(status).toBe('degraded');
      for (const name of ['database', 'broker', 'domain_check', 'vision'])
        expect(checks[name]?.status, name).toBe('healthy');
      expect(checks.llm).toMatchObject({ status: 'unknown' });
    });
  });

  it.each([
    ['a loud English text', ENGLISH, 'en'],
    ['a calm Romanian text', ROMANIAN, 'ro'],
    ['a text of emoji, diacritics and combining marks', EMOJI, 'ro'],
  ])('analyses %s', async (_name, text, language) => {
    const session = await analyze({ media_type: 'text', text });
    expect(session).toMatchObject({
      status: 'completed',
      user_id: 'ana',
      input_type: 'text',
      input_text: text,
      input_language: language,
      components_run: ['techniques', 'ai_tampered', 'claims'],
      components_skipped: ['domain'],
    });
    expect(session.verdict?.explanation_en).toBeTruthy();
    expect(session.verdict?.explanation_ro).toBeTruthy();
    expectRedone(session);
    expectQuoted(session);
    const stored = await get(`sessions/${session.session_id}`);
    expect(stored.body.data).toEqual(session);
  });

  it('sees a loud text far above a calm one', async () => {
    const [loud, calm] = await Promise.all([
      analyze({ media_type: 'text', text: ENGLISH }),
      analyze({ media_type: 'text', text: ROMANIAN }),
    ]);
    expect(passagesOf(loud).length).toBeGreaterThan(2);
    const difference =
      (loud.techniques?.manipulation_score ?? 0) - (calm.techniques?.manipulation_score ?? 0);
    expect(difference).toBeGreaterThanOrEqual(40);
    expect(calm.risk_score).toBeLessThan(40);
  });

  it('analyses a page', async () => {
    const session = await analyze({ media_type: 'url', url: `${origin}/story` });
    expect(session).toMatchObject({
      status: 'completed',
      input_url: `${origin}/story`,
      input_title: 'Council approves bus budget',
      input_language: 'en',
      components_run: ['techniques', 'ai_tampered', 'claims', 'domain'],
    });
    expect(session.input_text).toContain('12 million euros');
    // A host without a registrable name is named as such, not judged.
    expect(session.domain).toMatchObject({ trust_score: null });
    expectRedone(session);
    expectQuoted(session);
  });

  it.each([
    ['answers 404', () => `${origin}/nothing`],
    ['cannot be reached', () => 'http://127.0.0.1:1/story'],
  ])('gets a completed session for a page that %s', async (_name, url) => {
    const session = await analyze({ media_type: 'url', url: url() });
    expect(session).toMatchObject({ status: 'completed', components_run: ['domain'], input_text: null });
    expect(session.domain).not.toBeNull();
    expect(session.skipped.map(({ component }) => component)).toEqual([
      'techniques',
      'ai_tampered',
      'claims',
    ]);
    for (const { reason } of session.skipped) expect(reason).toMatch(/could not be read/);
    expect(session.verdict?.risk_category).toMatch(/inconclusive/i);
    expect(session.confidence).toBeLessThanOrEqual(0.3);
  });

  it('runs only the components that were asked for', async () => {
    const body = {
      media_type: 'text',
      text: ENGLISH,
      components: ['techniques', 'claims'],
      skip_components: ['claims'],
    };
    const session = await analyze(body);
    expect(session.components_run).toEqual(['techniques']);
    expect([session.claims, session.ai_tampered, session.domain]).toEqual([null, null, null]);
    expect(session.skipped).toContainEqual({
      component: 'claims',
      code: 'left_out_by_request',
      reason: 'The request left this check out.',
      reason_ro: 'Cererea nu include această verificare.',
    });
  });

  it('has an analysis accepted, follows it and reads its result', async () => {
    const accepted = await post('analyze-async', { media_type: 'text', text: ENGLISH, plan_type: 2 });
    expect(accepted.status).toBe(202);
    const { data } = asyncAccepted.parse(accepted.body);
    expect(accepted.headers.get('location')).toBe(data.poll_url);
    expect(data).toMatchObject({ status: 'processing', plan_type: 2 });
    const poll = await fetch(platform.environment.LIMPEDE_PUBLIC_URL + data.poll_url, {
      headers: { authorization: `Bearer ${ana}` },
    });
    expect(poll.status).toBe(200);
    const result = await platform.final(data.session_id, ana);
    const session = analysisSession.parse(result.body.data);
    expect(session.status).toBe('completed');
    expectRedone(session);
    expectQuoted(session);
    const status = await get(`sessions/${data.session_id}/status`);
    expect(status.body.data).toMatchObject({ status: 'completed', progress: 1, eta_ms: 0 });
    const direct = await analyze({ media_type: 'text', text: ENGLISH, plan_type: 2 });
    expect(direct.risk_score).toBe(session.risk_score);
  });

  it('asks for the plan alone, and nothing is stored', async () => {
    const total = async () => (await get('history')).body.data.pagination.total;
    const before = await total();
    const plan = await post('dry-run', { media_type: 'url', url: 'https://example.org/a' });
    expect(analysis.operations.dryRun.answer.safeParse(plan.body).error).toBeUndefined();
    expect(plan.body.data.flow).toContain('material');
    const same = await post('analyze', { media_type: 'text', text: ENGLISH, dry_run: true });
    expect(same.body).toMatchObject({ success: true, dry_run: true });
    expect(await total()).toBe(before);
  });

  it('repeats a request under its key, and no other request', async () => {
    const headers = { 'idempotency-key': 'one-1' };
    const ask = (text: string) =>
      platform.ask(`${PIPELINE}/analyze`, { token: ana, body: { media_type: 'text', text }, headers });
    const [first, second] = [await ask(ENGLISH), await ask(ENGLISH)];
    expect(second.body.data.session_id).toBe(first.body.data.session_id);
    const other = await ask(ROMANIAN);
    expect([other.status, other.body.error_code]).toEqual([409, 'idempotency_conflict']);
  });

  it('finds the own sessions in history, and nobody else does', async () => {
    const session = await analyze({ media_type: 'text', text: `${ROMANIAN} Cuvântul căutat: zmeură 100%_.` });
    const found = await get(`history?q=${encodeURIComponent('ZMEURĂ 100%_')}`);
    expect(analysis.operations.history.answer.safeParse(found.body).error).toBeUndefined();
    expect(found.body.data.items.map((item: AnalysisSession) => item.session_id)).toEqual([
      session.session_id,
    ]);
    expect(found.body.data.items[0]).not.toHaveProperty('techniques');
    const others = await get('history', dan);
    expect(others.body.data.pagination).toMatchObject({ total: 0, pages: 0 });
    const id = session.session_id;
    const attempts = [
      await get(`sessions/${id}`, dan),
      await get(`sessions/${id}/status`, dan),
      await get(`results/${id}`, dan),
      await post(`sessions/${id}/cancel`, {}, dan),
      await post(`sessions/${id}/resume`, {}, dan),
      await platform.ask(`${PIPELINE}/sessions/${id}`, { method: 'DELETE', token: dan }),
    ];
    for (const { status, body } of attempts)
      expect([status, body.error_code]).toEqual([404, 'session_not_found']);
    expect((await get('history?user_id=ana', dan)).body.error_code).toBe('forbidden_role');
    const staff = await platform.token({ realm: 'admins', user: 'vlad', role: 'moderator' });
    expect((await get('history?user_id=ana', staff)).body.data.pagination.total).toBeGreaterThan(0);
    const namesake = await platform.token({ realm: 'admins', user: 'ana', role: 'moderator' });
    expect((await get(`sessions/${id}`, namesake)).status).toBe(404);
    expect((await get('history', namesake)).body.data.pagination.total).toBe(0);
  });

  it('cancels what runs, resumes it, and does not cancel what has ended', async () => {
    const asked = once(site, 'slow');
    const accepted = await post('analyze-async', { media_type: 'url', url: `${origin}/slow` });
    const id = accepted.body.data.session_id;
    const [response] = await asked;
    const left = once(response, 'close');
    const canceled = await post(`sessions/${id}/cancel`, { reason: 'no longer needed' });
    expect([canceled.status, canceled.body.data]).toEqual([
      200,
      { session_id: id, status: 'canceled', cancel_requested_at: expect.any(String) },
    ]);
    // The work stops with it: the page is not waited for.
    await left;
    const again = await post(`sessions/${id}/cancel`, {});
    expect([again.status, again.body.data]).toEqual([200, canceled.body.data]);
    expect((await get(`results/${id}`)).body.data).toMatchObject({ status: 'canceled', verdict: null });

    const askedAgain = once(site, 'slow');
    expect((await post(`sessions/${id}/resume`, {})).status).toBe(202);
    const [second] = await askedAgain;
    second.writeHead(200, { 'content-type': 'text/html' }).end(ARTICLE);
    expect((await platform.final(id, ana)).body.data).toMatchObject({
      status: 'completed',
      input_title: 'Council approves bus budget',
    });
    const late = await post(`sessions/${id}/cancel`, {});
    expect([late.status, late.body.error_code]).toEqual([409, 'invalid_transition']);
  });

  it('deletes a session for good', async () => {
    const { session_id: id } = await analyze({ media_type: 'text', text: ENGLISH });
    const removed = await platform.ask(`${PIPELINE}/sessions/${id}`, { method: 'DELETE', token: ana });
    expect([removed.status, removed.body.data.session_id]).toEqual([200, id]);
    for (const path of [`sessions/${id}`, `results/${id}`, `sessions/${id}/status`])
      expect((await get(path)).body.error_code).toBe('session_not_found');
    expect((await get('history?limit=100')).text).not.toContain(id);
  });

  it('carries one correlation id from the gateway to the session’s errors', async () => {
    const id = '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e';
    const refused = await platform.ask(`${PIPELINE}/sessions/none`, {
      token: ana,
      headers: { 'x-correlation-id': id },
    });
    expect([refused.headers.get('x-correlation-id'), refused.body.correlation_id]).toEqual([id, id]);
  });
});
