import type { LossReason } from '../../../foundation/client.ts';
import { DeadlineError, withDeadline } from '../../../foundation/deadline.ts';
import { differingBits } from '../../../media/image/pdq.ts';
import type { Reason } from '../reasons.ts';
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

/** A look at the pictures of a page. */
export interface PageLook extends PageRun {
  /** Time for all of them, waiting included, in milliseconds: a page does not wait for its pictures. */
  readonly limitMs: number;
}

/** A picture of a page with all that was found of it. */
export interface ShownPicture {
  readonly url: string;
  readonly mediaId: string;
  /** `quick` where there was no time for its pixels. */
  readonly depth: 'full' | 'quick';
  readonly looked: LookedAtPicture;
  /** The words in it; null when none were read. */
  readonly text: string | null;
  /** Services that were lost while it was looked at closely. */
  readonly losses: readonly { readonly dependency: string; readonly reason: LossReason }[];
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
  look(addresses: readonly string[], run: PageLook): Promise<PagePicture[]>;
}

/** What the pictures of pages are looked at with. */
export interface PagePictureTools {
  readonly fetch: FetchPagePicture;
  readonly desk: PictureDesk;
  readonly readText: ReadPictureText;
  /** Pictures of one page that are looked at; 0: none. */
  readonly most: () => number;
}

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

/** Work within the time of a page; `undefined` when that is over. What was cut off by it is no loss of a service. */
type InTime = <Result>(work: (run: PageRun) => Promise<Result>) => Promise<Result | undefined>;

function startTime({ limitMs, ...run }: PageLook): InTime {
  const ends = performance.now() + limitMs;
  return async (work) => {
    try {
      const left = Math.max(0, ends - performance.now());
      return await withDeadline(left, run.signal, (signal) => work({ ...run, signal }));
    } catch (error) {
      run.signal.throwIfAborted();
      if (error instanceof DeadlineError) return undefined;
      throw error;
    }
  };
}

/** The wait for a place counts: the page has its time limit. */
const impatient = (run: PageRun) => ({ ...run, pause: () => () => undefined });

/** A picture by what its file says and its hash, which takes little: the close look may not come about. */
async function glance(
  { desk }: PagePictureTools,
  { url, fetched }: { readonly url: string; readonly fetched: FetchedPagePicture | undefined },
  earlier: readonly PagePicture[],
  inTime: InTime,
): Promise<PagePicture> {
  if (fetched === undefined) return notInTime(url);
  if ('refused' in fetched) return { url, refused: fetched.refused };
  const { mediaId } = fetched.media;
  const looked = await inTime((run) => desk.examine(mediaId, { ...impatient(run), depth: 'quick' }));
  if (looked === undefined) return notInTime(url);
  if (!('analysis' in looked)) return unseen(url, looked);
  if (isRepeated(looked, earlier)) return { url, refused: REPEATED };
  return { url, mediaId, depth: 'quick', looked, text: null, losses: [] };
}

/** The same picture by its pixels and its words; what is not done in time stays as it was. */
async function lookClosely(
  { desk, readText }: PagePictureTools,
  picture: ShownPicture,
  inTime: InTime,
): Promise<ShownPicture> {
  const { mediaId } = picture;
  const [looked, words] = await Promise.all([
    inTime((run) => desk.examine(mediaId, { ...impatient(run), depth: 'full' })),
    inTime((run) => readText(mediaId, run)),
  ]);
  const text = words !== undefined && 'text' in words && words.text.trim() !== '' ? words.text : null;
  const losses = [
    ...(looked !== undefined && 'lost' in looked
      ? [{ dependency: looked.dependency, reason: looked.lost }]
      : []),
    ...(words !== undefined && 'lost' in words ? [{ dependency: 'extractors', reason: words.lost }] : []),
  ];
  const isSeen = looked !== undefined && 'analysis' in looked;
  return { ...picture, ...(isSeen && { depth: 'full', looked }), text, losses };
}

async function look(
  tools: PagePictureTools,
  addresses: readonly string[],
  inTime: InTime,
): Promise<PagePicture[]> {
  const { fetch } = tools;
  const arrived = await Promise.all(
    addresses.map(async (url) => ({ url, fetched: await inTime((run) => fetch(url, run)) })),
  );
  const pictures: PagePicture[] = [];
  // One after the other: a near copy is told by those before it, and a page holds one place at a time.
  for (const one of arrived) pictures.push(await glance(tools, one, pictures, inTime));
  for (const [index, picture] of pictures.entries())
    if ('looked' in picture) pictures[index] = await lookClosely(tools, picture, inTime);
  return pictures;
}

/** Makes what looks at the leading pictures of pages. */
export function createPagePictures(tools: PagePictureTools): PagePictures {
  return {
    look: (addresses, run) => look(tools, addresses.slice(0, tools.most()), startTime(run)),
  };
}
