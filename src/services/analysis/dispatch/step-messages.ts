import type { Transaction } from 'kysely';
import { z } from 'zod';
import { traceHeaders } from '../../../foundation/tracing/tracing.ts';
import type { Broker, OutgoingMessage } from '../broker/broker.ts';
import { COMPONENTS } from '../resources/component-name.ts';
import type { PlanStep } from '../session/plan.ts';
import type { AnalysisTables } from '../store/tables.ts';

const STEPS = ['material', ...COMPONENTS, 'verdict'] as const;

/** What travels in the queues: which step of which session, and the id under which its log lines stand. */
export const stepMessage = z.object({
  session_id: z.uuid(),
  step: z.enum(STEPS),
  correlation_id: z.string(),
  /** Of a result: the steps that may start now. Without it they are read from the session. */
  freed: z.array(z.enum(STEPS)).optional(),
  /** The span that published it, in W3C form. */
  traceparent: z.string().optional(),
});
/** A message of a queue. */
export type StepMessage = z.infer<typeof stepMessage>;

/** The messages that begin steps of a session. */
export function stepMessages(
  session: { readonly sessionId: string; readonly correlationId: string },
  steps: readonly Pick<PlanStep, 'name' | 'queue' | 'priority'>[],
): (OutgoingMessage & Pick<PlanStep, 'priority'>)[] {
  return steps.map(({ name, queue, priority }) => {
    const body: StepMessage = {
      session_id: session.sessionId,
      step: name,
      correlation_id: session.correlationId,
      ...traceHeaders(),
    };
    return { queue, body, priority };
  });
}

/** Publishes steps of a session: they exist if and only if what led to them does. */
export async function publishSteps(
  broker: Broker,
  transaction: Transaction<AnalysisTables>,
  session: { readonly sessionId: string; readonly correlationId: string },
  steps: readonly Pick<PlanStep, 'name' | 'queue' | 'priority'>[],
): Promise<void> {
  const messages = stepMessages(session, steps);
  if (messages.length > 0) await broker.publish(messages, { transaction });
}
