import { createHash, randomUUID } from 'node:crypto';
import type { ConfigurationSnapshot } from '../../../foundation/configuration/configuration.ts';
import type { CheckedInput } from '../../../foundation/contract.ts';
import type { Call } from '../../../foundation/service.ts';
import type { pipelineOperations } from '../contract/pipeline.ts';
import { runDirect, storedForm } from '../dispatch/direct.ts';
import { errors } from '../errors.ts';
import { estimateOf, promptKeysOf, stagesOf } from '../pipeline/estimate.ts';
import { checkMedium, intake } from '../pipeline/intake.ts';
import { immediateMaterial } from '../pipeline/material.ts';
import { flaggedModerationRequest } from '../pipeline/moderation-request.ts';
import { dryRunAnswer, makePlan } from '../pipeline/plan.ts';
import { analysisSessionOf } from '../pipeline/session.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { AnalyzeRequest } from '../resources/analyze-request.ts';
import { MEDIA_TYPES, type MediaType, mediaTypeRow } from '../resources/media-types.ts';
import { type Tier, tierOfPlan } from '../resources/stage.ts';
import { assignmentsOf, NO_TEXT_MODELS } from '../session/assignments.ts';
import type { ModerationRequest } from '../session/moderation-request.ts';
import type { Plan } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';
import { findByKey, findSession, insertSession } from '../store/sessions.ts';
import { answerDirectly } from './direct-answer.ts';
import { accepted, callerOf, type PipelineDependencies, wholeSession } from './pipeline-dependencies.ts';

/** Fingerprint of a request, for its idempotency key. */
const hashOf = (request: AnalyzeRequest) =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

/** The session stored under an idempotency key, if the request is the same. */
async function repeated(
  dependencies: PipelineDependencies,
  account: string,
  key: string,
  requestHash: string,
) {
  const record = await findByKey(dependencies.queries, account, key);
  if (record === undefined) throw errors.idempotency_conflict();
  if (record.requestHash !== requestHash) throw errors.idempotency_conflict();
  return record;
}

/** A request that was accepted, with what will run. */
interface Prepared {
  submission: Submission;
  plan: Plan;
  sessionId: string;
  key: string | null;
  requestHash: string;
  /** The configuration at acceptance; later changes do not affect the session. */
  configuration: ConfigurationSnapshot;
  /** The review that is queued at once; null when none. */
  readonly enqueue: ModerationRequest | null;
}

/** The parts of a request that an analysis reads. */
export type AnalyzeInput = Pick<CheckedInput<typeof pipelineOperations.analyze>, 'headers' | 'body'> & {
  /** Only our own engines, without any other service. */
  readonly quick?: true;
};

/** The submission with the stored medium that its address names; throws unless it is one of the submitter's and fits. */
async function withMedium({ media }: PipelineDependencies, submission: Submission): Promise<Submission> {
  const key = submission.mediaUrl === null ? undefined : media.addresses.read(submission.mediaUrl);
  if (key === undefined) return submission;
  const medium = await media.library.find(key, submission.account);
  if (medium === undefined) throw errors.media_not_found();
  checkMedium(submission.mediaType, medium);
  return { ...submission, mediaId: medium.mediaId };
}

/** Turns a request into a session about to be stored, or throws the failure that belongs to it. */
async function prepare(
  dependencies: PipelineDependencies,
  input: AnalyzeInput,
  call: Call,
): Promise<Prepared> {
  const quick = input.quick === true ? ({ quick: true } as const) : {};
  const requested = intake(input.body, callerOf(call), dependencies.rules);
  const submission = { ...(await withMedium(dependencies, requested)), ...quick };
  const configuration = dependencies.configuration.current();
  const tuning = dependencies.tuning();
  const rules = await dependencies.verdictRules.current();
  const assignments =
    input.quick === true ? NO_TEXT_MODELS : assignmentsOf(configuration, tierOfPlan(submission.planType));
  return {
    enqueue: flaggedModerationRequest(rules, submission.userFlagged),
    submission,
    plan: makePlan(submission, rules, assignments, tuning),
    sessionId: randomUUID(),
    key: input.headers['idempotency-key'] ?? null,
    requestHash: hashOf({ ...input.body, ...quick }),
    configuration,
  };
}

/** The answer of a dry run. */
function planAnswer({ textModel }: PipelineDependencies, { plan, submission, configuration }: Prepared) {
  const of = (tier: Tier) =>
    submission.quick === true ? NO_TEXT_MODELS : assignmentsOf(configuration, tier);
  const assigned = { free: of('free'), premium: of('premium') };
  const estimate = estimateOf(submission, plan, textModel);
  return dryRunAnswer(plan, stagesOf(plan, assigned, textModel), promptKeysOf(plan, textModel), estimate);
}

/** The session of an accepted request as it is stored: with its material, where that waits for nothing outside. */
async function newSession(
  { submission, plan, sessionId, key, requestHash, configuration, enqueue }: Prepared,
  { runners }: PipelineDependencies,
  { correlationId }: Call,
) {
  const material = await immediateMaterial(submission, runners.preparation, correlationId);
  return {
    sessionId,
    submission,
    plan,
    checkpoints: material === null ? [] : [storedForm({ submission, plan }, material, runners.configVersion)],
    idempotencyKey: key,
    requestHash,
    enqueue,
    configVersion: configuration.version,
  };
}

/** Runs an accepted request in this call; its session. */
async function runNow(
  dependencies: PipelineDependencies,
  prepared: Prepared,
  call: Call,
): Promise<AnalysisSession> {
  const { queries, activeSessions, runners, metrics } = dependencies;
  const { submission, sessionId, key, requestHash } = prepared;
  const lease = { owner: activeSessions.owner, until: activeSessions.leaseEnd() };
  const created = await newSession(prepared, dependencies, call);
  const inserted = await insertSession(queries, { ...created, status: 'running', lease });
  if (!inserted)
    return wholeSession(
      dependencies,
      await repeated(dependencies, submission.account, key ?? '', requestHash),
    );
  const log = call.log.child({ session_id: sessionId });
  const checkpoints = await activeSessions.during(sessionId, (signal) =>
    runDirect(queries, created, runners, {
      signal,
      correlationId: call.correlationId,
      log,
      metrics,
      owner: activeSessions.owner,
    }),
  );
  const record = await findSession(queries, sessionId);
  if (record === undefined) throw errors.session_not_found();
  // Canceled, or taken over by another process while this one was suspended: the stored session counts.
  if (record.session.status !== 'completed') return wholeSession(dependencies, record);
  return analysisSessionOf(record.session, checkpoints);
}

/** Puts an accepted request into the queues. */
async function queue(dependencies: PipelineDependencies, prepared: Prepared, call: Call) {
  const created = await newSession(prepared, dependencies, call);
  const stored = await dependencies.lifecycle.accept(created, call.correlationId);
  if (stored) return accepted(dependencies, prepared.sessionId, prepared.plan);
  const { submission, key, requestHash } = prepared;
  const { session } = await repeated(dependencies, submission.account, key ?? '', requestHash);
  return accepted(dependencies, session.sessionId, session.plan);
}

/** Answers what a request would run, without running it. */
export async function planOnly(dependencies: PipelineDependencies, body: AnalyzeRequest, call: Call) {
  return planAnswer(dependencies, await prepare(dependencies, { body, headers: {} }, call));
}

/** Runs an analysis and answers its session, finished or still running at the time limit of direct answers; a dry run answers the plan. */
export async function analyzeNow(dependencies: PipelineDependencies, input: AnalyzeInput, call: Call) {
  const prepared = await prepare(dependencies, input, call);
  if (input.body.dry_run === true) return planAnswer(dependencies, prepared);
  return answerDirectly(dependencies, prepared, () => runNow(dependencies, prepared, call), call);
}

/** Refuses a request whose kind of content the operation does not accept. */
function requireMediaType({ body }: AnalyzeInput, allowed: readonly MediaType[]): void {
  if (allowed.includes(body.media_type)) return;
  const message = `This operation takes ${allowed.join(', ')}; media_type is ${body.media_type}.`;
  throw errors.media_type_mismatch({
    message,
    details: [{ path: ['body', 'media_type'], type: 'value_error', message }],
  });
}

/** The kinds of content that a request names by media_url. */
export const MEDIA: readonly MediaType[] = MEDIA_TYPES.filter(
  (name) => mediaTypeRow(name).field === 'media_url',
);

/** Runs an analysis in this request when its content is of an allowed kind. */
export async function analyzeOnly(
  allowed: readonly MediaType[],
  dependencies: PipelineDependencies,
  input: AnalyzeInput,
  call: Call,
) {
  requireMediaType(input, allowed);
  return analyzeNow(dependencies, input, call);
}

/** Accepts an analysis for the queues and answers where it can be followed, or its plan. */
export async function analyzeLater(dependencies: PipelineDependencies, input: AnalyzeInput, call: Call) {
  const prepared = await prepare(dependencies, input, call);
  return input.body.dry_run === true
    ? planAnswer(dependencies, prepared)
    : queue(dependencies, prepared, call);
}
