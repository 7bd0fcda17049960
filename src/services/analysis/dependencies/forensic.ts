import type { Client, LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { forensic, PictureAnalysis } from '../../forensic/contract.ts';
import type { Reason } from '../reasons.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the forensic service that is asked about pictures. */
export type ForensicClient = Pick<Client<typeof forensic>, 'analyze'>;

/** Result of examining a picture: the analysis, the reason of a refusal, or `lost` when the call failed. */
export type ForensicOutcome =
  | { readonly analysis: PictureAnalysis }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** On whose behalf a picture is examined, and how thoroughly. */
export interface ForensicRun extends CallContext {
  readonly depth: 'full' | 'quick';
}

/** Most bytes of an answer: a picture for each detector is in it. */
const ANSWER_BYTES = 32 * 1024 * 1024;

const REFUSALS: Readonly<Record<string, Reason>> = {
  broken_media: { code: 'picture_broken', values: {} },
  too_many_pixels: { code: 'picture_too_large', values: {} },
  payload_too_large: { code: 'picture_too_large', values: {} },
  unsupported_media: { code: 'picture_kind_not_examined', values: {} },
};

/** The code in the body of a refusal, when it has the form of that service. */
export function refusalCode(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  const error = typeof detail === 'object' && detail !== null && 'error' in detail ? detail.error : undefined;
  return typeof error === 'string' ? error : '';
}

/** Has a picture examined; failures of other services are results, never thrown. */
export async function examineForensically(
  client: ForensicClient,
  file: OutgoingFile,
  { account, correlationId, signal, depth }: ForensicRun,
): Promise<ForensicOutcome> {
  let outcome: ForensicOutcome = { lost: 'unavailable' };
  const fields = { depth, pictures: depth === 'full' ? 'true' : 'false' };
  const analysis = await client.analyze(
    { headers: callerShare(account), body: { fields, files: { file } } },
    {
      signal,
      correlationId,
      answerBytes: ANSWER_BYTES,
      lost: ({ reason }) => {
        outcome = { lost: reason };
      },
      refused: ({ body }) => {
        outcome = { refused: REFUSALS[refusalCode(body)] ?? { code: 'picture_not_examined', values: {} } };
      },
    },
  );
  return analysis === undefined ? outcome : { analysis };
}
