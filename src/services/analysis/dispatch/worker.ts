import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { traceHeaders, withSpan } from '../../../foundation/tracing/tracing.ts';
import {
  type Broker,
  type Consumer,
  type DeadLetter,
  type Delivery,
  withPublishing,
} from '../broker/broker.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import { materialAfterFailure } from '../pipeline/material.ts';
import { nextSteps, queueOf, RESULTS_QUEUE, withDependents } from '../pipeline/plan.ts';
import { IntakeImpossibleError } from '../pipeline/preparation/preparation.ts';
import { lostComponent, runStep, type StepRunners } from '../pipeline/run.ts';
import { CanceledError } from '../pipeline/time-limit.ts';
import type { WorkStage } from '../resources/work-stage.ts';
import {
  type Checkpoint,
  type Checkpoints,
  completedStepNames,
  type VerdictCheckpoint,
} from '../session/checkpoint.ts';
import type { PlanStep, StepName } from '../session/plan.ts';
import { stageStarted } from '../session/progress-event.ts';
import { isFinal } from '../session/states.ts';
import {
  completedStepsOf,
  dropCheckpoints,
  readCheckpoints,
  usableCheckpoints,
} from '../store/checkpoints.ts';
import { insertEvents } from '../store/progress-events.ts';
import { findSession } from '../store/sessions.ts';
import { deleteStepLocks, releaseStep } from '../store/step-locks.ts';
import type { WorkerSession } from '../store/steps.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { ActiveSessions } from './active-sessions.ts';
import { storedForm, storeFailure } from './direct.ts';
import { sessionEndOf } from './session-end.ts';
import { withStepLock } from './step-lock.ts';
import { publishSteps, type StepMessage, stepMessage, stepMessages } from './step-messages.ts';
import { createStepStore, type StepStore } from './step-store.ts';

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

/** The same with what the workers of this process share. */
interface Worker extends WorkerDependencies {
  readonly store: StepStore;
}

/** A message with the session and the step that it stands for. */
interface Task {
  readonly message: StepMessage;
  readonly record: WorkerSession;
  readonly step: PlanStep;
}

/** The task of a message; undefined when nothing is left to do for its session. */
function taskOf(message: StepMessage, record: WorkerSession | undefined): Task | undefined {
  if (record === undefined || isFinal(record.session.status)) return undefined;
  const step = record.session.plan.steps.find(({ name }) => name === message.step);
  return step === undefined ? undefined : { message, record, step };
}

async function load(queries: Kysely<AnalysisTables>, message: StepMessage): Promise<Task | undefined> {
  return taskOf(message, await findSession(queries, message.session_id));
}

/** Stores the verdict and the end of a session, and gives its slot to the next. */
async function saveEnd(
  { store, runners, metrics, slotFree }: Worker,
  { session, submission }: WorkerSession,
  checkpoints: Checkpoints,
): Promise<void> {
  const { plan, account } = session;
  const progress = checkpoints
    .filter(({ step }) => step === 'verdict')
    .map((checkpoint) => storedForm({ submission, plan }, checkpoint, runners.configVersion));
  const end = sessionEndOf(session, checkpoints, { owner: null, account }, progress);
  const { stored, waited } = await store.end(end);
  if (stored) metrics.ended('completed', end.findings.verdict?.risk_level ?? null);
  if (waited) await slotFree(account);
}

/** Saves a finished step, and publishes that it ended where that frees another: both or neither. */
function save(
  { store, runners }: Worker,
  { message, record, step }: Task,
  checkpoint: Exclude<Checkpoint, VerdictCheckpoint>,
  { holder = null, replaces = false }: { holder?: string | null; replaces?: boolean } = {},
): Promise<void> {
  const { session, submission } = record;
  const { plan } = session;
  return store.save({
    session,
    row: storedForm({ submission, plan }, checkpoint, runners.configVersion),
    holder,
    drops: replaces ? [...withDependents(plan, [step.name])] : [],
    result: { queue: RESULTS_QUEUE, body: { ...message, ...traceHeaders() }, priority: step.priority },
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
  const done = completedStepNames(checkpoints.filter(({ step }) => !again.has(step)));
  const steps = nextSteps(plan, done).filter(
    ({ name, dependsOn }) => again.has(name) || (ended !== null && dependsOn.includes(ended)),
  );
  if (steps.length === 0) return;
  const target = { sessionId, correlationId: message.correlation_id };
  if (again.size === 0) return broker.passOn(stepMessages(target, steps));
  await withPublishing(broker, queries, async (transaction) => {
    await dropCheckpoints(transaction, sessionId, [...again]);
    await deleteStepLocks(transaction, sessionId, [...again]);
    await publishSteps(broker, transaction, target, steps);
  });
}

/** Runs the step of a message, unless it ended already under the same configuration, and saves what it left. */
async function work(
  dependencies: Worker,
  message: StepMessage,
  again: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { queries, store, runners } = dependencies;
  const ids = { correlation_id: message.correlation_id, session_id: message.session_id };
  const log = dependencies.log.child(ids);
  const own = { sessionId: message.session_id, step: message.step, holder: randomUUID() };
  const claimed = await store.take(own);
  const task = taskOf(message, claimed?.record);
  if (claimed === undefined || task === undefined) return;
  const { step, record } = task;
  const { session, submission } = record;
  const { sessionId, plan } = session;
  const known = new Set([step.name, ...step.dependsOn]);
  const rows = claimed.rows.filter((row) => known.has(row.step));
  const { checkpoints, unusable, configVersions } = usableCheckpoints(rows, session, log);
  if (configVersions.get(step.name) === runners.configVersion(plan)) return;
  const done = completedStepNames(checkpoints);
  // What this step rests on is to run again; the end of that publishes this step anew.
  if (!step.dependsOn.every((other) => done.has(other))) {
    if (claimed.held) await releaseStep(queries, own);
    return advance(dependencies, task, null);
  }
  const run = {
    signal,
    correlationId: ids.correlation_id,
    planType: plan.planType,
    assignments: plan.assignments,
    forgive: false,
    // Followers see less when it is not stored; the work goes on.
    onStageStarted: (stage: WorkStage) =>
      insertEvents(queries, sessionId, [stageStarted(step.name, stage)]).catch((error) =>
        log.warn({ err: error }, 'the progress of a session is not stored'),
      ),
    log,
  };
  const replaces = done.has(step.name) || unusable.includes(step.name);
  const lock = claimed.held ? async () => 'held' as const : store.lock;
  await withStepLock({ queries, lock }, { ...own, again, replaces }, signal, async () => {
    const checkpoint = await runStep(step, { sessionId, submission, plan }, checkpoints, runners, run);
    if (checkpoint.step === 'verdict') return saveEnd(dependencies, record, [...checkpoints, checkpoint]);
    await save(dependencies, task, checkpoint, { holder: own.holder, replaces });
  });
}

/** Works on a message: its wait is counted, and its span follows the one that published it. */
function observed(
  dependencies: Worker,
  delivery: Delivery,
  handle: (dependencies: Worker, delivery: Delivery) => Promise<void>,
): Promise<void> {
  const { queue, waitedMs } = delivery;
  if (waitedMs !== null) dependencies.metrics.waited(queue, waitedMs / 1000);
  return withSpan(
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

async function onStep(dependencies: Worker, { body, again, signal }: Delivery): Promise<void> {
  const message = stepMessage.parse(body);
  try {
    // Cancellation is listened for before the session is read: one that comes in between is heard.
    await dependencies.activeSessions.during(
      message.session_id,
      (ended) => work(dependencies, message, again, ended),
      signal,
    );
  } catch (error) {
    if (error instanceof IntakeImpossibleError) return endImpossible(dependencies, message, error.code);
    if (!(error instanceof CanceledError)) throw error;
    // A lost delivery belongs to the consumer that got it next, and a canceled session needs nothing more. One that was resumed
    // before the cancellation was heard here does: another attempt.
    if (!signal.aborted && (await load(dependencies.queries, message)) !== undefined) throw error;
  }
}

async function onResult(
  dependencies: Worker,
  { body, priority }: Pick<Delivery, 'body'> & Partial<Delivery>,
): Promise<void> {
  const message = stepMessage.parse(body);
  const { freed } = message;
  if (freed !== undefined && priority !== undefined) {
    // Whether the session still wants them is asked where they are taken.
    const target = { sessionId: message.session_id, correlationId: message.correlation_id };
    const steps = freed.map((name) => ({ name, queue: queueOf(name), priority }));
    return dependencies.broker.passOn(stepMessages(target, steps));
  }
  const outline = await dependencies.store.outline(message.session_id);
  const task = taskOf(message, outline?.record);
  if (outline === undefined || task === undefined) return;
  const { sessionId, inputHash, plan } = task.record.session;
  const { done, unusable } = completedStepsOf(outline.rows, inputHash);
  if (unusable) return advance(dependencies, task, message.step);
  const steps = nextSteps(plan, done).filter(({ dependsOn }) => dependsOn.includes(message.step));
  await dependencies.broker.passOn(stepMessages({ sessionId, correlationId: message.correlation_id }, steps));
}

/** Goes on without a step that failed too often, or ends the session when there is no going on. */
async function onDeadLetter(dependencies: Worker, { body, error }: DeadLetter): Promise<void> {
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
    const material = await materialAfterFailure(submission, runners.preparation, message.correlation_id);
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

/** Results only look up and publish, so many at once share their statements; no engine works for them. */
const RESULTS_CONCURRENCY = 32;

/** What a process may work on: the steps, and the results that say which steps come next. */
export const WORK_NAMES = [...stepMessage.shape.step.options, 'results'] as const;
/** One kind of work. */
export type WorkName = (typeof WORK_NAMES)[number];

/** Begins to consume the queues of the named work; resolves, once the signal aborted, when no message is in hand. */
export function consumeQueues(
  shared: WorkerDependencies,
  names: readonly WorkName[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<unknown> {
  const dependencies = { ...shared, store: createStepStore(shared.queries, shared.broker) };
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

function consumeResults(dependencies: Worker, signal: AbortSignal): Consumer {
  const tell = (result: Pick<Delivery, 'body'>) => onResult(dependencies, result);
  // Nothing else would continue the session, so a result is published until it is accepted.
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
