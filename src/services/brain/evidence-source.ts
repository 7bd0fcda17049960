import { setTimeout as sleep } from 'node:timers/promises';
import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Client, LossReason } from '../../foundation/client.ts';
import { createFairQueue, maxPlacesPerCaller } from '../../foundation/fair-queue.ts';
import type { web } from '../web/contract.ts';
import { errors } from './errors.ts';
import type { BrainRequest, EvidencePack } from './resources.ts';

/** The part of the web evidence service that the cache calls. */
type WebClient = Pick<Client<typeof web>, 'gather'>;
type GatherAnswer = NonNullable<Awaited<ReturnType<WebClient['gather']>>>;

/** For whom evidence is gathered. */
export interface GatherContext {
  readonly caller: string;
  readonly correlationId?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the work leaves the queue and starts. */
  readonly onStart?: () => void;
}

/** Gathers evidence for a claim; rejects with an error of the table. */
export type GatherEvidence = (request: BrainRequest, run: GatherContext) => Promise<EvidencePack>;

/** How many claims are gathered at once; read at each of them. */
export interface GatherLimits {
  readonly running: number;
  readonly waiting: number;
  readonly each: number;
}

/** Pause before a rate-limited call is repeated, in milliseconds. */
const RETRY_PAUSE_MS = 500;
const RETRY = { 'retry-after': '5' };

/** The error for a call that the web evidence service did not answer. */
function lossError(reason: LossReason | undefined): Error {
  if (reason === 'timeout') return errors.timeout();
  if (reason === 'rate_limited') return errors.rate_limited({ headers: RETRY });
  return reason === 'invalid_answer' ? errors.provider_error() : errors.service_unavailable();
}

/** Added to the time limit of the request for its answer to arrive, in milliseconds. */
const ANSWER_MARGIN_MS = 5_000;

/** The outcome of a call: an answer, the message of a refusal, or why there was no answer. */
type GatherAttempt = {
  readonly answer?: GatherAnswer;
  readonly refusal?: string;
  readonly reason?: LossReason;
};

/** One call of the web evidence service. */
async function gatherOnce(
  client: WebClient,
  request: BrainRequest,
  run: GatherContext,
  timeoutMs: number,
): Promise<GatherAttempt> {
  const { caller, correlationId, signal } = run;
  let failure: GatherAttempt = { reason: 'unavailable' };
  const answer = await client.gather(
    { body: request, headers: callerShareHeaders(caller) },
    {
      signal,
      correlationId,
      timeoutMs,
      lost: ({ reason }) => {
        failure = { reason };
      },
      refused: ({ status }) => {
        failure = { refusal: `The web evidence service refused the request with status ${status}.` };
      },
    },
  );
  return answer === undefined ? failure : { answer };
}

/** Repeats rate-limited calls within the time limit of the request. */
async function gatherWithRetries(
  client: WebClient,
  request: BrainRequest,
  run: GatherContext,
): Promise<GatherAttempt> {
  const until = performance.now() + request.timeout_seconds * 1000;
  for (;;) {
    const left = until - performance.now();
    const attempt = await gatherOnce(client, request, run, left + ANSWER_MARGIN_MS);
    if (attempt.reason !== 'rate_limited' || left <= RETRY_PAUSE_MS || run.signal.aborted) return attempt;
    // A caller that leaves ends the pause; the next attempt then ends with the signal.
    await sleep(RETRY_PAUSE_MS, undefined, { signal: run.signal }).catch(() => undefined);
  }
}

/** Gathers by the web evidence service, a few claims at once; callers share the queue fairly. */
export function createEvidenceGatherer(client: WebClient, limits: GatherLimits): GatherEvidence {
  const queue = createFairQueue(
    {
      get running() {
        return limits.running;
      },
      get waiting() {
        return limits.waiting;
      },
      get each() {
        return limits.each;
      },
      get eachRunning() {
        return maxPlacesPerCaller(limits.running);
      },
    },
    (share) => errors[share === 'own' ? 'rate_limited' : 'service_unavailable']({ headers: RETRY }),
  );
  return async (request, run) => {
    const work = () => {
      run.onStart?.();
      return gatherWithRetries(client, request, run);
    };
    const { answer, refusal, reason } = await queue.run(run.caller, work, run.signal);
    run.signal.throwIfAborted();
    if (refusal !== undefined) throw errors.provider_error({ message: refusal });
    if (answer === undefined) throw lossError(reason);
    const { request_id: _, ...pack } = answer;
    return pack;
  };
}
