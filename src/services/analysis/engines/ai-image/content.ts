import type { ContentOutcome } from '../../dependencies/extractors.ts';
import type { VisionAssessment } from '../../dependencies/vision.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { ImageAnalysis } from '../../resources/image-analysis.ts';
import { relativeRegions } from './indicators.ts';

/** From this chance on a person should be asked before a picture is shown. */
const BLUR_FROM = 0.5;

/** Why a probability is missing; undefined when none is. */
function unknownReason(
  nudity: number | null,
  gore: number | null,
  recognised: ContentOutcome,
): Reason | undefined {
  const isMissing = recognised !== undefined && 'missing' in recognised;
  if (nudity === null && gore === null)
    return { code: isMissing ? 'sensitive_not_installed' : 'sensitive_not_measured', values: {} };
  if (nudity === null) return { code: 'sensitive_nudity_unknown', values: {} };
  return gore === null ? { code: 'sensitive_violence_unknown', values: {} } : undefined;
}

/** Probabilities of nudity and gore, and whether to blur the picture first. A picture without any result is blurred, too. */
export function sensitiveOf(
  recognised: ContentOutcome,
  vision: VisionAssessment | undefined,
): ImageAnalysis['sensitive'] {
  const content = recognised !== undefined && 'content' in recognised ? recognised.content : undefined;
  const nudities = [content?.nudity ?? null, vision?.nudity ?? null].filter((chance) => chance !== null);
  const nudity = nudities.length === 0 ? null : Math.max(...nudities);
  const gore = vision?.gore ?? null;
  const unknown = unknownReason(nudity, gore, recognised);
  const blur_first = Math.max(nudity ?? 0, gore ?? 0) >= BLUR_FROM || (nudity === null && gore === null);
  if (unknown === undefined) return { nudity, gore, blur_first, code: null, reason: null, reason_ro: null };
  return { nudity, gore, blur_first, ...reasonFields(unknown) };
}

/** The recognised content in the form in which the session stores it. */
export function recognisedContent(recognised: ContentOutcome): ImageAnalysis['shows'] {
  if (recognised === undefined || !('content' in recognised)) return null;
  const { width, height, faces, objects } = recognised.content;
  if (faces === null || objects === null) return null;
  const size = { width: width ?? 1, height: height ?? 1 };
  return {
    faces: faces.length,
    objects: objects.flatMap(({ name, score, box }) =>
      relativeRegions({ regions: [box] }, size).map((where) => ({ name, score, where })),
    ),
  };
}
