import type { ContentOutcome } from '../../dependencies/extractors.ts';
import type { VisionAssessment } from '../../dependencies/vision.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { ImageAnalysis } from '../../resources/image-analysis.ts';
import { regionsOf } from './indicators.ts';

/** From this chance on a person should be asked before a picture is shown. */
const BLUR_FROM = 0.5;

/** Why not everything is known; undefined when it is. */
function unknownReason(
  nudity: number | null,
  gore: number | null,
  shown: ContentOutcome,
): Reason | undefined {
  const isMissing = shown !== undefined && 'missing' in shown;
  if (nudity === null && gore === null)
    return { code: isMissing ? 'sensitive_not_installed' : 'sensitive_not_measured', values: {} };
  if (nudity === null) return { code: 'sensitive_nudity_unknown', values: {} };
  return gore === null ? { code: 'sensitive_violence_unknown', values: {} } : undefined;
}

/** What people should be warned of in a picture. Where nobody looked they are warned, too. */
export function sensitiveOf(
  shown: ContentOutcome,
  view: VisionAssessment | undefined,
): ImageAnalysis['sensitive'] {
  const content = shown !== undefined && 'content' in shown ? shown.content : undefined;
  const nudities = [content?.nudity ?? null, view?.nudity ?? null].filter((chance) => chance !== null);
  const nudity = nudities.length === 0 ? null : Math.max(...nudities);
  const gore = view?.gore ?? null;
  const unknown = unknownReason(nudity, gore, shown);
  const blur_first = Math.max(nudity ?? 0, gore ?? 0) >= BLUR_FROM || (nudity === null && gore === null);
  if (unknown === undefined) return { nudity, gore, blur_first, code: null, reason: null, reason_ro: null };
  return { nudity, gore, blur_first, ...reasonFields(unknown) };
}

/** What was recognised in a picture, as the record keeps it. */
export function shownIn(shown: ContentOutcome): ImageAnalysis['shows'] {
  if (shown === undefined || !('content' in shown)) return null;
  const { width, height, faces, objects } = shown.content;
  if (faces === null || objects === null) return null;
  const size = { width: width ?? 1, height: height ?? 1 };
  return {
    faces: faces.length,
    objects: objects.flatMap(({ name, score, box }) =>
      regionsOf({ regions: [box] }, size).map((where) => ({ name, score, where })),
    ),
  };
}
