import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type RetentionRule, removeOldRows } from '../src/foundation/database/retention.ts';
import { accessRows } from '../src/services/analysis/store/access-log.ts';
import { migrations as analysis } from '../src/services/analysis/store/migrations.ts';
import { migrations as brain } from '../src/services/brain/migrations.ts';
import { factRows } from '../src/services/brain/store.ts';
import { migrations as identity } from '../src/services/identity/tables.ts';
import { auditRows } from '../src/services/identity/user-store.ts';
import { migrations as llm, usageRows } from '../src/services/llm/usage/tables.ts';
import { forEachEngine } from './foundation/database/engines.ts';

const DAYS = 100;
/** Ages in days: the first two are older than what is kept. */
const AGES = [900, 101, 29, 0];
const FACTS = { BRAIN_FACT_DAYS: DAYS, LIMPEDE_AUDIT_DAYS: DAYS };

/** What is kept for a while, with the columns that a row of it needs beside its time; `day` differs from row to row. */
const KEPT: readonly (readonly [RetentionRule[], Record<string, string>])[] = [
  [
    auditRows(DAYS),
    { identity_audit: "actor, action, realm, subject) values ('ana', 'password', 'admins', 'ana'" },
  ],
  [
    accessRows(DAYS),
    {
      analysis_access:
        "actor, roles, action, account, correlation_id) values ('ana', '{}', 'history', 'clients/ion', 'x'",
    },
  ],
  [
    factRows(FACTS),
    {
      brain_fact: `fact_id, scope, hash, claim, language, terms, pack, request, created_at, checked_at, next_check_at, interval_hours, hits)
        values (gen_random_uuid(), 's', gen_random_uuid(), 'c', 'en', '{}', '{}', '{}', now(), now(), now(), 1, 1`,
      brain_audit: "actor, action, reason) values ('ana', 'invalidated', 'old'",
    },
  ],
  [
    usageRows(DAYS),
    {
      llm_usage: `caller, backend, model, operation, requests, errors, aborted, counted, unknown, prompt_tokens, completion_tokens, cost,
        unpriced, duration_ms, first_events, first_event_ms) values ('c', 'cpu', 'm', 'chat', 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0`,
      llm_usage_latency: "backend, model, step, requests) values ('cpu', 'm', 1, 1",
      llm_usage_writer: 'writer, last_batch) values (gen_random_uuid(), 1',
    },
  ],
];

forEachEngine((engine) => {
  const run = async (text: string) =>
    (await sql.raw<{ count: number }>(text).execute(engine.database().kysely())).rows;
  const count = async (table: string) => (await run(`select count(*)::int from ${table}`))[0]?.count;

  it('keeps usage, records of who did what, and facts that nobody asks for as long as the settings say', async () => {
    for (const [owner, migrations] of Object.entries({ identity, analysis, brain, llm }))
      await engine.database().migrate(owner, migrations);
    for (const [kept, rows] of KEPT) {
      expect(kept.map(({ table }) => table)).toEqual(Object.keys(rows));
      for (const each of kept) {
        const { table, at } = each;
        for (const age of AGES)
          await run(
            `insert into ${table} (${at}, ${rows[table]?.replace('values (', `values (now() - interval '${age} days', `)})`,
          );
        expect(await removeOldRows(engine.database().kysely(), each), table).toBe(2);
        expect(await count(table), table).toBe(2);
      }
    }
  });

  it('keeps a fact that somebody has judged or locked, however old', async () => {
    const [facts] = factRows(FACTS);
    if (facts === undefined) throw new Error('facts are kept for a while');
    await run("update brain_fact set last_asked_at = now() - interval '900 days', locked_by = 'ana'");
    expect(await removeOldRows(engine.database().kysely(), facts)).toBe(0);
    await run(`update brain_fact set locked_by = null, verdict = '{"status": "true"}'`);
    expect(await removeOldRows(engine.database().kysely(), facts)).toBe(0);
    await run('update brain_fact set invalidated_at = now()');
    expect(await removeOldRows(engine.database().kysely(), facts)).toBe(2);
  });
});
