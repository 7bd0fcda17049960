import type { Handlers } from '../../../foundation/service.ts';
import { FEEDBACK_PARTS, type feedbackOperations } from '../contract/feedback.ts';
import { errors } from '../errors.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import { isFinal } from '../session/states.ts';
import { type StoredFeedback, storeFeedback } from '../store/feedback.ts';
import {
  accountOfCaller,
  callerOf,
  ownSession,
  type PipelineDependencies,
  wholeSession,
} from './pipeline-dependencies.ts';

type Part = (typeof FEEDBACK_PARTS)[number];

/** The codes or ids of the items of a part; none where it has no list of them. */
function itemsOf(session: AnalysisSession, part: Part): readonly string[] {
  if (part === 'techniques') return session.techniques?.techniques_detected.map(({ code }) => code) ?? [];
  if (part === 'ai_tampered') return session.ai_tampered?.indicators_detected.map(({ code }) => code) ?? [];
  if (part === 'claims') return session.claims?.claims_verified.map(({ id }) => id) ?? [];
  return [];
}

/** The part that a target names; throws when the session does not have it. */
function partOf(session: AnalysisSession, target: string): Part {
  const [name, item] = target.split('/');
  const part = FEEDBACK_PARTS.find((each) => each === name && session[each] !== null);
  if (part !== undefined && (item === undefined || itemsOf(session, part).includes(item))) return part;
  const message = `The session has no ${target}.`;
  throw errors.validation_failed({
    message,
    details: [{ path: ['body', 'target'], type: 'value_error', message }],
  });
}

/** An opinion as the wire has it. */
function opinionFields({
  session_id,
  target,
  agree,
  label,
  comment,
  created_at,
  updated_at,
}: StoredFeedback) {
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
  return { session_id, target, agree, label, comment, ...times };
}

/** The handler of opinions. */
export function feedbackRoutes(dependencies: PipelineDependencies): Handlers<typeof feedbackOperations> {
  return {
    feedback: async ({ params, body }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      if (!isFinal(record.session.status)) throw errors.result_not_ready();
      const { target, agree, label = null, comment = null } = body;
      const part = partOf(await wholeSession(dependencies, record), target);
      const stored = await storeFeedback(dependencies.queries, {
        session_id: record.session.sessionId,
        account: accountOfCaller(callerOf(call)),
        target,
        agree,
        label,
        comment,
      });
      if (stored.is_new) dependencies.metrics.feedback(part, agree);
      return { success: true, data: opinionFields(stored) };
    },
  };
}
