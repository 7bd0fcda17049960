import type { Client, LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { extractors } from '../../extractors/contract.ts';
import { callerShare, type OnBehalf } from './caller-share.ts';

/** The part of the extractors that draws recordings. */
export type OverviewClient = Pick<Client<typeof extractors>, 'overview'>;

/** What a recording looks like, as the extractors draw it. */
export type DrawnRecording = NonNullable<Awaited<ReturnType<OverviewClient['overview']>>>;

/** A part of an overview. */
export type OverviewPart = DrawnRecording['degraded'][number]['part'];

/** What came of an overview: pictures, nothing because the file is none that is drawn, or a loss. */
export type OverviewOutcome = { readonly drawn: DrawnRecording | undefined } | { readonly lost: LossReason };

/** Sixteen small frames and two pictures of sound. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const LIMIT_MS = 100_000;

/** Has a recording drawn; never throws for what lies outside. */
export async function drawRecording(
  client: OverviewClient,
  file: OutgoingFile,
  parts: OverviewPart[],
  { account, correlationId, signal }: OnBehalf,
): Promise<OverviewOutcome> {
  let lost: LossReason = 'unavailable';
  let isRefused = false;
  const drawn = await client.overview(
    { headers: callerShare(account), body: { fields: { parts: parts.join(',') }, files: { file } } },
    {
      signal,
      correlationId,
      timeoutMs: LIMIT_MS,
      answerBytes: ANSWER_BYTES,
      lost: ({ reason }) => {
        lost = reason;
      },
      refused: () => {
        isRefused = true;
      },
    },
  );
  return drawn === undefined && !isRefused ? { lost } : { drawn };
}
