import type { Client, LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { forensic } from '../../forensic/contract.ts';
import type { Reason } from '../reasons.ts';
import { type CallContext, callerShare } from './caller-share.ts';
import { refusalCode } from './forensic.ts';

/** The part of the forensic service that is asked about recordings. */
export type RecordingForensicClient = Pick<Client<typeof forensic>, 'analyzeRecording'>;

/** What the forensic service finds in a recording. */
export type ForensicRecording = NonNullable<Awaited<ReturnType<RecordingForensicClient['analyzeRecording']>>>;

/** The answer of the forensic service on a recording: findings, why it refused, or nothing because it was lost. */
export type RecordingForensicOutcome =
  | { readonly analysis: ForensicRecording }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Longer than the service takes for the longest recording. */
const LIMIT_MS = 150_000;

const REFUSALS: Readonly<Record<string, Reason>> = {
  broken_media: { code: 'recording_broken', values: {} },
  no_tracks: { code: 'recording_broken', values: {} },
  media_too_long: { code: 'recording_too_long', values: {} },
  too_many_pixels: { code: 'recording_too_long', values: {} },
  payload_too_large: { code: 'recording_too_long', values: {} },
};

/** Has a recording examined; failures of other services are results, never thrown. */
export async function examineRecording(
  client: RecordingForensicClient,
  file: OutgoingFile,
  { account, correlationId, signal }: CallContext,
): Promise<RecordingForensicOutcome> {
  let outcome: RecordingForensicOutcome = { lost: 'unavailable' };
  const analysis = await client.analyzeRecording(
    { headers: callerShare(account), body: { fields: {}, files: { file } } },
    {
      signal,
      correlationId,
      timeoutMs: LIMIT_MS,
      lost: ({ reason }) => {
        outcome = { lost: reason };
      },
      refused: ({ body }) => {
        const refused: Reason = { code: 'recording_not_examined', values: {} };
        outcome = { refused: REFUSALS[refusalCode(body)] ?? refused };
      },
    },
  );
  return analysis === undefined ? outcome : { analysis };
}
