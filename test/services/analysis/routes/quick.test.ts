import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
/** All requests to other services, on one address. */
const calls: string[] = [];
const outside = createServer((request, response) => {
  calls.push(request.url ?? '');
  response.writeHead(500).end();
});
let database: Database;
let service: RunningAnalysis;
beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(database, { LLM_URL: url, WEB_URL: url, DOMAIN_CHECK_URL: url });
  // The start looks once which model serves.
  await eventually(() => expect(calls).toContain('/v1/models'));
  calls.length = 0;
});
afterAll(async () => {
  await service.close();
  await database.close();
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
  home.remove();
});

const quick = (body: unknown, headers?: Record<string, string>) =>
  service.ask('POST', '/api/v3/ai-tampered/quick', { body, ...(headers !== undefined && { headers }) });
const TEXT =
  'As an AI language model, I cannot browse the web. Prices rose by 12 percent in the last year, it seems.';

describe('the quick check', () => {
  it('judges a text by our own engine, and asks nobody', async () => {
    const { status, body } = await quick({ media_type: 'text', text: TEXT });
    expect(status).toBe(200);
    const session = analysisSession.parse(body.data);
    expect(session).toMatchObject({ status: 'completed', components_run: ['ai_tampered'], degraded: [] });
    expect(session.ai_tampered?.indicators_detected.length).toBeGreaterThan(0);
    expect(session.verdict?.explanation_ro).not.toBe('');
    expect(calls).toEqual([]);
  });

  it.each([
    ['url', { media_type: 'url', url: 'https://example.org/a' }, 'quick_fetches_nothing'],
    ['image', { media_type: 'image', media_url: 'https://example.org/a.png' }, 'quick_fetches_nothing'],
  ])('fetches no %s, and says so', async (_kind, request, code) => {
    const { status, body } = await quick(request);
    expect(status).toBe(200);
    expect(analysisSession.parse(body.data)).toMatchObject({
      status: 'completed',
      risk_score: null,
      risk_category: 'inconclusive',
      degraded: [],
    });
    expect(body.data.skipped).toContainEqual(expect.objectContaining({ component: 'ai_tampered', code }));
    expect(calls).toEqual([]);
  });

  it('plans the same', async () => {
    const { data } = (await quick({ media_type: 'text', text: TEXT, dry_run: true })).body;
    expect(data.stages['verdict.explanation'].free).toEqual({ primary: 'limpede-explain-1', fallbacks: [] });
    expect([data.prompt_config_keys, data.estimate.calls]).toEqual([[], 0]);
  });

  it('is another request than the whole analysis under one key', async () => {
    const headers = { 'idempotency-key': 'one-key' };
    const request = { media_type: 'text', text: TEXT };
    const first = await quick(request, headers);
    expect((await quick(request, headers)).body.data.session_id).toBe(first.body.data.session_id);
    const whole = await service.ask('POST', '/api/v3/ai-tampered/analyze', { body: request, headers });
    expect([whole.status, whole.body.error_code]).toEqual([409, 'idempotency_conflict']);
  });

  it.each([
    ['an empty object', {}, 'validation_failed'],
    ['a short text', { media_type: 'text', text: 'Scurt.' }, 'text_length'],
    ['a picture without an address', { media_type: 'image' }, 'media_type_mismatch'],
  ])('refuses %s', async (_name, request, code) => {
    const answer = await quick(request);
    expect([answer.status, answer.body.error_code]).toEqual([400, code]);
  });
});
