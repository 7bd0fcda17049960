import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Logger } from '../../../foundation/log.ts';
import { inSpan, traceHeaders } from '../../../foundation/tracing/tracing.ts';
import { type Broker, type Consumer, type DeadLetter, type Delivery, publishing } from '../broker/broker.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import { givenUpMaterial } from '../pipeline/material.ts';
import { next, queueOf, RESULTS_QUEUE, withDependents } from '../pipeline/plan.ts';
import { IntakeImpossible } from '../pipeline/preparation/preparation.ts';
import { lostComponent, runStep, type StepRunners } from '../pipeline/run.ts';
import { Canceled } from '../pipeline/time-limit.ts';
import { COMPONENTS } from '../resources/component-name.ts';
import {
  type Checkpoint,
  type Checkpoints,
  doneSteps,
  type VerdictCheckpoint,
} from '../session/checkpoint.ts';
import type { PlanStep, StepName } from '../session/plan.ts';
import { isFinal } from '../session/states.ts';
import { dropCheckpoints, insertCheckpoints, readCheckpoints, storedSteps } from '../store/checkpoints.ts';
import { findSession, type SessionRecord, storeMaterial } from '../store/sessions.ts';
import { forgetHolds } from '../store/step-holds.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { ActiveSessions } from './active-sessions.ts';
import { storedForm, storeEnd, storeFailure } from './direct.ts';
import { holding } from './hold.ts';

/** What travels in the queues: which step of which session, and the id under which its log lines stand. */
export const stepMessage = z.object({
  session_id: z.uuid(),
  step: z.enum(['material', ...COMPONENTS, 'verdict']),
  correlation_id: z.string(),
  /** The span that published it, in W3C form. */
  traceparent: z.string().optional(),
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
  readonly metrics: Pick<AnalysisMetrics, 'ended' | 'waited'>;
  /** Called when a session of this user has ended and its slot is free. */
  readonly slotFree: (account: string) => Promise<void>;
}

/** Publishes steps of a session; in a transaction they exist if and only if what led to them does. */
export async function publishSteps(
  broker: Broker,
  transaction: Transaction<AnalysisTables> | null,
  session: { sessionId: string; correlationId: string },
  steps: readonly PlanStep[],
): Promise<void> {
  const messages = steps.map(({ name, queue, priority }) => {
    const body: StepMessage = {
      session_id: session.sessionId,
      step: name,
      correlation_id: session.correlationId,
      ...traceHeaders(),
    };
    return { queue, body, priority };
  });
  if (messages.length > 0) await broker.publish(messages, transaction === null ? {} : { transaction });
}

/** A message with the session and the step that it stands for. */
interface Task {
  readonly message: StepMessage;
  readonly record: SessionRecord;
  readonly step: PlanStep;
}

/** The task of a message; undefined when nothing is left to do for its session. */
async function load(queries: Kysely<AnalysisTables>, message: StepMessage): Promise<Task | undefined> {
  const record = await findSession(queries, message.session_id);
  if (record === undefined || isFinal(record.session.status)) return undefined;
  const step = record.session.plan.steps.find(({ name }) => name === message.step);
  return step === undefined ? undefined : { message, record, step };
}

/** Stores the verdict and the end of a session, and gives its slot to the next. */
async function saveEnd(
  { queries, runners, metrics, slotFree }: WorkerDependencies,
  { session, submission }: SessionRecord,
  checkpoints: Checkpoints,
): Promise<void> {
  const { sessionId, plan, account } = session;
  const verdict = checkpoints.filter(({ step }) => step === 'verdict');
  const progress = verdict.map((checkpoint) =>
    storedForm({ submission, plan }, checkpoint, runners.configVersion),
  );
  await storeEnd(queries, { sessionId, submission, plan }, checkpoints, { owner: null, progress, metrics });
  await slotFree(account);
}

/**
 * Whether the steps that have ended free others, or one must run again. The session is locked by what was stored, so that of
 * steps that end together the last one, and no other, sees all of them.
 */
async function leadsOn(
  change: Transaction<AnalysisTables>,
  { session }: SessionRecord,
  ended: StepName,
): Promise<boolean> {
  const { done, unusable } = await storedSteps(change, session);
  return unusable || next(session.plan, done).some(({ dependsOn }) => dependsOn.includes(ended));
}

/** Saves a finished step, and publishes that it ended where that frees another: both or neither. */
async function save(
  { queries, broker, runners }: WorkerDependencies,
  { message, record, step }: Task,
  checkpoint: Exclude<Checkpoint, VerdictCheckpoint>,
  { holder = null, replaces = false }: { holder?: string | null; replaces?: boolean } = {},
): Promise<void> {
  const { sessionId, plan } = record.session;
  const row = storedForm({ ...record, plan }, checkpoint, runners.configVersion);
  await publishing(broker, queries, async (transaction) => {
    if (replaces) {
      const again = withDependents(plan, [step.name]);
      await dropCheckpoints(transaction, sessionId, [...again]);
      again.delete(step.name);
      await forgetHolds(transaction, sessionId, [...again]);
    }
    const stored = await insertCheckpoints(transaction, sessionId, [row], holder);
    if (stored.length === 0) return;
    if (checkpoint.step === 'material') await storeMaterial(transaction, sessionId, checkpoint.material);
    if (!(await leadsOn(transaction, record, step.name))) return;
    await broker.publish(
      [{ queue: RESULTS_QUEUE, body: { ...message, ...traceHeaders() }, priority: step.priority }],
      { transaction },
    );
  });
}

/** Publishes what may start because a step ended, and what must run again because its checkpoint cannot be used. */
async function advance(
  { queries, broker, log }: WorkerDependencies,
  { message, record }: Task,
  ended: StepName | null,
): Promise<void> {
  const { session } = record;
  const { sessionId, plan } = session;
  const { checkpoints, unusable } = await readCheckpoints(queries, session, log);
  const again = withDependents(plan, unusable);
  const done = doneSteps(checkpoints.filter(({ step }) => !again.has(step)));
  const steps = next(plan, done).filter(
    ({ name, dependsOn }) => again.has(name) || (ended !== null && dependsOn.includes(ended)),
  );
  if (steps.length === 0) return;
  const target = { sessionId, correlationId: message.correlation_id };
  if (again.size === 0) return publishSteps(broker, null, target, steps);
  await publishing(broker, queries, async (transaction) => {
    await dropCheckpoints(transaction, sessionId, [...again]);
    await forgetHolds(transaction, sessionId, [...again]);
    await publishSteps(broker, transaction, target, steps);
  });
}

/** Runs the step of a message, unless it ended already under the same configuration, and saves what it left. */
async function work(
  dependencies: WorkerDependencies,
  message: StepMessage,
  again: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { queries, runners } = dependencies;
  const ids = { correlation_id: message.correlation_id, session_id: message.session_id };
  const log = dependencies.log.child(ids);
  const task = await load(queries, message);
  if (task === undefined) return;
  const { step, record } = task;
  const { session, submission } = record;
  const { sessionId, plan } = session;
  const { checkpoints, unusable, configVersions } = await readCheckpoints(queries, session, log);
  if (configVersions.get(step.name) === runners.configVersion(plan)) return;
  const done = doneSteps(checkpoints);
  // What this step rests on is to run again; the end of that publishes this step anew.
  if (!step.dependsOn.every((other) => done.has(other))) return advance(dependencies, task, null);
  const run = {
    signal,
    correlationId: ids.correlation_id,
    planType: plan.planType,
    assignments: plan.assignments,
    forgive: false,
    log,
  };
  const replaces = done.has(step.name) || unusable.includes(step.name);
  await holding(queries, { sessionId, step: step.name, again, replaces }, signal, async (holder) => {
    const checkpoint = await runStep(step, { sessionId, submission, plan }, checkpoints, runners, run);
    if (checkpoint.step === 'verdict') return saveEnd(dependencies, record, [...checkpoints, checkpoint]);
    await save(dependencies, task, checkpoint, { holder, replaces });
  });
}

/** Works on a message: its wait is counted, and its span follows the one that published it. */
function observed(
  dependencies: WorkerDependencies,
  delivery: Delivery,
  handle: (dependencies: WorkerDependencies, delivery: Delivery) => Promise<void>,
): Promise<void> {
  const { queue, waitedMs } = delivery;
  if (waitedMs !== null) dependencies.metrics.waited(queue, waitedMs / 1000);
  return inSpan(
    () => {
      const { data } = stepMessage.safeParse(delivery.body);
      return {
        name: `process ${queue}`,
        kind: 'consumer',
        from: { traceparent: data?.traceparent },
        attributes: {
          'messaging.destination.name': queue,
          'messaging.delivery_attempt': delivery.attempt,
          'limpede.session_id': data?.session_id ?? '',
        },
      };
    },
    () => handle(dependencies, delivery),
  );
}

/** Ends a session whose intake is impossible, and gives its slot to the next. */
async function endImpossible(
  { queries, slotFree, log, metrics }: WorkerDependencies,
  { session_id }: StepMessage,
  code: string,
): Promise<void> {
  const record = await findSession(queries, session_id);
  if (record === undefined) return;
  log.info({ session_id, error_code: code }, 'a session cannot be analysed');
  await storeFailure(queries, session_id, code, metrics);
  await slotFree(record.session.account);
}

async function onStep(dependencies: WorkerDependencies, { body, again, signal }: Delivery): Promise<void> {
  const message = stepMessage.parse(body);
  try {
    // Cancellation is listened for before the session is read: one that comes in between is heard.
    await dependencies.activeSessions.during(message.session_id, (canceled) =>
      work(dependencies, message, again, AbortSignal.any([canceled, signal])),
    );
  } catch (error) {
    if (error instanceof IntakeImpossible) return endImpossible(dependencies, message, error.code);
    if (!(error instanceof Canceled)) throw error;
    // A lost delivery belongs to whoever got it next, and a canceled session needs nothing more. One that was resumed
    // before the cancellation was heard here does: another attempt.
    if (!signal.aborted && (await load(dependencies.queries, message)) !== undefined) throw error;
  }
}

async function onResult(dependencies: WorkerDependencies, { body }: Pick<Delivery, 'body'>): Promise<void> {
  const message = stepMessage.parse(body);
  const task = await load(dependencies.queries, message);
  if (task !== undefined) await advance(dependencies, task, message.step);
}

/** Goes on without a step that failed too often, or ends the session when there is no going on. */
async function onDeadLetter(dependencies: WorkerDependencies, { body, error }: DeadLetter): Promise<void> {
  const { queries, runners, log, metrics, slotFree } = dependencies;
  const parsed = stepMessage.safeParse(body);
  log.error({ body, reason: error }, 'a step was given up');
  if (!parsed.success) return;
  const message = parsed.data;
  const task = await load(queries, message);
  if (task === undefined) return;
  const { name } = task.step;
  if (name === 'material') {
    const { submission } = task.record;
    const material = await givenUpMaterial(submission, runners.preparation, message.correlation_id);
    return save(dependencies, task, material);
  }
  if (name !== 'verdict') {
    const reason = { code: 'component_failed_repeatedly', values: {} } as const;
    return save(dependencies, task, lostComponent(name, 'unavailable', reason));
  }
  await storeFailure(queries, message.session_id, 'internal_error', metrics);
  await slotFree(task.record.session.account);
}

/** The queues of all steps. */
export const STEP_QUEUES: readonly string[] = stepMessage.shape.step.options.map(queueOf);

/** Results are quick: they only look up and publish. */
const RESULTS_CONCURRENCY = 4;

/** What a process may work on: the steps, and the results that say which steps come next. */
export const WORK_NAMES = [...stepMessage.shape.step.options, 'results'] as const;
/** One kind of work. */
export type WorkName = (typeof WORK_NAMES)[number];

/** Begins to consume the queues of the named work; resolves, once the signal aborted, when no message is in hand. */
export function consumeQueues(
  dependencies: WorkerDependencies,
  names: readonly WorkName[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<unknown> {
  const steps = names.filter((name) => name !== 'results');
  const consumers = steps.map((step) =>
    dependencies.broker.consume(queueOf(step), (delivery) => observed(dependencies, delivery, onStep), {
      concurrency,
      signal,
      onDeadLetter: (letter) => onDeadLetter(dependencies, letter),
    }),
  );
  if (names.includes('results')) consumers.push(consumeResults(dependencies, signal));
  return Promise.all(consumers.map(({ stopped }) => stopped));
}

function consumeResults(dependencies: WorkerDependencies, signal: AbortSignal): Consumer {
  const tell = (result: Pick<Delivery, 'body'>) => onResult(dependencies, result);
  // Nothing else would take the session further, so a result is told until it is heard.
  return dependencies.broker.consume(
    RESULTS_QUEUE,
    (delivery) => observed(dependencies, delivery, onResult),
    {
      concurrency: RESULTS_CONCURRENCY,
      signal,
      onDeadLetter: tell,
    },
  );
}
