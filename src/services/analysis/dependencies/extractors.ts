import type { Client, LossReason } from '../../../foundation/client.ts';
import { memoizeAsync } from '../../../foundation/memoize-async.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { extractors } from '../../extractors/contract.ts';
import type { Reason } from '../reasons.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the extractors that reads media. */
export type ExtractorsClient = Pick<Client<typeof extractors>, 'metadata' | 'ocr' | 'detect' | 'recognition'>;

/** The metadata of a media file. */
export type MediumMetadata = NonNullable<Awaited<ReturnType<ExtractorsClient['metadata']>>>;

/** What a picture shows. */
export type PictureContent = NonNullable<Awaited<ReturnType<ExtractorsClient['detect']>>>;

/** Reads the metadata of a file; undefined for a kind of file that has none. A failure of the service is an outcome, never an exception. */
export async function readMetadata(
  client: ExtractorsClient,
  file: OutgoingFile,
  { account, correlationId, signal }: CallContext,
): Promise<{ readonly metadata: MediumMetadata | undefined } | { readonly lost: LossReason }> {
  let lost: LossReason = 'unavailable';
  let isRefused = false;
  const metadata = await client.metadata(
    { headers: callerShare(account), body: { fields: {}, files: { file } } },
    {
      signal,
      correlationId,
      lost: ({ reason }) => {
        lost = reason;
      },
      refused: () => {
        isRefused = true;
      },
    },
  );
  return metadata === undefined && !isRefused ? { lost } : { metadata };
}

/** Result of recognising the content of a picture; undefined when the service or the bytes were not available. */
export type ContentOutcome =
  | { readonly content: PictureContent }
  | { readonly missing: 'not_installed' }
  | undefined;

/** Recognises what a picture shows. `open` is called for the bytes only when recognition is installed. */
export type RecogniseContent = (
  open: () => Promise<OutgoingFile | undefined>,
  run: CallContext,
) => Promise<ContentOutcome>;

/** How long the answer on what is installed is cached: it may be installed while the platform runs. */
const INSTALLED_MS = 60_000;
const ASK_MS = 5_000;

/**
 * Recognises the content of pictures; where recognition is not installed, no picture is sent. A failed call is not reported here:
 * reading the metadata of the same picture calls the same service and reports its loss.
 */
export function createContentRecogniser(
  client: Pick<ExtractorsClient, 'detect' | 'recognition'>,
): RecogniseContent {
  const state = memoizeAsync(INSTALLED_MS, () =>
    client.recognition({}, { timeoutMs: ASK_MS, refused: () => undefined }),
  );
  return async (open, { account, correlationId, signal }) => {
    const known = await state();
    if (known === undefined) return undefined;
    if (!known.installed) return { missing: 'not_installed' };
    const file = await open();
    if (file === undefined) return undefined;
    const content = await client.detect(
      { headers: callerShare(account), body: { fields: {}, files: { file } } },
      { signal, correlationId, refused: () => undefined },
    );
    return content === undefined || content.faces === null ? undefined : { content };
  };
}

/** Result of reading the text in a picture: the text, the reason of a refusal, or `lost` when the call failed. */
export type TextOutcome =
  | { readonly text: string }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Reads the text in a picture. A failure of the service is an outcome, never an exception. */
export async function recognisePictureText(
  client: Pick<ExtractorsClient, 'ocr'>,
  file: OutgoingFile,
  { account, correlationId, signal }: CallContext,
): Promise<TextOutcome> {
  let outcome: TextOutcome = { lost: 'unavailable' };
  const answer = await client.ocr(
    { headers: callerShare(account), body: { fields: {}, files: { file } } },
    {
      signal,
      correlationId,
      lost: ({ reason }) => {
        outcome = { lost: reason };
      },
      refused: () => {
        outcome = { refused: { code: 'picture_text_refused', values: {} } };
      },
    },
  );
  if (answer === undefined) return outcome;
  if (answer.text !== null) return { text: answer.text };
  return answer.degraded.some(({ reason }) => reason === 'engine_missing')
    ? { refused: { code: 'picture_text_no_engine', values: {} } }
    : { lost: 'unavailable' };
}
