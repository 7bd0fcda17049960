import type { Client, LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { video } from '../../video/contract.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the video service that the analysis calls. */
export type VideoClient = Pick<Client<typeof video>, 'analyze' | 'describe' | 'health'>;

/** Whether a video is real, as the video service judges it. */
export type VideoJudgement = NonNullable<Awaited<ReturnType<VideoClient['analyze']>>>;
/** What a video shows, as the video service describes it. */
export type VideoDescription = NonNullable<Awaited<ReturnType<VideoClient['describe']>>>;

/** Result of a call: the answer; `refused` for a file that the service does not take; `lost` when the call failed. */
export type VideoOutcome<Answer> =
  | { readonly answer: Answer }
  | { readonly refused: true }
  | { readonly lost: LossReason };

const HEALTH_MS = 3_000;
/** A vision model takes seconds for each request of eight frames. */
const LIMIT_MS = 130_000;
/** Parts of a description: enough to tell scenes apart, few enough for slow models. */
const CHUNKS = { most: 6, shortestSec: 10, frames: 8 } as const;
const LONGEST_CHUNK_SEC = 60;

/** Whether the vision server behind the video service is set up; undefined when the service does not answer. */
export async function hasVision(client: VideoClient, signal: AbortSignal): Promise<boolean | undefined> {
  const health = await client.health({}, { signal, timeoutMs: HEALTH_MS });
  if (health === undefined) return undefined;
  return health.checks.vision?.status !== 'unknown';
}

function outcomeTracker<Answer>() {
  const state: { lost: LossReason; isRefused: boolean } = { lost: 'unavailable', isRefused: false };
  return {
    callbacks: {
      lost: ({ reason }: { readonly reason: LossReason }) => {
        state.lost = reason;
      },
      refused: () => {
        state.isRefused = true;
      },
    },
    outcomeOf: (answer: Answer | undefined): VideoOutcome<Answer> => {
      if (answer !== undefined) return { answer };
      return state.isRefused ? { refused: true } : { lost: state.lost };
    },
  };
}

/** Asks whether a video is real. A failure of the service is an outcome, never an exception. */
export async function judgeVideo(
  client: VideoClient,
  file: OutgoingFile,
  { account, correlationId, signal }: CallContext,
): Promise<VideoOutcome<VideoJudgement>> {
  const { callbacks, outcomeOf } = outcomeTracker<VideoJudgement>();
  const options = { signal, correlationId, timeoutMs: LIMIT_MS, ...callbacks };
  return outcomeOf(
    await client.analyze({ headers: callerShare(account), body: { fields: {}, files: { file } } }, options),
  );
}

/** Has a video described, in at most six parts. A failure of the service is an outcome, never an exception. */
export async function describeVideo(
  client: VideoClient,
  file: OutgoingFile,
  durationSec: number | null,
  { account, correlationId, signal }: CallContext,
): Promise<VideoOutcome<VideoDescription>> {
  const { callbacks, outcomeOf } = outcomeTracker<VideoDescription>();
  const length = Math.ceil((durationSec ?? CHUNKS.most * LONGEST_CHUNK_SEC) / CHUNKS.most);
  const seconds = Math.min(LONGEST_CHUNK_SEC, Math.max(CHUNKS.shortestSec, length));
  const fields = { chunk_duration_s: String(seconds), frames_per_chunk: String(CHUNKS.frames) };
  const options = { signal, correlationId, timeoutMs: LIMIT_MS, ...callbacks };
  return outcomeOf(
    await client.describe({ headers: callerShare(account), body: { fields, files: { file } } }, options),
  );
}
