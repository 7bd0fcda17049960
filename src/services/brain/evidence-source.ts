import { setTimeout as sleep } from 'node:timers/promises';
import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Client, LossReason } from '../../foundation/client.ts';
import { createFairQueue, mostOfOne } from '../../foundation/fair-queue.ts';
import type { web } from '../web/contract.ts';
import { errors } from './errors.ts';
import type { BrainRequest, EvidencePack } from './resources.ts';

/** The part of the web evidence service that the cache calls. */
type WebClient = Pick<Client<typeof web>, 'gather'>;
type GatherAnswer = NonNullable<Awaited<ReturnType<WebClient['gather']>>>;

/** For whom evidence is gathered. */
export interface GatherRun {
  readonly caller: string;
  readonly correlationId?: string | undefined;
  readonly signal: AbortSignal;
  /** Hears that the turn has come. */
  readonly begun?: () => void;
}

/** Gathers evidence for a claim; rejects with an error of the table. */
export type GatherEvidence = (request: BrainRequest, run: GatherRun) => Promise<EvidencePack>;

/** How many claims are gathered at once; read at each of them. */
export interface GatherLimits {
  readonly running: number;
  readonly waiting: number;
  readonly each: number;
}

/** How long a call that came too soon waits before it is made again, in milliseconds. */
const PATIENCE_MS = 500;
const RETRY = { 'retry-after': '5' };

/** What the caller hears when the web evidence service is lost. */
function lost(reason: LossReason | undefined): Error {
  if (reason === 'timeout') return errors.timeout();
  if (reason === 'rate_limited') return errors.rate_limited({ headers: RETRY });
  return reason === 'invalid_answer' ? errors.provider_error() : errors.service_unavailable();
}

/** Time beyond that of the request itself in which its answer must have come, in milliseconds. */
const MARGIN_MS = 5_000;

/** What came of a call: an answer, a refusal in words, or why it was lost. */
type Asked = { readonly answer?: GatherAnswer; readonly refusal?: string; readonly reason?: LossReason };

/** One call of the web evidence service. */
async function askOnce(
  client: WebClient,
  request: BrainRequest,
  run: GatherRun,
  timeoutMs: number,
): Promise<Asked> {
  const { caller, correlationId, signal } = run;
  let missing: Asked = { reason: 'unavailable' };
  const answer = await client.gather(
    { body: request, headers: callerShareHeaders(caller) },
    {
      signal,
      correlationId,
      timeoutMs,
      lost: ({ reason }) => {
        missing = { reason };
      },
      refused: ({ status }) => {
        missing = { refusal: `The web evidence service refused the request with status ${status}.` };
      },
    },
  );
  return answer === undefined ? missing : { answer };
}

/** Calls that come too soon for the service or for their user wait and are made again, for as long as the request allows. */
async function askPatiently(client: WebClient, request: BrainRequest, run: GatherRun): Promise<Asked> {
  const until = performance.now() + request.timeout_seconds * 1000;
  for (;;) {
    const left = until - performance.now();
    const asked = await askOnce(client, request, run, left + MARGIN_MS);
    if (asked.reason !== 'rate_limited' || left <= PATIENCE_MS || run.signal.aborted) return asked;
    // A caller that leaves ends the wait; what comes then is told below.
    await sleep(PATIENCE_MS, undefined, { signal: run.signal }).catch(() => undefined);
  }
}

/** Gathers by the web evidence service, a few claims at once; callers take turns. */
export function createEvidenceSource(client: WebClient, limits: GatherLimits): GatherEvidence {
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
        return mostOfOne(limits.running);
      },
    },
    (share) => errors[share === 'own' ? 'rate_limited' : 'service_unavailable']({ headers: RETRY }),
  );
  return async (request, run) => {
    const work = () => {
      run.begun?.();
      return askPatiently(client, request, run);
    };
    const { answer, refusal, reason } = await queue.run(run.caller, work, run.signal);
    run.signal.throwIfAborted();
    if (refusal !== undefined) throw errors.provider_error({ message: refusal });
    if (answer === undefined) throw lost(reason);
    const { request_id: _, ...pack } = answer;
    return pack;
  };
}
