import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../../src/foundation/api-keys.ts';
import { fillPath, type Operation } from '../../../../src/foundation/contract.ts';
import { analysis } from '../../../../src/services/analysis/contract.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const KEYS = '/api/extension-keys';
const TEXT = 'A text that is long enough to be analysed by everything that reads it.';
const PICTURE = { media_type: 'image', media_url: 'https://example.com/a.png', dry_run: true };
const ANA = 'clients/ana/user';
const BOB = 'clients/bob/user';

/** What a key may do, written down apart from the contract. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  analyze: [
    'analyze',
    'analyzeAsync',
    'dryRun',
    'analyzeMedia',
    'aiTamperedAnalyzeImage',
    'aiTamperedQuick',
    'aiTamperedAnalyze',
    'aiTamperedAnalyzeAsync',
    'aiTamperedAnalyzeMedia',
    'claimsAnalyze',
    'claimsAnalyzeAsync',
    'claimsAnalyzeMedia',
    'techniquesAnalyze',
    'techniquesAnalyzeAsync',
    'techniquesAnalyzeMedia',
    'sourceAssessmentAnalyze',
    'sourceAssessmentAnalyzeAsync',
    'sourceAssessmentAnalyzeMedia',
    'domainAnalyze',
    'domainAnalyzeAsync',
  ],
  read: [
    'session',
    'sessionStatus',
    'result',
    'checkpoints',
    'report',
    'progress',
    'history',
    'aiTamperedResults',
    'claimsResults',
    'techniquesResults',
  ],
};

const operations: [name: string, operation: Operation][] = Object.entries(analysis.operations);
const closed = operations.filter(([, { access }]) => access !== 'public');
const scopeOf = (name: string) => Object.keys(ALLOWED).find((scope) => ALLOWED[scope]?.includes(name));

describe('the contract', () => {
  it('opens exactly these operations to keys', () => {
    const open = operations.flatMap(([name, { keyScope }]) =>
      keyScope === undefined ? [] : [`${keyScope} ${name}`],
    );
    const expected = Object.entries(ALLOWED).flatMap(([scope, names]) =>
      names.map((name) => `${scope} ${name}`),
    );
    expect(open.sort()).toEqual(expected.sort());
  });
});

forEachEngine((engine) => {
  let service: RunningAnalysis;
  beforeAll(async () => {
    service = await startAnalysis(engine.database());
  });
  afterAll(() => service.close());

  const issue = (body: Record<string, unknown> = { label: 'laptop' }, as = ANA) =>
    service.ask('POST', KEYS, { as, body });
  const withKey = (key: string, method: Operation['method'], path: string, body?: unknown) =>
    service.ask(method, path, {
      as: null,
      headers: { 'x-api-key': key },
      ...(body !== undefined && { body }),
    });
  const call = (key: string, { method, path, body }: Operation) =>
    withKey(
      key,
      method,
      fillPath(path, { sessionId: randomUUID(), id: randomUUID(), queueId: 1 }),
      body === undefined
        ? undefined
        : /media|image/.test(path)
          ? PICTURE
          : { media_type: 'text', text: TEXT, dry_run: true },
    );

  describe('every operation', () => {
    let key: string;
    const scoped: Record<string, string> = {};
    beforeAll(async () => {
      key = (await issue()).body.data.key;
      // The key of an administrator opens no more than any other.
      scoped.analyze = (await issue({ label: 'a', scopes: ['analyze'] }, ADMIN)).body.data.key;
      scoped.read = (await issue({ label: 'r', scopes: ['read'] }, ADMIN)).body.data.key;
    });

    it.each(closed)('%s asks for a credential and heeds the scope of a key', async (name, operation) => {
      const path = fillPath(operation.path, { sessionId: randomUUID(), id: randomUUID(), queueId: 1 });
      expect(await service.ask(operation.method, path, { as: null })).toMatchObject({ status: 401 });
      expect(await call(createApiKey().key, operation)).toMatchObject({
        status: 401,
        body: { error_code: 'api_key_invalid' },
      });
      const scope = scopeOf(name);
      for (const [holds, used] of [['analyze read', key], ...Object.entries(scoped)] as const) {
        const answer = await call(used, operation);
        if (scope !== undefined && holds.includes(scope)) expect([200, 202, 404]).toContain(answer.status);
        else expect(answer).toMatchObject({ status: 403, body: { error_code: 'forbidden_role' } });
      }
    });
  });

  it('is shown once and stored as a hash', async () => {
    const { status, body } = await issue({ label: '  Firefox  ', expires_at: '2100-01-01T00:00:00Z' });
    expect(status).toBe(200);
    const { key, ...shown } = body.data;
    expect(shown).toMatchObject({
      label: 'Firefox',
      prefix: key.slice(0, 12),
      scopes: ['analyze', 'read'],
      expires_at: '2100-01-01T00:00:00.000Z',
      last_used_at: null,
    });
    const { body: list } = await service.ask('GET', KEYS, { as: ANA });
    expect(list.data.items[0]).toEqual(shown);
    expect(list.data.pagination).toMatchObject({ page: 1, total: list.data.items.length });
    expect(JSON.stringify(list)).not.toContain(key);
    const rows = await engine
      .database()
      .kysely<AnalysisTables>()
      .selectFrom('extension_key')
      .selectAll()
      .execute();
    expect(JSON.stringify(rows)).not.toContain(key.slice(12));
  });

  it('analyses for its owner, as the extension, and reads nothing of anybody else', async () => {
    const [own, other] = await Promise.all([issue(), issue({ label: 'x' }, BOB)]);
    const key: string = own.body.data.key;
    const { body } = await withKey(key, 'POST', '/api/v3/pipeline/analyze', {
      media_type: 'text',
      text: TEXT,
    });
    expect(body.data).toMatchObject({ status: 'completed', source_app: 'extension', user_id: 'ana' });
    const path = `/api/v3/pipeline/sessions/${body.data.session_id}`;
    expect((await withKey(key, 'GET', path)).status).toBe(200);
    expect((await service.ask('GET', path, { as: ANA })).status).toBe(200);
    expect((await withKey(other.body.data.key, 'GET', path)).status).toBe(404);
    const history = await withKey(other.body.data.key, 'GET', '/api/v3/pipeline/history');
    expect(history.body.data.items).toEqual([]);
  });

  it('of staff reads nobody else’s history', async () => {
    const { key } = (await issue({ label: 'x' }, ADMIN)).body.data;
    const answer = await withKey(key, 'GET', '/api/v3/pipeline/history?user_id=ana');
    expect(answer).toMatchObject({ status: 403, body: { error_code: 'forbidden_role' } });
  });

  it('notes its use at most once a minute', async () => {
    const { key, id } = (await issue()).body.data;
    const queries = engine.database().kysely<AnalysisTables>();
    const lastUse = async () => {
      const found = queries.selectFrom('extension_key').select('last_used_at').where('key_id', '=', id);
      return (await found.executeTakeFirstOrThrow()).last_used_at?.getTime() ?? null;
    };
    const use = () => withKey(key, 'GET', '/api/v3/pipeline/history');
    const set = (seconds: number) =>
      queries
        .updateTable('extension_key')
        .set({ last_used_at: new Date(Date.now() - seconds * 1000) })
        .where('key_id', '=', id)
        .execute();
    expect(await lastUse()).toBeNull();
    await use();
    expect(await lastUse()).not.toBeNull();
    await set(20);
    const recent = await lastUse();
    await use();
    expect(await lastUse()).toBe(recent);
    await set(120);
    const old = await lastUse();
    await use();
    expect(await lastUse()).toBeGreaterThan(old ?? 0);
    const { body } = await service.ask('GET', KEYS, { as: ANA });
    const item = body.data.items.find((each: { id: string }) => each.id === id);
    expect(item.last_used_at).not.toBeNull();
  });

  it('opens nothing once it is revoked, by its owner alone', async () => {
    const { key, id } = (await issue()).body.data;
    const use = () => withKey(key, 'GET', '/api/v3/pipeline/history');
    expect((await service.ask('DELETE', `${KEYS}/${id}`, { as: BOB })).status).toBe(404);
    expect((await use()).status).toBe(200);
    const revoked = await service.ask('DELETE', `${KEYS}/${id}`, { as: ANA });
    expect(revoked).toMatchObject({ status: 200, body: { success: true, data: { id } } });
    expect(await use()).toMatchObject({ status: 401, body: { error_code: 'api_key_invalid' } });
    expect((await service.ask('DELETE', `${KEYS}/${id}`, { as: ANA })).body).toEqual(revoked.body);
    const { body } = await service.ask('GET', KEYS, { as: ANA });
    expect(body.data.items.map((each: { id: string }) => each.id)).not.toContain(id);
    expect((await service.ask('DELETE', `${KEYS}/nonsense`, { as: ANA })).status).toBe(404);
  });

  it('opens nothing once it has expired', async () => {
    const { key, id } = (await issue({ label: 'x', expires_at: '2100-01-01T00:00:00Z' })).body.data;
    expect((await withKey(key, 'GET', '/api/v3/pipeline/history')).status).toBe(200);
    await engine
      .database()
      .kysely<AnalysisTables>()
      .updateTable('extension_key')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('key_id', '=', id)
      .execute();
    expect((await withKey(key, 'GET', '/api/v3/pipeline/history')).status).toBe(401);
  });

  it('stands alone: two credentials in one request are refused', async () => {
    const { key } = (await issue()).body.data;
    const both = await service.ask('GET', '/api/v3/pipeline/history', {
      as: ANA,
      headers: { 'x-api-key': key },
    });
    expect(both).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
  });

  it.each([
    ['no label', {}],
    ['an empty label', { label: ' ' }],
    ['a label with a NUL', { label: 'a\0' }],
    ['half of a surrogate pair', { label: '\ud800' }],
    ['no scope', { label: 'x', scopes: [] }],
    ['a scope that does not exist', { label: 'x', scopes: ['admin'] }],
    ['an end in the past', { label: 'x', expires_at: '2001-01-01T00:00:00Z' }],
    ['an end that is no moment', { label: 'x', expires_at: 'tomorrow' }],
  ])('is not issued with %s', async (_case, body) => {
    expect(await issue(body)).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
  });

  it('is one of 50 of an owner at most, however many are asked for at once', async () => {
    const CARL = 'clients/carl/user';
    const answers = await Promise.all(Array.from({ length: 60 }, () => issue({ label: 'x' }, CARL)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    const id = answers.find(({ status }) => status === 200)?.body.data.id;
    await service.ask('DELETE', `${KEYS}/${id}`, { as: CARL });
    expect((await issue({ label: 'x' }, CARL)).status).toBe(200);
  });
});
