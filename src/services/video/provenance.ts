import { createReadStream } from 'node:fs';
import type { z } from 'zod';
import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Client } from '../../foundation/client.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { extractors } from '../extractors/contract.ts';

/** The signed history of a file, as the extractors tell it. */
type SignedHistory = z.output<typeof extractors.operations.metadata.answer>['c2pa'];

/** What is known of where a film comes from. */
export type Provenance =
  /** A trusted signer says that a camera filmed it, the file is unchanged, and nothing was done to it since. */
  | 'trusted_capture'
  /** Its signed history says that a model made it or parts of it. */
  | 'trusted_generation'
  | 'signed_generation'
  /** The file is not the one that was signed. */
  | 'changed'
  /** Signed by somebody, in a way that settles nothing. */
  | 'signed'
  | 'absent'
  | 'not_checked';

/** What a film that comes from a camera may have behind it. */
const CAPTURE_ACTIONS = new Set(['c2pa.created', 'c2pa.published']);

/** Reads a signed history as a verdict may use it. */
export function provenanceOf(history: SignedHistory | undefined): Provenance {
  if (history === undefined) return 'not_checked';
  const { state, trusted, content, ai_origin: origin } = history;
  if (state === 'absent') return 'absent';
  if (state === 'unknown' || state === 'remote') return 'not_checked';
  if (content === 'changed') return 'changed';
  if (state !== 'valid' || content !== 'unchanged') return 'signed';
  if (origin !== null) return trusted === true ? 'trusted_generation' : 'signed_generation';
  const actions = history.manifests.flatMap((one) => one.actions);
  const isCapture =
    history.digital_source_types.length > 0 &&
    history.digital_source_types.every((type) => type === 'digitalCapture') &&
    actions.some(({ action }) => action === 'c2pa.created') &&
    actions.every(({ action }) => CAPTURE_ACTIONS.has(action));
  return isCapture && trusted === true ? 'trusted_capture' : 'signed';
}

/** Asks the extractors for the signed history of a file; undefined when they cannot say. */
export async function readHistory(
  client: Client<typeof extractors>,
  { path, mimeType }: TemporaryFile,
  { caller, signal }: { readonly caller: string; readonly signal: AbortSignal },
): Promise<SignedHistory | undefined> {
  // It may never be read: while the extractors are left alone nothing is sent.
  const content = createReadStream(path).on('error', () => undefined);
  const file = { content, fileName: 'film', mediaType: mimeType };
  const headers = callerShareHeaders(caller);
  const call = client.metadata({ headers, body: { fields: {}, files: { file } } }, { signal });
  return (await call.finally(() => content.destroy()))?.c2pa;
}
