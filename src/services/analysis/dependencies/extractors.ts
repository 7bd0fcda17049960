import type { Client, LossReason } from '../../../foundation/client.ts';
import { memoizeAsync } from '../../../foundation/memoize-async.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { extractors } from '../../extractors/contract.ts';
import type { Reason } from '../reasons.ts';
import { callerShare } from './caller-share.ts';

/** The part of the extractors that reads media. */
export type ExtractorsClient = Pick<Client<typeof extractors>, 'metadata' | 'ocr' | 'detect' | 'recognition'>;

/** What a file says of itself. */
export type MediumMetadata = NonNullable<Awaited<ReturnType<ExtractorsClient['metadata']>>>;

/** What a picture shows. */
export type PictureContent = NonNullable<Awaited<ReturnType<ExtractorsClient['detect']>>>;

/** On whose behalf a file is read. */
export interface ExtractionRun {
  readonly account: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** Reads what a file says of itself; undefined when it is of a kind that carries nothing. Never throws for what lies outside. */
export async function readMetadata(
  client: ExtractorsClient,
  file: OutgoingFile,
  { account, correlationId, signal }: ExtractionRun,
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

/** What came of looking for what a picture shows: undefined where nobody could look. */
export type ContentOutcome =
  | { readonly content: PictureContent }
  | { readonly missing: 'not_installed' }
  | undefined;

/** Finds what a picture shows. `open` is asked for its bytes only where somebody would look at them. */
export type ReadContent = (
  open: () => Promise<OutgoingFile | undefined>,
  run: ExtractionRun,
) => Promise<ContentOutcome>;

/** So long an answer on what is installed holds: somebody may install it while the platform runs. */
const INSTALLED_MS = 60_000;
const ASK_MS = 5_000;

/**
 * Makes what finds out what pictures show. Where nothing is installed that recognises, no picture is sent. Why nobody could look
 * is not told otherwise: the metadata of the same picture, read by the same service, name its loss.
 */
export function createContentReader(client: Pick<ExtractorsClient, 'detect' | 'recognition'>): ReadContent {
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

/** What the extractors read in a picture: its text, why they would not look, or nothing because they were lost. */
export type TextOutcome =
  | { readonly text: string }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Reads the text in a picture; never throws for what lies outside. */
export async function readText(
  client: Pick<ExtractorsClient, 'ocr'>,
  file: OutgoingFile,
  { account, correlationId, signal }: ExtractionRun,
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
