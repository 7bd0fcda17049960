import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Database } from '../../../../src/foundation/database/database.ts';
import { DatabaseLedger } from '../../../../src/services/llm/usage/ledger.ts';
import type { LlmTables } from '../../../../src/services/llm/usage/tables.ts';
import type { UsageEntry } from '../../../../src/services/llm/usage/usage-entry.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { until } from '../../../patience.ts';
import { CHAT, chat, startGateway } from '../running-gateway.ts';
import { begin, done, event, json, plainAnswer, usageEvent } from '../upstream.ts';

const log = pino({ level: 'silent' });
/** Never by itself: the tests write when they want to. */
const NEVER = 600_000;

const entry = (more: Partial<UsageEntry> = {}): UsageEntry => ({
  caller: 'ana',
  backend: 'gpu',
  model: 'm',
  operation: 'chat',
  outcome: 'ok',
  source: 'reported',
  tokens: { promptTokens: 10, completionTokens: 5, cost: null },
  cost: 0.25,
  durationMs: 100,
  firstEventMs: 20,
  ...more,
});

forEachEngine((engine) => {
  const database = () => engine.database();
  const ledgerOf = (open: () => Promise<Database> = async () => database()) =>
    new DatabaseLedger(open, log, NEVER);
  const rowsOf = (caller: string) =>
    database().kysely<LlmTables>().selectFrom('llm_usage').selectAll().where('caller', '=', caller).execute();
  const sumOf = async (caller: string) => (await rowsOf(caller)).reduce((sum, row) => sum + row.requests, 0);

  it('adds up what each caller used of each model', async () => {
    const ledger = ledgerOf();
    ledger.record(entry());
    ledger.record(
      entry({
        outcome: 'error',
        source: 'unknown',
        tokens: { promptTokens: null, completionTokens: null, cost: null },
        cost: null,
        firstEventMs: null,
      }),
    );
    ledger.record(
      entry({
        outcome: 'aborted',
        source: 'counted',
        tokens: { promptTokens: null, completionTokens: 3, cost: null },
      }),
    );
    ledger.record(entry({ model: 'n' }));
    await ledger.flush();
    ledger.record(entry());
    await ledger.close();
    const rows = await rowsOf('ana');
    const total = (
      name:
        | 'requests'
        | 'errors'
        | 'aborted'
        | 'counted'
        | 'unknown'
        | 'cached'
        | 'prompt_tokens'
        | 'completion_tokens'
        | 'cost'
        | 'unpriced'
        | 'duration_ms'
        | 'first_events'
        | 'first_event_ms',
    ) => rows.filter(({ model }) => model === 'm').reduce((sum, row) => sum + row[name], 0);
    expect(total('requests')).toBe(4);
    expect([total('errors'), total('aborted'), total('counted'), total('unknown')]).toEqual([1, 1, 1, 1]);
    expect([total('prompt_tokens'), total('completion_tokens')]).toEqual([20, 13]);
    expect([total('cost'), total('unpriced')]).toEqual([0.75, 1]);
    expect([total('duration_ms'), total('first_events'), total('first_event_ms')]).toEqual([400, 3, 60]);
    expect(rows.filter(({ model }) => model === 'n')).toHaveLength(1);
  });

  it('keeps everything while the database is away, and writes it once when it is back', async () => {
    let away = true;
    const ledger = ledgerOf(async () => {
      if (away) throw new Error('away');
      return database();
    });
    for (let index = 0; index < 1000; index++) ledger.record(entry({ caller: 'bo' }));
    await ledger.flush();
    ledger.record(entry({ caller: 'bo' }));
    await ledger.flush();
    away = false;
    await ledger.close();
    expect(await sumOf('bo')).toBe(1001);
  });

  it('does not add a batch twice when only the answer was lost', async () => {
    let lose = true;
    const ledger = ledgerOf(async () => ({
      ...database(),
      kysely: <Tables>() => {
        const real = database().kysely<Tables>();
        if (!lose) return real;
        lose = false;
        const transaction = () => ({
          execute: async (work: Parameters<ReturnType<typeof real.transaction>['execute']>[0]) => {
            await real.transaction().execute(work);
            throw new Error('the answer was lost');
          },
        });
        return new Proxy(real, {
          get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key)),
        });
      },
    }));
    ledger.record(entry({ caller: 'cy' }));
    await ledger.flush();
    expect(await sumOf('cy')).toBe(1);
    await ledger.close();
    expect(await sumOf('cy')).toBe(1);
  });

  it('is bounded in what it keeps, whatever names callers invent', async () => {
    const ledger = ledgerOf();
    for (let index = 0; index < 10_500; index++)
      ledger.record(entry({ caller: 'dan', model: `model ${index}` }));
    await ledger.close();
    const kept = await sumOf('dan');
    const { rest } = await database()
      .kysely<LlmTables>()
      .selectFrom('llm_usage')
      .select(sql<number>`sum(requests)::int`.as('rest'))
      .where('caller', '=', 'other')
      .executeTakeFirstOrThrow();
    expect(kept + rest).toBe(10_500);
    expect(rest).toBeGreaterThanOrEqual(500);
  });

  it('takes every name that a caller may send', async () => {
    const ledger = ledgerOf();
    for (const model of ['nul\0', '\ud800', '😀'.repeat(150), "'; drop table llm_usage; --"])
      ledger.record(entry({ caller: 'fay', model }));
    await ledger.close();
    expect(await sumOf('fay')).toBe(4);
  });

  it('hears of answers from memory, and of what backends claim', async () => {
    const gateway = await startGateway(
      {
        LLM_USAGE: 'true',
        LLM_USAGE_FLUSH_MS: '600000',
        LLM_API_TOKENS: 'gus',
        LLM_CACHE_MAX_BYTES: '1000000',
      },
      { database: async () => database() },
    );
    const as = { authorization: 'Bearer gus' };
    for (let index = 0; index < 3; index++) {
      const { headers } = await gateway.post(CHAT, chat({ model: 'cached' }), as);
      expect(headers['x-limpede-cache']).toBe(index === 0 ? undefined : 'hit');
    }
    for (const prompt_tokens of [1.5, 1e300, -1, '7']) {
      gateway.gpu.script = ({ response }) =>
        json(response, 200, { ...plainAnswer, usage: { prompt_tokens, completion_tokens: 2 } });
      await gateway.post(CHAT, chat({ model: 'odd', seed: prompt_tokens }), as);
    }
    await gateway.close();
    const rows = await database().kysely<LlmTables>().selectFrom('llm_usage').selectAll().execute();
    const of = (name: string) => rows.filter(({ model }) => model === name);
    expect(of('cached')).toMatchObject([
      {
        backend: 'gpu',
        requests: 3,
        cached: 2,
        errors: 0,
        prompt_tokens: 5,
        completion_tokens: 2,
        unpriced: 1,
      },
    ]);
    expect(of('odd')).toMatchObject([{ requests: 4, prompt_tokens: 0, completion_tokens: 8 }]);
  });

  it('hears of plain answers, streams, failures and callers that leave', async () => {
    const gateway = await startGateway(
      { LLM_USAGE: 'true', LLM_USAGE_FLUSH_MS: '600000', LLM_API_TOKENS: 'eve', LLM_RETRIES: '0' },
      { database: async () => database() },
    );
    const as = { authorization: 'Bearer eve' };
    await gateway.post(CHAT, chat(), as);
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.end(event('a') + event(undefined, 'stop') + usageEvent + done);
    };
    await gateway.post(CHAT, chat({ stream: true }), as);
    gateway.gpu.script = ({ response }) => json(response, 500, plainAnswer);
    await gateway.post(CHAT, chat(), as);
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a') + event('b'));
    };
    const leaving = gateway.send(CHAT, chat({ stream: true }), as);
    await leaving.seen('"b"');
    leaving.leave();
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
    await gateway.close();
    const rows = await database()
      .kysely<LlmTables>()
      .selectFrom('llm_usage')
      .selectAll()
      .where('caller', 'like', 'token-%')
      .where('model', '=', 'm')
      .execute();
    const total = (
      name: 'requests' | 'errors' | 'aborted' | 'counted' | 'prompt_tokens' | 'completion_tokens',
    ) => rows.reduce((sum, row) => sum + row[name], 0);
    expect([total('requests'), total('errors'), total('aborted'), total('counted')]).toEqual([4, 1, 1, 1]);
    // Two reported answers of 5 and 2 tokens, and two events that were counted before the caller left.
    expect([total('prompt_tokens'), total('completion_tokens')]).toEqual([10, 6]);
  });
});
