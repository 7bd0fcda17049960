import { expect, it } from 'vitest';
import type { Logger } from '../../../../src/foundation/log.ts';
import { checkpointOf } from '../../../../src/services/analysis/session/checkpoint.ts';
import {
  insertCheckpoints,
  listCheckpoints,
  readCheckpoints,
} from '../../../../src/services/analysis/store/checkpoints.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { CONFIG_VERSION, newSession, SKIPPED_CLAIMS, submissionOf } from '../harness.ts';

/** A log that keeps what it is warned of. */
function recordingLog() {
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => warnings.push(fields) } as unknown as Logger;
  return { log, warnings };
}

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();

  /** A stored session with a checkpoint of its claims, which is then changed. */
  async function stored(change: { version?: number; input_hash?: string; content?: object } = {}) {
    await engine.database().migrate('analysis', migrations);
    const { sessionId, ...created } = newSession(submissionOf(), { checkpoints: [] });
    await insertSession(queries(), { sessionId, ...created, status: 'processing', lease: null });
    const row = { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION };
    expect(await insertCheckpoints(queries(), sessionId, [row])).toEqual(['claims']);
    if (Object.keys(change).length > 0) {
      await queries()
        .updateTable('analysis_checkpoint')
        .set({
          ...change,
          ...(change.content === undefined ? {} : { content: JSON.stringify(change.content) }),
        })
        .where('session_id', '=', sessionId)
        .execute();
    }
    return { sessionId, inputHash: 'hash' };
  }

  it('a checkpoint is read as it was stored, with the configuration that it was made under', async () => {
    const { log, warnings } = recordingLog();
    const { checkpoints, unusable, configVersions } = await readCheckpoints(queries(), await stored(), log);
    expect(checkpoints).toEqual([SKIPPED_CLAIMS]);
    expect(unusable).toEqual([]);
    expect([...configVersions]).toEqual([['claims', CONFIG_VERSION]]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['of another schema version', { version: 0 }, 'its schema version is 0'],
    ['of another input', { input_hash: 'other' }, 'it was made from another input'],
    ['of another step', { content: { ...SKIPPED_CLAIMS, step: 'domain' } }, 'it is of another step'],
    ['that is no checkpoint', { content: { quote: 'none' } }, 'Invalid'],
  ])('a checkpoint %s counts as absent, and is logged', async (_name, change, reason) => {
    const { log, warnings } = recordingLog();
    const owner = await stored(change);
    expect(await readCheckpoints(queries(), owner, log)).toEqual({
      checkpoints: [],
      unusable: ['claims'],
      configVersions: new Map(),
    });
    expect(warnings).toMatchObject([
      { session_id: owner.sessionId, step: 'claims', reason: expect.stringContaining(reason) },
    ]);
    expect(await listCheckpoints(queries(), owner.sessionId)).toMatchObject([{ step: 'claims' }]);
  });

  it('a material keeps its text in the row of its session alone', async () => {
    await engine.database().migrate('analysis', migrations);
    const text = 'A text that is kept once, and found again.';
    const { sessionId, ...created } = newSession(submissionOf({ text }));
    await insertSession(queries(), { sessionId, ...created, status: 'processing', lease: null });
    const owner = { sessionId, inputHash: 'hash' };
    const { checkpoints } = await readCheckpoints(queries(), owner, recordingLog().log);
    expect(checkpoints).toEqual(created.checkpoints.map(({ checkpoint }) => checkpoint));
    expect(checkpointOf(checkpoints, 'material')?.material.parts.text?.text).toBe(text);
    const { content } = await queries()
      .selectFrom('analysis_checkpoint')
      .select('content')
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(content)).not.toContain(text);
  });

  it('a checkpoint that is there stays', async () => {
    const { log } = recordingLog();
    const owner = await stored();
    const row = { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: 'another' };
    expect(await insertCheckpoints(queries(), owner.sessionId, [row])).toEqual([]);
    const { configVersions } = await readCheckpoints(queries(), owner, log);
    expect(configVersions.get('claims')).toBe(CONFIG_VERSION);
  });
});
