import { createHash, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import verdictRules from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import type { Caller } from '../../../foundation/auth.ts';
import type { Input } from '../../../foundation/contract.ts';
import { answer, type Call, type Handlers } from '../../../foundation/service.ts';
import type { Broker } from '../broker/broker.ts';
import type { analysis } from '../contract.ts';
import type { Control } from '../dispatch/control.ts';
import { runDirect } from '../dispatch/direct.ts';
import type { Running } from '../dispatch/running.ts';
import { errors } from '../errors.ts';
import { estimateOf, type KnownModel, promptKeysOf, stagesOf } from '../pipeline/estimate.ts';
import { type IntakeRules, intake, type Submission } from '../pipeline/intake.ts';
import { textMaterial } from '../pipeline/material.ts';
import { componentsOf, dryRunAnswer, makePlan, type Plan } from '../pipeline/plan.ts';
import type { Engines } from '../pipeline/run.ts';
import { analysisSessionOf, checkpointList, queueStatusOf } from '../pipeline/session.ts';
import { isFinal } from '../pipeline/states.ts';
import type { AnalysisSession, AsyncAccepted } from '../resources/session.ts';
import type { AnalyzeRequest, ComponentName } from '../resources.ts';
import { readHistory } from '../store/history.ts';
import { queuePosition } from '../store/leases.ts';
import {
  findByKey,
  findSession,
  insertSession,
  listCheckpoints,
  readCheckpoints,
  type SessionRecord,
} from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';

/** What the pipeline operations work with. */
export interface PipelineWorld {
  readonly queries: Kysely<AnalysisTables>;
  readonly engines: Engines;
  readonly textModel: KnownModel;
  readonly control: Control;
  readonly broker: Pick<Broker, 'depth'>;
  readonly running: Running;
  readonly rules: IntakeRules;
  readonly asyncStatus: 200 | 202;
  /** Path prefix under which callers reach this service. */
  readonly prefix: string;
}

type PipelineHandlers = Pick<
  Handlers<typeof analysis>,
  | 'analyze'
  | 'analyzeAsync'
  | 'dryRun'
  | 'session'
  | 'sessionStatus'
  | 'result'
  | 'cancel'
  | 'resume'
  | 'checkpoints'
  | 'queue'
  | 'remove'
  | 'history'
  | 'verdictConfig'
>;

/** Seconds after which a caller of an -async operation may look for the first time. */
const FIRST_LOOK_SECONDS = 1;

function callerOf(call: Call): Caller {
  if (call.caller === undefined) throw errors.token_missing();
  return call.caller;
}

const hashOf = (request: AnalyzeRequest) =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

/** The paths at which a session is followed. */
function pathsOf(prefix: string, sessionId: string) {
  return {
    poll_url: `${prefix}/api/v3/pipeline/sessions/${sessionId}/status`,
    result_url: `${prefix}/api/v3/pipeline/results/${sessionId}`,
  };
}

function accepted(world: PipelineWorld, sessionId: string, plan: Plan) {
  const paths = pathsOf(world.prefix, sessionId);
  const body: AsyncAccepted = {
    success: true,
    async_: true,
    data: {
      session_id: sessionId,
      status: 'processing',
      queued_components: componentsOf(plan),
      plan_type: plan.planType,
      ...paths,
    },
  };
  const headers = { Location: paths.poll_url, 'Retry-After': String(FIRST_LOOK_SECONDS) };
  return answer(world.asyncStatus, body, headers);
}

/** The caller's session, or session_not_found: other people's sessions do not exist for them. */
async function ownSession(world: PipelineWorld, call: Call, sessionId: string): Promise<SessionRecord> {
  const record = await findSession(world.queries, sessionId, callerOf(call).subject);
  if (record === undefined) throw errors.session_not_found();
  return record;
}

async function wholeSession(world: PipelineWorld, record: SessionRecord): Promise<AnalysisSession> {
  return analysisSessionOf(record.session, await readCheckpoints(world.queries, record.session.sessionId));
}

/** What was stored under the key, if it is the same request. */
async function repeated(world: PipelineWorld, userId: string, key: string, requestHash: string) {
  const record = await findByKey(world.queries, userId, key);
  if (record === undefined) throw errors.idempotency_conflict();
  if (record.requestHash !== requestHash) throw errors.idempotency_conflict();
  return record;
}

interface Prepared {
  submission: Submission;
  plan: Plan;
  sessionId: string;
  key: string | null;
  requestHash: string;
}

/** The parts of a request that an analysis reads. */
type AnalyzeInput = Pick<Input<typeof analysis, 'analyze'>, 'headers' | 'body'>;

function prepare(world: PipelineWorld, input: AnalyzeInput, call: Call): Prepared {
  const submission = intake(input.body, callerOf(call), world.rules);
  return {
    submission,
    plan: makePlan(submission),
    sessionId: randomUUID(),
    key: input.headers['idempotency-key'] ?? null,
    requestHash: hashOf(input.body),
  };
}

function planAnswer(
  { textModel }: PipelineWorld,
  { plan, submission }: Pick<Prepared, 'plan' | 'submission'>,
) {
  const estimate = estimateOf(submission, plan, textModel);
  return dryRunAnswer(plan, stagesOf(plan, textModel), promptKeysOf(plan, textModel), estimate);
}

function newSession({ submission, plan, sessionId, key, requestHash }: Prepared, world: PipelineWorld) {
  const language =
    submission.text === null ? null : textMaterial(submission, world.engines.identify).language;
  return { sessionId, submission, plan, language, idempotencyKey: key, requestHash };
}

/** Runs an analysis in this request and answers its session. */
async function analyzeNow(world: PipelineWorld, prepared: Prepared, call: Call): Promise<AnalysisSession> {
  const { queries, running, engines } = world;
  const { submission, plan, sessionId, key, requestHash } = prepared;
  const lease = { owner: running.owner, until: running.leaseEnd() };
  const inserted = await insertSession(queries, { ...newSession(prepared, world), status: 'running', lease });
  if (!inserted) return wholeSession(world, await repeated(world, submission.userId, key ?? '', requestHash));
  const log = call.log.child({ session_id: sessionId });
  const checkpoints = await running.during(sessionId, (signal) =>
    runDirect(queries, { sessionId, submission, plan }, engines, {
      signal,
      correlationId: call.correlationId,
      log,
    }),
  );
  const record = await findSession(queries, sessionId);
  if (record === undefined) throw errors.session_not_found();
  return analysisSessionOf(record.session, checkpoints);
}

/** Accepts an analysis for the queues. */
async function analyzeLater(world: PipelineWorld, prepared: Prepared, call: Call) {
  const stored = await world.control.accept(newSession(prepared, world), call.correlationId);
  if (stored) return accepted(world, prepared.sessionId, prepared.plan);
  const { submission, key, requestHash } = prepared;
  const { session } = await repeated(world, submission.userId, key ?? '', requestHash);
  return accepted(world, session.sessionId, session.plan);
}

const BLOCKS: readonly (ComponentName | 'verdict')[] = [
  'techniques',
  'ai_tampered',
  'claims',
  'domain',
  'verdict',
];

/** The session with only the blocks that were asked for. */
function only(session: AnalysisSession, include: readonly string[] | undefined): AnalysisSession {
  if (include === undefined) return session;
  const left = BLOCKS.filter((block) => !include.includes(block)).map((block) => [block, null]);
  return { ...session, ...Object.fromEntries(left) };
}

function verdictConfigAnswer() {
  const { version, weight_profiles, confidence_model, overrides } = verdictRules;
  const { risk_bands, inconclusive, confidence_levels, band_hysteresis_points } = verdictRules;
  const { sensitive_topics, virality_factors, virality_levels } = verdictRules;
  return {
    version,
    profiles: weight_profiles,
    risk_bands,
    inconclusive,
    confidence_levels,
    confidence_model,
    overrides,
    band_hysteresis_points,
    sensitive_topics,
    virality_factors,
    virality_levels,
  };
}

/** Whose sessions a history request is about: one's own, or anybody's for people of the admin realm. */
function historyOwner(caller: Caller, asked: string | undefined): string {
  if (asked === undefined || asked === caller.subject) return caller.subject;
  if (caller.realm !== 'admins') throw errors.forbidden_role();
  return asked;
}

/** The handlers of the pipeline operations. */
export function pipelineRoutes(world: PipelineWorld): PipelineHandlers {
  return {
    analyze: async (input, call) => {
      const prepared = prepare(world, input, call);
      if (input.body.dry_run === true) return planAnswer(world, prepared);
      return { success: true, data: await analyzeNow(world, prepared, call) };
    },
    analyzeAsync: async (input, call) => {
      const prepared = prepare(world, input, call);
      if (input.body.dry_run === true) return planAnswer(world, prepared);
      return analyzeLater(world, prepared, call);
    },
    dryRun: ({ body }, call) => {
      const submission = intake(body, callerOf(call), world.rules);
      return planAnswer(world, { submission, plan: makePlan(submission) });
    },
    session: async ({ params, query }, call) => {
      const record = await ownSession(world, call, params.sessionId);
      return { success: true, data: only(await wholeSession(world, record), query.include) };
    },
    sessionStatus: async ({ params }, call) => {
      const { session } = await ownSession(world, call, params.sessionId);
      const checkpoints = await readCheckpoints(world.queries, session.sessionId);
      const waits = session.status === 'pending';
      const position = waits ? await queuePosition(world.queries, session.userId, session.createdAt) : null;
      return { success: true, data: queueStatusOf(session, checkpoints, position) };
    },
    result: async ({ params }, call) => {
      const record = await ownSession(world, call, params.sessionId);
      if (!isFinal(record.session.status)) throw errors.result_not_ready();
      return { success: true, data: await wholeSession(world, record) };
    },
    cancel: async ({ params }, call) => {
      const record = await ownSession(world, call, params.sessionId);
      const at = await world.control.cancel(record);
      const data = {
        session_id: record.session.sessionId,
        status: 'canceled' as const,
        cancel_requested_at: at.toISOString(),
      };
      return { success: true, data };
    },
    resume: async ({ params, body }, call) => {
      const record = await ownSession(world, call, params.sessionId);
      const choice = {
        components: body?.components,
        forceRerun: body?.force_rerun,
        checkpointId: body?.checkpoint_id,
      };
      await world.control.resume(record, choice, call.correlationId);
      return accepted(world, record.session.sessionId, record.session.plan);
    },
    checkpoints: async ({ params }, call) => {
      const { session } = await ownSession(world, call, params.sessionId);
      const stored = await listCheckpoints(world.queries, session.sessionId);
      return { success: true, data: checkpointList(session.plan, stored) };
    },
    queue: async () => ({ success: true, data: { queues: await world.broker.depth() } }),
    remove: async ({ params }, call) => {
      const record = await ownSession(world, call, params.sessionId);
      const at = await world.control.remove(record);
      return {
        success: true,
        data: { session_id: record.session.sessionId, deleted_at: at.toISOString() },
      };
    },
    history: ({ query }, call) =>
      readHistory(world.queries, historyOwner(callerOf(call), query.user_id), query),
    verdictConfig: () => ({ success: true, data: verdictConfigAnswer() }),
  };
}
