import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Logger } from '../../../foundation/log.ts';
import type { Broker, DeadLetter, Delivery } from '../broker/broker.ts';
import { type Checkpoints, doneNodes, type MaterialCheckpoint } from '../pipeline/checkpoint.ts';
import { withoutText } from '../pipeline/material.ts';
import { type NodeName, next, type Plan, type PlanNode, queueOf, RESULTS_QUEUE } from '../pipeline/plan.ts';
import { type Checkpoint, type Engines, lostComponent, runStep, Stopped } from '../pipeline/run.ts';
import { isFinal } from '../pipeline/states.ts';
import {
  findSession,
  insertCheckpoints,
  moveSession,
  readCheckpoints,
  type SessionRecord,
  storeMaterial,
} from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { Running } from './active-sessions.ts';
import { storeEnd } from './direct.ts';

/** What travels in the queues: which step of which session, and the id under which its log lines stand. */
export const stepMessage = z.object({
  session_id: z.uuid(),
  node: z.enum(['material', 'techniques', 'ai_tampered', 'claims', 'domain', 'verdict']),
  correlation_id: z.string(),
});
/** A message of a queue. */
export type StepMessage = z.infer<typeof stepMessage>;

/** The world of the asynchronous form. */
export interface WorkerWorld {
  readonly queries: Kysely<AnalysisTables>;
  readonly broker: Broker;
  readonly engines: Engines;
  readonly running: Running;
  readonly log: Logger;
  /** Called when a session of this user has ended and its slot is free. */
  readonly slotFree: (account: string) => Promise<void>;
}

/** Publishes steps of a session in a transaction, so that they exist if and only if what led to them does. */
export async function publishSteps(
  broker: Broker,
  transaction: Transaction<AnalysisTables>,
  session: { sessionId: string; correlationId: string },
  steps: readonly PlanNode[],
): Promise<void> {
  const messages = steps.map(({ node, queue, priority }) => {
    const body: StepMessage = { session_id: session.sessionId, node, correlation_id: session.correlationId };
    return { queue, body, priority };
  });
  if (messages.length > 0) await broker.publish(messages, { transaction });
}

/** The steps that became possible by the end of this one: those that waited for it and for nothing else. */
export function freedBy(plan: Plan, done: ReadonlySet<NodeName>, finished: NodeName): PlanNode[] {
  return next(plan, done).filter(({ dependsOn }) => dependsOn.includes(finished));
}

/** The checkpoint of a step that was tried too often; null for the verdict, without which there is no result. */
function givenUp(step: PlanNode, record: SessionRecord): Checkpoint | null {
  if (step.node === 'verdict') return null;
  if (step.node !== 'material')
    return lostComponent(step.node, 'unavailable', 'the component failed repeatedly');
  return {
    material: withoutText(record.submission, 'the page could not be read: the step failed repeatedly'),
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
  readonly step: PlanNode;
}

async function saveEnd(world: WorkerWorld, { session, submission }: SessionRecord, verdict: Checkpoint) {
  const { sessionId, plan, account } = session;
  const checkpoints = { ...(await readCheckpoints(world.queries, sessionId)), verdict } as Checkpoints;
  await storeEnd(world.queries, { sessionId, submission, plan }, checkpoints, { owner: null, unsaved: [] });
  await world.slotFree(account);
}

/** Saves a finished step and tells the results queue, both or neither. */
async function save(world: WorkerWorld, task: Task, checkpoint: Checkpoint): Promise<void> {
  const { message, record, step } = task;
  if (step.node === 'verdict') return saveEnd(world, record, checkpoint);
  const { sessionId } = record.session;
  await world.queries.transaction().execute(async (transaction) => {
    const row = { node: step.node, inputHash: record.submission.inputHash, content: checkpoint };
    const stored = await insertCheckpoints(transaction, sessionId, [row]);
    if (stored.length === 0) return;
    if (step.node === 'material') {
      await storeMaterial(transaction, sessionId, (checkpoint as MaterialCheckpoint).material);
    }
    const result = { queue: RESULTS_QUEUE, body: message, priority: step.priority };
    await world.broker.publish([result], { transaction });
  });
}

/** Runs the step of a message, unless it has ended already, and saves what came of it. */
async function work(world: WorkerWorld, message: StepMessage, signal: AbortSignal): Promise<void> {
  const { queries, engines } = world;
  const found = await load(queries, message);
  if (found === undefined) return;
  const { record, step } = found;
  const { session, submission } = record;
  const checkpoints = await readCheckpoints(queries, session.sessionId);
  if (doneNodes(checkpoints).has(step.node)) return;
  if (session.status === 'processing') {
    await moveSession(queries, session.sessionId, 'node_started', 'running', {
      started_at: session.startedAt ?? new Date(),
    });
  }
  const run = {
    signal,
    correlationId: message.correlation_id,
    planType: session.plan.planType,
    forgive: false,
    log: world.log.child({ correlation_id: message.correlation_id, session_id: session.sessionId }),
  };
  const running = { sessionId: session.sessionId, submission, plan: session.plan };
  const checkpoint = await runStep(step, running, checkpoints, engines, run);
  await save(world, { message, record, step }, checkpoint);
}

async function onStep(world: WorkerWorld, { body, signal }: Delivery): Promise<void> {
  const message = stepMessage.parse(body);
  try {
    // Stops are listened for before the session is read: one that comes in between is heard.
    await world.running.during(message.session_id, (stopped) =>
      work(world, message, AbortSignal.any([stopped, signal])),
    );
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    // A lost delivery belongs to whoever got it next, and a stopped session needs nothing more. One that was resumed
    // before the stop was heard here does: another attempt.
    if (!signal.aborted && (await load(world.queries, message)) !== undefined) throw error;
  }
}

/** Publishes the steps that the end of one has freed. */
async function onResult(world: WorkerWorld, { body }: Pick<Delivery, 'body'>): Promise<void> {
  const { queries, broker } = world;
  const message = stepMessage.parse(body);
  const found = await load(queries, message);
  if (found === undefined) return;
  const { session } = found.record;
  const done = doneNodes(await readCheckpoints(queries, session.sessionId));
  const steps = freedBy(session.plan, done, message.node);
  if (steps.length === 0) return;
  const target = { sessionId: session.sessionId, correlationId: message.correlation_id };
  await queries.transaction().execute((transaction) => publishSteps(broker, transaction, target, steps));
}

/** Goes on without a step that failed too often, or ends the session when there is no going on. */
async function onDead(world: WorkerWorld, { body, error }: DeadLetter): Promise<void> {
  const parsed = stepMessage.safeParse(body);
  world.log.error({ body, reason: error }, 'a step was given up');
  if (!parsed.success) return;
  const message = parsed.data;
  const found = await load(world.queries, message);
  if (found === undefined) return;
  const checkpoint = givenUp(found.step, found.record);
  if (checkpoint !== null) return save(world, { message, ...found }, checkpoint);
  await moveSession(world.queries, message.session_id, 'impossible', 'failed', {
    error_code: 'internal_error',
    completed_at: new Date(),
  });
  await world.slotFree(found.record.session.account);
}

/** The queues of all steps. */
const STEP_QUEUES = stepMessage.shape.node.options.map(queueOf);

/** Results are quick: they only look up and publish. */
const RESULTS_CONCURRENCY = 4;

/** Begins to consume all queues; resolves, once the signal aborted, when no message is in hand. */
export function consumeAll(world: WorkerWorld, concurrency: number, signal: AbortSignal): Promise<unknown> {
  const consumers = STEP_QUEUES.map((queue) =>
    world.broker.consume(queue, (delivery) => onStep(world, delivery), {
      concurrency,
      signal,
      onDead: (letter) => onDead(world, letter),
    }),
  );
  const tell = (result: Pick<Delivery, 'body'>) => onResult(world, result);
  // Nothing else would take the session further, so a result is told until it is heard.
  const results = world.broker.consume(RESULTS_QUEUE, tell, {
    concurrency: RESULTS_CONCURRENCY,
    signal,
    onDead: tell,
  });
  return Promise.all([...consumers, results].map(({ stopped }) => stopped));
}
