import type { TaskReply } from '../dependencies/text-model/text-model.ts';
import type { Degradation } from '../reasons.ts';
import type { Reliability } from '../session/outcome.ts';

/** The name of the text models among the dependencies. */
const DEPENDENCY = 'llm';

/** The degradations to record for a text model: none when it answered; `off` costs no quality; `lost` means our engine stood in. */
export function modelDegradations(reply: TaskReply<unknown>): Degradation[] {
  switch (reply.state) {
    case 'answered':
    case 'own':
      return [];
    case 'off':
      return [{ dependency: DEPENDENCY, reason: 'unavailable', effect: 'own_engine' }];
    case 'lost':
      return [{ dependency: DEPENDENCY, reason: reply.reason, effect: 'fallback' }];
  }
}

/** Reliability, fallbacks and degradations of a component, from the reply of its text model. */
export function modelOutcome(reply: TaskReply<unknown>): {
  reliability: Reliability;
  fallbacks: number;
  degraded: Degradation[];
} {
  return {
    reliability: reply.state === 'lost' ? 'fallback' : 'planned',
    fallbacks: reply.state === 'answered' ? reply.fallbacks : 0,
    degraded: modelDegradations(reply),
  };
}

/** The reply with its value checked by `judge`; an answer of which nothing can be used becomes `lost`. */
export function judgeReply<Value, Kept>(
  reply: TaskReply<Value>,
  judge: (value: Value) => Kept | undefined,
): TaskReply<Kept> {
  if (reply.state !== 'answered') return reply;
  const value = judge(reply.value);
  return value === undefined ? { state: 'lost', reason: 'invalid_answer' } : { ...reply, value };
}
