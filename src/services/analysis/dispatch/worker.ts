import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Logger } from '../../../foundation/log.ts';
import type { Broker, DeadLetter, Delivery } from '../broker/broker.ts';
import { withoutText } from '../pipeline/material.ts';
import { next, queueOf, RESULTS_QUEUE } from '../pipeline/plan.ts';
import { Canceled, type Checkpoint, lostComponent, runStep, type StepRunners } from '../pipeline/run.ts';
import { type Checkpoints, doneSteps, type MaterialCheckpoint } from '../session/checkpoint.ts';
import type { Plan, PlanStep, StepName } from '../session/plan.ts';
import { isFinal } from '../session/states.ts';
import {
  findSession,
  insertCheckpoints,
  moveSession,
  readCheckpoints,
  type SessionRecord,
  storeMaterial,
} from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { ActiveSessions } from './active-sessions.ts';
import { storeEnd } from './direct.ts';

/** What travels in the queues: which step of which session, and the id under which its log lines stand. */
export const stepMessage = z.object({
  session_id: z.uuid(),
  node: z.enum(['material', 'techniques', 'ai_tampered', 'claims', 'domain', 'verdict']),
  correlation_id: z.string(),
});
/** A message of a queue. */
export type StepMessage = z.infer<typeof stepMessage>;

/** What the asynchronous form works with. */
export interface WorkerDependencies {
  readonly queries: Kysely<AnalysisTables>;
  readonly broker: Broker;
  readonly runners: StepRunners;
  readonly activeSessions: ActiveSessions;
  readonly log: Logger;
  /** Called when a session of this user has ended and its slot is free. */
  readonly slotFree: (account: string) => Promise<void>;
}

/** Publishes steps of a session in a transaction, so that they exist if and only if what led to them does. */
export async function publishSteps(
  broker: Broker,
  transaction: Transaction<AnalysisTables>,
  session: { sessionId: string; correlationId: string },
  steps: readonly PlanStep[],
): Promise<void> {
  const messages = steps.map(({ node, queue, priority }) => {
    const body: StepMessage = { session_id: session.sessionId, node, correlation_id: session.correlationId };
    return { queue, body, priority };
  });
  if (messages.length > 0) await broker.publish(messages, { transaction });
}

/** The steps that became possible by the end of this one: those that waited for it and for nothing else. */
export function freedBy(plan: Plan, done: ReadonlySet<StepName>, finished: StepName): PlanStep[] {
  return next(plan, done).filter(({ dependsOn }) => dependsOn.includes(finished));
}

/** The checkpoint of a step that was tried too often; null for the verdict, without which there is no result. */
function givenUp(step: PlanStep, record: SessionRecord): Checkpoint | null {
  if (step.node === 'verdict') return null;
  if (step.node !== 'material')
    return lostComponent(step.node, 'unavailable', { code: 'component_failed_repeatedly', values: {} });
  return {
    material: withoutText(record.submission, { code: 'page_step_failed', values: {} }),
    degraded: [{ dependency: 'web', reason: 'unavailable', effect: 'part_missing' }],
  };
}

/** The session and the step of a message; undefined when nothing is left to do for it. */
async function load(queries: Kysely<AnalysisTables>, message: StepMessage) {
  const record = await findSession(queries, message.session_id);
  if (record === undefined || isFinal(record.session.status)) return undefined;
  const step = record.session.plan.nodes.find(({ node }) => node === message.node);
  return step === undefined ? undefined : { record, step };
}

/** A message with the session and the step that it stands for. */
interface Task {
  readonly message: StepMessage;
  readonly record: SessionRecord;
  readonly step: PlanStep;
}

async function saveEnd(
  dependencies: WorkerDependencies,
  { session, submission }: SessionRecord,
  verdict: Checkpoint,
) {
  const { sessionId, plan, account } = session;
  const checkpoints = { ...(await readCheckpoints(dependencies.queries, sessionId)), verdict } as Checkpoints;
  await storeEnd(dependencies.queries, { sessionId, submission, plan }, checkpoints, {
    owner: null,
    unsaved: [],
  });
  await dependencies.slotFree(account);
}

/** Saves a finished step and tells the results queue, both or neither. */
async function save(dependencies: WorkerDependencies, task: Task, checkpoint: Checkpoint): Promise<void> {
  const { message, record, step } = task;
  if (step.node === 'verdict') return saveEnd(dependencies, record, checkpoint);
  const { sessionId } = record.session;
  await dependencies.queries.transaction().execute(async (transaction) => {
    const row = { node: step.node, inputHash: record.submission.inputHash, content: checkpoint };
    const stored = await insertCheckpoints(transaction, sessionId, [row]);
    if (stored.length === 0) return;
    if (step.node === 'material') {
      await storeMaterial(transaction, sessionId, (checkpoint as MaterialCheckpoint).material);
    }
    const result = { queue: RESULTS_QUEUE, body: message, priority: step.priority };
    await dependencies.broker.publish([result], { transaction });
  });
}

/** Runs the step of a message, unless it has ended already, and saves what came of it. */
async function work(
  dependencies: WorkerDependencies,
  message: StepMessage,
  signal: AbortSignal,
): Promise<void> {
  const { queries, runners } = dependencies;
  const found = await load(queries, message);
  if (found === undefined) return;
  const { record, step } = found;
  const { session, submission } = record;
  const checkpoints = await readCheckpoints(queries, session.sessionId);
  if (doneSteps(checkpoints).has(step.node)) return;
  if (session.status === 'processing') {
    await moveSession(queries, session.sessionId, 'step_started', 'running', {
      started_at: session.startedAt ?? new Date(),
    });
  }
  const run = {
    signal,
    correlationId: message.correlation_id,
    planType: session.plan.planType,
    assignments: session.plan.assignments,
    forgive: false,
    log: dependencies.log.child({ correlation_id: message.correlation_id, session_id: session.sessionId }),
  };
  const running = { sessionId: session.sessionId, submission, plan: session.plan };
  const checkpoint = await runStep(step, running, checkpoints, runners, run);
  await save(dependencies, { message, record, step }, checkpoint);
}

async function onStep(dependencies: WorkerDependencies, { body, signal }: Delivery): Promise<void> {
  const message = stepMessage.parse(body);
  try {
    // Cancellation is listened for before the session is read: one that comes in between is heard.
    await dependencies.activeSessions.during(message.session_id, (canceled) =>
      work(dependencies, message, AbortSignal.any([canceled, signal])),
    );
  } catch (error) {
    if (!(error instanceof Canceled)) throw error;
    // A lost delivery belongs to whoever got it next, and a canceled session needs nothing more. One that was resumed
    // before the cancellation was heard here does: another attempt.
    if (!signal.aborted && (await load(dependencies.queries, message)) !== undefined) throw error;
  }
}

/** Publishes the steps that the end of one has freed. */
async function onResult(dependencies: WorkerDependencies, { body }: Pick<Delivery, 'body'>): Promise<void> {
  const { queries, broker } = dependencies;
  const message = stepMessage.parse(body);
  const found = await load(queries, message);
  if (found === undefined) return;
  const { session } = found.record;
  const done = doneSteps(await readCheckpoints(queries, session.sessionId));
  const steps = freedBy(session.plan, done, message.node);
  if (steps.length === 0) return;
  const target = { sessionId: session.sessionId, correlationId: message.correlation_id };
  await queries.transaction().execute((transaction) => publishSteps(broker, transaction, target, steps));
}

/** Goes on without a step that failed too often, or ends the session when there is no going on. */
async function onDeadLetter(dependencies: WorkerDependencies, { body, error }: DeadLetter): Promise<void> {
  const parsed = stepMessage.safeParse(body);
  dependencies.log.error({ body, reason: error }, 'a step was given up');
  if (!parsed.success) return;
  const message = parsed.data;
  const found = await load(dependencies.queries, message);
  if (found === undefined) return;
  const checkpoint = givenUp(found.step, found.record);
  if (checkpoint !== null) return save(dependencies, { message, ...found }, checkpoint);
  await moveSession(dependencies.queries, message.session_id, 'impossible', 'failed', {
    error_code: 'internal_error',
    completed_at: new Date(),
  });
  await dependencies.slotFree(found.record.session.account);
}

/** The queues of all steps. */
/** The queues of the steps. */
export const STEP_QUEUES: readonly string[] = stepMessage.shape.node.options.map(queueOf);

/** Results are quick: they only look up and publish. */
const RESULTS_CONCURRENCY = 4;

/** Begins to consume all queues; resolves, once the signal aborted, when no message is in hand. */
export function consumeAll(
  dependencies: WorkerDependencies,
  concurrency: number,
  signal: AbortSignal,
): Promise<unknown> {
  const consumers = STEP_QUEUES.map((queue) =>
    dependencies.broker.consume(queue, (delivery) => onStep(dependencies, delivery), {
      concurrency,
      signal,
      onDeadLetter: (letter) => onDeadLetter(dependencies, letter),
    }),
  );
  const tell = (result: Pick<Delivery, 'body'>) => onResult(dependencies, result);
  // Nothing else would take the session further, so a result is told until it is heard.
  const results = dependencies.broker.consume(RESULTS_QUEUE, tell, {
    concurrency: RESULTS_CONCURRENCY,
    signal,
    onDeadLetter: tell,
  });
  return Promise.all([...consumers, results].map(({ stopped }) => stopped));
}
