import type { Client, LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { extractors } from '../../extractors/contract.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the extractors that draws recordings. */
export type OverviewClient = Pick<Client<typeof extractors>, 'overview'>;

/** Frames, waveform and spectrogram of a recording, as the extractors draw them. */
export type ExtractedOverview = NonNullable<Awaited<ReturnType<OverviewClient['overview']>>>;

/** A part of an overview. */
export type OverviewPart = ExtractedOverview['degraded'][number]['part'];

/** Result of an overview: undefined for a kind of file that the extractors do not draw; `lost` when the call failed. */
export type OverviewOutcome =
  | { readonly overview: ExtractedOverview | undefined }
  | { readonly lost: LossReason };

/** Sixteen small frames and two pictures of sound. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const LIMIT_MS = 100_000;

/** Has a recording drawn; failures of other services are results, never thrown. */
export async function drawRecording(
  client: OverviewClient,
  file: OutgoingFile,
  parts: OverviewPart[],
  { account, correlationId, signal }: CallContext,
): Promise<OverviewOutcome> {
  let lost: LossReason = 'unavailable';
  let isRefused = false;
  const overview = await client.overview(
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
  return overview === undefined && !isRefused ? { lost } : { overview };
}
