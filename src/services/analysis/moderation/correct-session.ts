import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { untimedTask } from '../engines/text-engines.ts';
import { errors } from '../errors.ts';
import type { StepRunners } from '../pipeline/run.ts';
import { byComponent } from '../resources/component-name.ts';
import { blockOf, type Checkpoints, checkpointOf } from '../session/checkpoint.ts';
import type { RevisionContent } from '../session/revision.ts';
import { readCheckpoints } from '../store/checkpoints.ts';
import { readRevision } from '../store/revisions.ts';
import type { SessionRecord } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { type Corrections, correctBlocks, correctVerdict, decidedScore } from './corrections.ts';

/** A session's result before and after a correction. */
export interface CorrectedResult {
  readonly before: RevisionContent;
  readonly after: RevisionContent;
}

/** The automatic result, as the checkpoints have it. */
function automaticResult(checkpoints: Checkpoints): RevisionContent {
  const verdict = checkpointOf(checkpoints, 'verdict')?.verdict;
  if (verdict === undefined) throw errors.invalid_transition({ message: 'The session has no verdict.' });
  return { ...byComponent<Omit<RevisionContent, 'verdict'>>((name) => blockOf(checkpoints, name)), verdict };
}

/** The checkpoints with other blocks in place of their own. */
function withBlocks(checkpoints: Checkpoints, blocks: Omit<RevisionContent, 'verdict'>): Checkpoints {
  return checkpoints.map((each) => {
    if (!('outcome' in each) || each.outcome.state !== 'ran') return each;
    return { ...each, outcome: { ...each.outcome, block: blocks[each.step] } } as typeof each;
  });
}

/** Creates the function that recomputes a session after corrections: its verdict is judged anew from the corrected blocks. */
export function createCorrectSession(
  queries: Kysely<AnalysisTables>,
  runners: Pick<StepRunners, 'makeVerdict'>,
  log: Logger,
) {
  return async (record: SessionRecord, corrections: Corrections): Promise<CorrectedResult> => {
    const { session, submission } = record;
    const { sessionId, plan } = session;
    const { checkpoints } = await readCheckpoints(queries, session, log);
    const stored =
      session.revision > 1 ? await readRevision(queries, sessionId, session.revision) : undefined;
    const before = stored ?? automaticResult(checkpoints);
    const blocks = correctBlocks(before, corrections, session.inputText, new Date());
    const decided = decidedScore(corrections);
    const material = checkpointOf(checkpoints, 'material');
    if (material === undefined) throw errors.invalid_transition({ message: 'The session has no material.' });
    const run = {
      ...untimedTask(session.account),
      correlationId: sessionId,
      planType: plan.planType,
      assignments: plan.assignments,
      tuning: plan.tuning,
    };
    const { verdict } = await runners.makeVerdict(
      { sessionId, submission, plan },
      material,
      withBlocks(checkpoints, blocks),
      run,
      {
        previous_category: before.verdict.risk_category,
        ...(decided !== undefined && { human_risk_score: decided }),
      },
    );
    return { before, after: { ...blocks, verdict: correctVerdict(verdict, corrections) } };
  };
}
