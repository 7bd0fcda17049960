import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  leaseExpiry,
  renewLeases,
  takeOverExpiredLeases,
} from '../../../../src/services/analysis/store/leases.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { newSession, submissionOf } from '../harness.ts';

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();

  const leased = async (owner: string, leaseMs: number) => {
    const created = newSession(submissionOf());
    const lease = { owner, until: leaseExpiry(leaseMs) };
    await insertSession(queries(), { ...created, status: 'running', lease });
    return created.sessionId;
  };

  it('leases of work that was given up run out although its process lives', async () => {
    await engine.database().migrate('analysis', migrations);
    const [working, givenUp, other] = [
      await leased('here', 5),
      await leased('here', 5),
      await leased('there', 5),
    ];
    await renewLeases(queries(), 'here', [working, other], 60_000);
    await sql`select pg_sleep(0.02)`.execute(queries());
    expect((await takeOverExpiredLeases(queries(), null)).sort()).toEqual([givenUp, other].sort());
  });

  it('takes leases that would be over by a time, and leaves those that end later', async () => {
    const by = new Date(Date.now() + 60_000);
    const [before, after] = [await leased('before', 30_000), await leased('after', 90_000)];
    expect(await takeOverExpiredLeases(queries(), null)).toEqual([]);
    expect(await takeOverExpiredLeases(queries(), by)).toContain(before);
    expect(await takeOverExpiredLeases(queries(), by)).not.toContain(after);
  });
});
