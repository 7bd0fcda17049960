import { Failure } from '../../../foundation/errors.ts';
import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';
import type { GuardedHttp } from '../../../foundation/http.ts';
import { errors } from '../errors.ts';
import type { Reason } from '../reasons.ts';
import type { StoredMedia } from '../store/media.ts';
import type { MediaLibrary, ReceivedContent } from './library.ts';

/** The user and session for which a picture of a page is fetched. */
export interface PagePictureRun {
  readonly account: string;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** A picture of a page, kept with its session, or why there is none. */
export type FetchedPagePicture = { readonly media: StoredMedia } | { readonly refused: Reason };

/** Fetches a picture of a page and stores it as the user's. External failures are results, not errors. */
export type FetchPagePicture = (url: string, run: PagePictureRun) => Promise<FetchedPagePicture>;

/** Bytes of the largest picture that is fetched; pages seldom show larger ones. */
const MOST_BYTES = 8 * 1024 * 1024;
const FETCH_MS = 6_000;
/** Shortest side in pixels; smaller pictures are logos, portraits of authors and buttons. */
const LEAST_SIDE = 200;
/** Pictures fetched at once, of all users and of one, and how many may wait. */
const FETCHES = { running: 8, eachRunning: 3, waiting: 400, each: 100 };

type Refusal =
  | 'picture_kind_not_examined'
  | 'picture_too_large'
  | `page_picture_${'unreachable' | 'too_small' | 'not_in_time' | 'not_kept'}`;
const refusal = (code: Refusal): FetchedPagePicture => ({ refused: { code, values: {} } });

/** Throws for content that is no picture, or too small. */
function check({ mimeType, properties }: ReceivedContent): void {
  if (!mimeType.startsWith('image/')) throw errors.unsupported_media();
  const { width, height } = typeof properties === 'string' ? { width: null, height: null } : properties;
  if (width !== null && height !== null && Math.min(width, height) < LEAST_SIDE) throw new TooSmall();
}

/** A picture that is not examined because of its size. */
class TooSmall extends Error {}

/** Why a picture was not kept. */
function refusalOf(error: unknown): FetchedPagePicture {
  if (error instanceof TooSmall) return refusal('page_picture_too_small');
  if (error instanceof QueueFullError) return refusal('page_picture_not_in_time');
  if (!(error instanceof Failure)) throw error;
  if (error.code === 'unsupported_media') return refusal('picture_kind_not_examined');
  if (error.code === 'payload_too_large') return refusal('picture_too_large');
  return refusal('page_picture_not_kept');
}

async function fetchOne(
  http: Pick<GuardedHttp, 'download'>,
  library: MediaLibrary,
  url: string,
  { account, sessionId, signal }: PagePictureRun,
): Promise<FetchedPagePicture> {
  const receive = async (content: AsyncIterable<Buffer>, size: number | undefined) => {
    const arrival = await library.receive(account, {
      content,
      fileName: undefined,
      mostBytes: size ?? MOST_BYTES,
      leastBytes: size ?? 1,
    });
    try {
      check(arrival);
    } catch (error) {
      await library.discard(arrival);
      throw error;
    }
    return library.keep(arrival, { shownIn: sessionId });
  };
  const limits = { signal, timeoutMs: FETCH_MS, maxBytes: MOST_BYTES };
  const outcome = await http.download(url, receive, limits);
  if (outcome.ok)
    return outcome.received === undefined ? refusal('page_picture_unreachable') : { media: outcome.received };
  if (outcome.reason === 'timeout' || outcome.reason === 'aborted')
    return refusal('page_picture_not_in_time');
  return refusal(outcome.reason === 'too_large' ? 'picture_too_large' : 'page_picture_unreachable');
}

/** Opens the fetcher of page pictures, by the outbound guard. Small pictures are skipped, users are served in turn. */
export function createPagePictureFetcher(
  http: Pick<GuardedHttp, 'download'>,
  library: MediaLibrary,
): FetchPagePicture {
  const queue = createFairQueue(FETCHES);
  return async (url, run) => {
    try {
      return await queue.run(run.account, () => fetchOne(http, library, url, run), run.signal);
    } catch (error) {
      run.signal.throwIfAborted();
      return refusalOf(error);
    }
  };
}
