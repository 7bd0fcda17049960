import type { Failure } from '../../../foundation/errors.ts';
import type { FetchReason } from '../../../foundation/http/reasons.ts';
import type { GuardedHttp } from '../../../foundation/http.ts';
import { errors } from '../errors.ts';
import type { StoredMedia } from '../store/media.ts';
import type { MediaLibrary } from './library.ts';

/** Fetches a medium from the web and stores it as the user's; throws a failure of the table when that fails. */
export type FetchMedia = (account: string, url: string, signal: AbortSignal) => Promise<StoredMedia>;

/** The failure of the table for a failed fetch. */
function failureOf(reason: FetchReason, message: string): Failure {
  if (reason === 'url_not_allowed' || reason === 'too_many_redirects')
    return errors.url_not_allowed({ message });
  if (reason === 'too_large') return errors.payload_too_large({ message });
  return errors.media_not_found({ message });
}

/** Opens the media fetcher, by the outbound guard, with a limit in bytes. */
export function createMediaFetcher(
  http: Pick<GuardedHttp, 'download'>,
  library: MediaLibrary,
  largest: () => number,
): FetchMedia {
  return async (account, url, signal) => {
    const largestBytes = largest();
    const receive = (content: AsyncIterable<Buffer>, size: number | undefined) =>
      library.receive(account, {
        content,
        fileName: undefined,
        mostBytes: size ?? largestBytes,
        leastBytes: size ?? 1,
      });
    const outcome = await http.download(url, receive, { signal, maxBytes: largestBytes });
    if (!outcome.ok) throw failureOf(outcome.reason, outcome.message);
    if (outcome.received === undefined)
      throw errors.media_not_found({ message: `The host answered status ${outcome.status}.` });
    return library.keep(outcome.received);
  };
}
