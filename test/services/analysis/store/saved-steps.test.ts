import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openDatabaseBroker } from '../../../../src/services/analysis/broker/database-broker.ts';
import { RESULTS_QUEUE } from '../../../../src/services/analysis/pipeline/plan.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { createStepSaving } from '../../../../src/services/analysis/store/saved-steps.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import { claimSteps } from '../../../../src/services/analysis/store/steps.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { CONFIG_VERSION, newSession, SKIPPED_CLAIMS, submissionOf } from '../harness.ts';

forEachEngine(
  (engine) => {
    const prepare = async () => {
      await engine.database().migrate('analysis', migrations);
      const broker = await openDatabaseBroker(engine.database(), silent);
      const queries = engine.database().kysely<AnalysisTables>();
      const created = newSession(submissionOf(), { checkpoints: [] });
      await insertSession(queries, { ...created, status: 'processing', lease: null });
      const { sessionId } = created;
      const step = (name: 'claims' | 'techniques') => ({
        sessionId,
        row: {
          checkpoint: { ...SKIPPED_CLAIMS, step: name },
          inputHash: created.submission.inputHash,
          configVersion: CONFIG_VERSION,
        } as Parameters<ReturnType<typeof createStepSaving>>[1][number]['row'],
        holder: null,
        message: {
          message_id: randomUUID(),
          queue: RESULTS_QUEUE,
          priority: 5 as const,
          body: { session_id: sessionId, step: name },
        },
        dependents: [{ name: 'verdict' as const, needs: ['claims' as const, 'techniques' as const] }],
      });
      const published = async () => (await broker.depth())[RESULTS_QUEUE]?.depth ?? 0;
      return { queries, broker, sessionId, step, published, save: createStepSaving(broker.publication) };
    };

    it('publishes once that steps ended which together free another, in one batch or apart', async () => {
      const { queries, broker, step, published, save } = await prepare();
      await save(queries, [step('claims')]);
      expect(await published()).toBe(0);
      await save(queries, [step('techniques'), step('claims')]);
      expect(await published()).toBe(1);
      await save(queries, [step('techniques')]);
      expect(await published()).toBe(1);
      await broker.close();
    });

    it('publishes once when steps of a session are stored by several at the same moment', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { queries, broker, step, published, save } = await prepare();
        const before = await published();
        await Promise.all([save(queries, [step('claims')]), save(queries, [step('techniques')])]);
        expect(await published()).toBe(before + 1);
        await broker.close();
      }
    });

    it('takes a step when all that it rests on has ended, and not again', async () => {
      const { queries, broker, sessionId } = await prepare();
      const ask = (step: 'material' | 'claims') =>
        claimSteps(queries, [{ sessionId, step, holder: randomUUID() }]);
      expect((await ask('claims'))[0]).toMatchObject({ held: false, rows: [] });
      expect((await ask('material'))[0]?.held).toBe(true);
      expect((await ask('material'))[0]?.held).toBe(false);
      expect(
        await claimSteps(queries, [{ sessionId: randomUUID(), step: 'claims', holder: randomUUID() }]),
      ).toEqual([undefined]);
      await broker.close();
    });
  },
  { empty: true },
);
