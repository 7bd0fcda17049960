import type { TextEngines } from '../../engines/text-engines.ts';
import type { PagePicture, PagePictures, ShownPicture } from '../../media/page-pictures.ts';
import { type Degradation, reasonFields } from '../../reasons.ts';
import type { LeadingPicture } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { Run } from '../component.ts';
import { findingOn } from './picture.ts';

/** What the leading pictures of a page are looked at with. */
export interface LeadingPictureTools {
  readonly engines: Pick<TextEngines, 'aiText' | 'identify'>;
  /** undefined: they are not looked at. */
  readonly pagePictures: PagePictures | undefined;
}

/** The leading pictures of a page as they are told, and who was lost on the way. */
export interface LeadingPictures {
  readonly pictures: LeadingPicture[] | null;
  readonly degraded: readonly Degradation[];
}

/** Of the time of the component: its text is read in the rest, whatever the machine. */
const PICTURES_SHARE = 0.7;
/** Characters of the words in a picture that are kept: beside a page they are context, and no text of their own. */
const LONGEST_TEXT = 2_000;

async function told(
  { engines }: LeadingPictureTools,
  { url, mediaId, depth, looked, text, losses }: ShownPicture,
  run: Run,
): Promise<{ picture: LeadingPicture; degraded: Degradation[] }> {
  const kept = text?.slice(0, LONGEST_TEXT) ?? null;
  const read = kept === null ? undefined : { text: kept, language: engines.identify(kept) };
  const durationMs = looked.analysis.examination_time_ms;
  const { block, degraded } = await findingOn(
    engines,
    { mediaId, depth, looked, text: read, durationMs },
    run,
  );
  const lost = losses.map((loss): Degradation => ({ ...loss, effect: 'part_missing' }));
  return {
    picture: { url, not_looked_at: null, recognised_text: kept, finding: block },
    degraded: [...degraded, ...lost],
  };
}

function untold({ url, refused, lost }: Exclude<PagePicture, ShownPicture>): {
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
 * Looks at the leading pictures of the page of a material. They never fail the page, and their loss is named without making
 * the page less sure: they take no part in its numbers.
 */
export async function lookAtLeadingPictures(
  tools: LeadingPictureTools,
  { parts: { page } }: Material,
  run: Run,
): Promise<LeadingPictures> {
  const { sessionId } = run;
  const { pagePictures } = tools;
  if (page === undefined || pagePictures === undefined || sessionId === undefined || run.quick === true)
    return { pictures: null, degraded: [] };
  const { timeoutMs } = run.tuning ?? SHIPPED_TUNING;
  const limitMs = PICTURES_SHARE * timeoutMs.ai_tampered;
  const looked = await pagePictures.look(page.images, { ...run, sessionId, limitMs });
  const all = await Promise.all(looked.map((one) => ('looked' in one ? told(tools, one, run) : untold(one))));
  return {
    pictures: all.map(({ picture }) => picture),
    degraded: all.flatMap(({ degraded }) => degraded),
  };
}
