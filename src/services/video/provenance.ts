import { createReadStream } from 'node:fs';
import type { z } from 'zod';
import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Client } from '../../foundation/client.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { extractors } from '../extractors/contract.ts';

/** The signed history (C2PA) of a file as the extractors report it. */
type SignedHistory = z.output<typeof extractors.operations.metadata.answer>['c2pa'];

/** The origin of a film by its signed history (C2PA). */
export type Provenance =
  /** A trusted signer says that a camera filmed it, the file is unchanged, and nothing was done to it since. */
  | 'trusted_capture'
  /** Its signed history says that a model made it or parts of it. */
  | 'trusted_generation'
  | 'signed_generation'
  /** The file is not the one that was signed. */
  | 'changed'
  /** Signed, in a way that decides nothing. */
  | 'signed'
  | 'absent'
  | 'not_checked';

/** The only actions allowed in the history of an unedited capture. */
const CAPTURE_ACTIONS = new Set(['c2pa.created', 'c2pa.published']);

/** Classifies a signed history. */
export function classifyProvenance(history: SignedHistory | undefined): Provenance {
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
export async function fetchSignedHistory(
  client: Client<typeof extractors>,
  { path, mimeType }: TemporaryFile,
  { caller, signal }: { readonly caller: string; readonly signal: AbortSignal },
): Promise<SignedHistory | undefined> {
  // The stream may never be read: while the circuit breaker of the extractors is open nothing is sent. Its errors are ignored then.
  const content = createReadStream(path).on('error', () => undefined);
  const file = { content, fileName: 'film', mediaType: mimeType };
  const headers = callerShareHeaders(caller);
  const call = client.metadata({ headers, body: { fields: {}, files: { file } } }, { signal });
  return (await call.finally(() => content.destroy()))?.c2pa;
}
