import type { LossReason } from '../../../foundation/client.ts';
import { DeadlineError, withDeadline } from '../../../foundation/deadline.ts';
import { differingBits } from '../../../media/image/pdq.ts';
import type { Reason } from '../reasons.ts';
import { isDistinctive, NEAR_DUPLICATE_BITS } from '../store/picture-hashes.ts';
import type { FetchedPagePicture, FetchPagePicture } from './page-picture-fetcher.ts';
import type { PictureExaminer, PictureFindings, PictureOutcome } from './picture-examiner.ts';
import type { RecognisePictureText } from './picture-text.ts';

/** The user and session for which the pictures of a page are examined. */
export interface PageRun {
  readonly account: string;
  readonly sessionId: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** One examination of the pictures of a page. */
export interface PagePicturesRun extends PageRun {
  /** Time limit for all pictures together, waiting included, in milliseconds. */
  readonly limitMs: number;
}

/** An examined picture of a page. */
export interface ExaminedPagePicture {
  readonly url: string;
  readonly mediaId: string;
  /** `quick` where there was no time for its pixels. */
  readonly depth: 'full' | 'quick';
  readonly findings: PictureFindings;
  /** The words in it; null when none were read. */
  readonly text: string | null;
  /** Services that were lost during the full examination. */
  readonly losses: readonly { readonly dependency: string; readonly reason: LossReason }[];
}

/** The outcome for one picture of a page: findings, or why there are none and which service was lost. */
export type PagePicture =
  | ExaminedPagePicture
  | {
      readonly url: string;
      readonly refused: Reason;
      readonly lost?: Extract<PictureOutcome, { readonly lost: unknown }>;
    };

/** Examines the leading pictures of pages: they are fetched, stored with their session, and examined like submitted ones. */
export interface PagePictures {
  /** Examines the first few, in the order of the page. Failures of other services are results; only the end of the run is thrown. */
  examine(addresses: readonly string[], run: PagePicturesRun): Promise<PagePicture[]>;
}

/** What the pictures of pages are examined with. */
export interface PagePictureTools {
  readonly fetch: FetchPagePicture;
  readonly examiner: PictureExaminer;
  readonly readText: RecognisePictureText;
  /** Most pictures of one page that are examined; 0: none. */
  readonly most: () => number;
}

const REPEATED: Reason = { code: 'page_picture_repeated', values: {} };
const notInTime = (url: string): PagePicture => ({
  url,
  refused: { code: 'page_picture_not_in_time', values: {} },
});

/** Whether a picture is a near copy of one of the same page: articles repeat their leading picture in other sizes. */
function isRepeated({ analysis: { hash } }: PictureFindings, earlier: readonly PagePicture[]): boolean {
  return earlier.some(
    (one) =>
      'findings' in one &&
      isDistinctive(hash) &&
      isDistinctive(one.findings.analysis.hash) &&
      differingBits(hash.value, one.findings.analysis.hash.value) <= NEAR_DUPLICATE_BITS,
  );
}

/** Pictures that the examiner refused or lost, as reasons. */
function notExamined(url: string, outcome: Exclude<PictureOutcome, PictureFindings>): PagePicture {
  if ('refused' in outcome) return { url, refused: outcome.refused };
  return { url, refused: { code: 'forensic_lost', values: {} }, lost: outcome };
}

/** Runs work within the time limit of the page; undefined when that is over, which does not count as a lost service. */
type InTime = <Result>(work: (run: PageRun) => Promise<Result>) => Promise<Result | undefined>;

function startTime({ limitMs, ...run }: PagePicturesRun): InTime {
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

/** The run without a clock to pause: waiting in the queue counts against the time limit of the page. */
const withoutPause = (run: PageRun) => ({ ...run, pause: () => () => undefined });

/** The quick examination, of metadata and hash alone; there may be no time for the full one. */
async function examineQuickly(
  { examiner }: PagePictureTools,
  { url, fetched }: { readonly url: string; readonly fetched: FetchedPagePicture | undefined },
  earlier: readonly PagePicture[],
  inTime: InTime,
): Promise<PagePicture> {
  if (fetched === undefined) return notInTime(url);
  if ('refused' in fetched) return { url, refused: fetched.refused };
  const { mediaId } = fetched.media;
  const looked = await inTime((run) => examiner.examine(mediaId, { ...withoutPause(run), depth: 'quick' }));
  if (looked === undefined) return notInTime(url);
  if (!('analysis' in looked)) return notExamined(url, looked);
  if (isRepeated(looked, earlier)) return { url, refused: REPEATED };
  return { url, mediaId, depth: 'quick', findings: looked, text: null, losses: [] };
}

/** The full examination, of pixels and text; what is not done in time stays as the quick one left it. */
async function examineFully(
  { examiner, readText }: PagePictureTools,
  picture: ExaminedPagePicture,
  inTime: InTime,
): Promise<ExaminedPagePicture> {
  const { mediaId } = picture;
  const [looked, words] = await Promise.all([
    inTime((run) => examiner.examine(mediaId, { ...withoutPause(run), depth: 'full' })),
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
  return { ...picture, ...(isSeen && { depth: 'full', findings: looked }), text, losses };
}

async function examineAll(
  tools: PagePictureTools,
  addresses: readonly string[],
  inTime: InTime,
): Promise<PagePicture[]> {
  const { fetch } = tools;
  const arrived = await Promise.all(
    addresses.map(async (url) => ({ url, fetched: await inTime((run) => fetch(url, run)) })),
  );
  const pictures: PagePicture[] = [];
  // One after the other: near copies are recognised by earlier ones, and a page holds one queue place at a time.
  for (const one of arrived) pictures.push(await examineQuickly(tools, one, pictures, inTime));
  for (const [index, picture] of pictures.entries())
    if ('findings' in picture) pictures[index] = await examineFully(tools, picture, inTime);
  return pictures;
}

/** Opens the examination of the leading pictures of pages. */
export function createPagePictures(tools: PagePictureTools): PagePictures {
  return {
    examine: (addresses, run) => examineAll(tools, addresses.slice(0, tools.most()), startTime(run)),
  };
}
