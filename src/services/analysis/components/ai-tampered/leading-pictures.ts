import type { TextEngines } from '../../engines/text-engines.ts';
import type { ExaminedPagePicture, PagePicture, PagePictures } from '../../media/page-pictures.ts';
import { type Degradation, reasonFields } from '../../reasons.ts';
import type { LeadingPicture } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { RunContext } from '../component.ts';
import { findingOn } from './picture.ts';

/** What the leading pictures of a page are examined with. */
export interface LeadingPictureTools {
  readonly engines: Pick<TextEngines, 'aiText' | 'identify'>;
  /** undefined: they are not examined. */
  readonly pagePictures: PagePictures | undefined;
}

/** The leading pictures of a page in the form of the interface, and the services that were lost. */
export interface LeadingPictures {
  readonly pictures: LeadingPicture[] | null;
  readonly degraded: readonly Degradation[];
}

/** Share of the component's time limit for pictures; the text of the page is read in the rest. */
const PICTURES_SHARE = 0.7;
/** Most characters that are kept of the text in a picture: beside the text of a page it is only context. */
const LONGEST_TEXT = 2_000;

async function describeExamined(
  { engines }: LeadingPictureTools,
  { url, mediaId, depth, findings, text, losses }: ExaminedPagePicture,
  run: RunContext,
): Promise<{ picture: LeadingPicture; degraded: Degradation[] }> {
  const excerpt = text?.slice(0, LONGEST_TEXT) ?? null;
  const read = excerpt === null ? undefined : { text: excerpt, language: engines.identify(excerpt) };
  const durationMs = findings.analysis.examination_time_ms;
  const { block, degraded } = await findingOn(
    engines,
    { mediaId, depth, findings, text: read, durationMs },
    run,
  );
  const lost = losses.map((loss): Degradation => ({ ...loss, effect: 'part_missing' }));
  return {
    picture: { url, not_looked_at: null, recognised_text: excerpt, finding: block },
    degraded: [...degraded, ...lost],
  };
}

function describeMissing({ url, refused, lost }: Exclude<PagePicture, ExaminedPagePicture>): {
  picture: LeadingPicture;
  degraded: Degradation[];
} {
  const { code, reason, reason_ro } = reasonFields(refused);
  return {
    picture: { url, not_looked_at: { code, reason, reason_ro }, recognised_text: null, finding: null },
    degraded:
      lost === undefined ? [] : [{ dependency: lost.dependency, reason: lost.lost, effect: 'part_missing' }],
  };
}

/**
 * Examines the leading pictures of the page of a material. A failure never fails the page; it is reported, and lowers no
 * confidence, since these pictures take no part in the scores.
 */
export async function examineLeadingPictures(
  tools: LeadingPictureTools,
  { parts: { page } }: Material,
  run: RunContext,
): Promise<LeadingPictures> {
  const { sessionId } = run;
  const { pagePictures } = tools;
  if (page === undefined || pagePictures === undefined || sessionId === undefined || run.quick === true)
    return { pictures: null, degraded: [] };
  const { timeoutMs } = run.tuning ?? SHIPPED_TUNING;
  const limitMs = PICTURES_SHARE * timeoutMs.ai_tampered;
  const examined = await pagePictures.examine(page.images, { ...run, sessionId, limitMs });
  const all = await Promise.all(
    examined.map((one) => ('findings' in one ? describeExamined(tools, one, run) : describeMissing(one))),
  );
  return {
    pictures: all.map(({ picture }) => picture),
    degraded: all.flatMap(({ degraded }) => degraded),
  };
}
