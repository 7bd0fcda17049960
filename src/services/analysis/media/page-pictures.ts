import type { LossReason } from '../../../foundation/client.ts';
import { differingBits } from '../../../media/image/pdq.ts';
import type { Reason } from '../reasons.ts';
import type { StoredMedia } from '../store/media.ts';
import { isTelling, NEAR_BITS } from '../store/picture-hashes.ts';
import type { FetchedPagePicture, FetchPagePicture } from './page-picture-fetcher.ts';
import type { LookedAtPicture, PictureDesk, PictureOutcome } from './picture-desk.ts';
import type { ReadPictureText } from './picture-text.ts';

/** On whose behalf the pictures of a page are looked at. */
export interface PageRun {
  readonly account: string;
  readonly sessionId: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** A picture of a page with all that was found of it. */
export interface ShownPicture {
  readonly url: string;
  readonly mediaId: string;
  readonly looked: LookedAtPicture;
  /** The words in it; null when none were read. */
  readonly text: string | null;
  /** Why they could not be read; undefined when the extractors answered, or are switched off. */
  readonly textLost: LossReason | undefined;
}

/** What came of one picture of a page: findings, or why there are none, and who was lost. */
export type PagePicture =
  | ShownPicture
  | {
      readonly url: string;
      readonly refused: Reason;
      readonly lost?: Extract<PictureOutcome, { readonly lost: unknown }>;
    };

/** The leading pictures of pages: fetched, kept with their session, and looked at like any other. */
export interface PagePictures {
  /** Looks at the first few, in the order of the page. Throws for nothing that lies outside but the end of the run. */
  look(addresses: readonly string[], run: PageRun): Promise<PagePicture[]>;
}

/** What the pictures of pages are looked at with. */
export interface PagePictureTools {
  readonly fetch: FetchPagePicture;
  readonly desk: PictureDesk;
  readonly readText: ReadPictureText;
  /** Pictures of one page that are looked at; 0: none. */
  readonly most: () => number;
}

/** Time for all pictures of a page, waiting included: a page does not wait for its pictures. */
const LOOK_MS = 14_000;

const REPEATED: Reason = { code: 'page_picture_repeated', values: {} };
const notInTime = (url: string): PagePicture => ({
  url,
  refused: { code: 'page_picture_not_in_time', values: {} },
});

/** Whether a picture is a near copy of one of the same page: articles repeat their leading picture in other sizes. */
function isRepeated({ analysis: { hash } }: LookedAtPicture, earlier: readonly PagePicture[]): boolean {
  return earlier.some(
    (one) =>
      'looked' in one &&
      isTelling(hash) &&
      isTelling(one.looked.analysis.hash) &&
      differingBits(hash.value, one.looked.analysis.hash.value) <= NEAR_BITS,
  );
}

/** What the desk could not look at. */
function unseen(url: string, outcome: Exclude<PictureOutcome, LookedAtPicture>): PagePicture {
  if ('refused' in outcome) return { url, refused: outcome.refused };
  return { url, refused: { code: 'forensic_lost', values: {} }, lost: outcome };
}

/** Looks at one picture: quickly first, and closely when the page did not show it before. */
async function lookAt(
  { desk, readText }: PagePictureTools,
  url: string,
  { mediaId }: Pick<StoredMedia, 'mediaId'>,
  earlier: readonly PagePicture[],
  run: PageRun,
): Promise<PagePicture> {
  // The wait for a place counts: the page has its time limit.
  const turn = { ...run, pause: () => () => undefined };
  const quick = await desk.examine(mediaId, { ...turn, depth: 'quick' });
  if (!('analysis' in quick)) return unseen(url, quick);
  if (isRepeated(quick, earlier)) return { url, refused: REPEATED };
  const [looked, words] = await Promise.all([
    desk.examine(mediaId, { ...turn, depth: 'full' }),
    readText(mediaId, run),
  ]);
  if (!('analysis' in looked)) return unseen(url, looked);
  const text = 'text' in words && words.text.trim() !== '' ? words.text : null;
  return { url, mediaId, looked, text, textLost: 'lost' in words ? words.lost : undefined };
}

async function look(
  tools: PagePictureTools,
  addresses: readonly string[],
  run: PageRun,
): Promise<PagePicture[]> {
  const limit = AbortSignal.timeout(LOOK_MS);
  const limited = { ...run, signal: AbortSignal.any([run.signal, limit]) };
  const late = (error: unknown) => {
    run.signal.throwIfAborted();
    if (!limit.aborted) throw error;
    return undefined;
  };
  const fetched: (FetchedPagePicture | undefined)[] = await Promise.all(
    addresses.map((url) => tools.fetch(url, limited).catch(late)),
  );
  const pictures: PagePicture[] = [];
  for (const [index, url] of addresses.entries()) {
    const one = fetched[index];
    if (one === undefined) pictures.push(notInTime(url));
    else if ('refused' in one) pictures.push({ url, refused: one.refused });
    else {
      const seen = await lookAt(tools, url, one.media, pictures, limited).catch(late);
      // What was cut off by the limit is no loss of a service.
      const isCut = limit.aborted && seen !== undefined && 'lost' in seen;
      pictures.push(seen === undefined || isCut ? notInTime(url) : seen);
    }
  }
  run.signal.throwIfAborted();
  return pictures;
}

/** Makes what looks at the leading pictures of pages. */
export function createPagePictures(tools: PagePictureTools): PagePictures {
  return { look: (addresses, run) => look(tools, addresses.slice(0, tools.most()), run) };
}
