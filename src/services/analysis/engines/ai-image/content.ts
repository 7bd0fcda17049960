import type { PictureContent } from '../../dependencies/extractors.ts';
import type { VisionView } from '../../dependencies/vision.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { ImageAnalysis } from '../../resources/image-analysis.ts';
import { regionsOf } from './indicators.ts';

/** From this chance on a person should be asked before a picture is shown. */
const BLUR_FROM = 0.5;

/** Why not everything is known; undefined when it is. */
function unknownReason(nudity: number | null, gore: number | null): Reason | undefined {
  if (nudity === null && gore === null) return { code: 'sensitive_not_measured', values: {} };
  if (nudity === null) return { code: 'sensitive_nudity_unknown', values: {} };
  return gore === null ? { code: 'sensitive_violence_unknown', values: {} } : undefined;
}

/** What people should be warned of in a picture. Where nobody looked they are warned, too. */
export function sensitiveOf(
  content: PictureContent | undefined,
  view: VisionView | undefined,
): ImageAnalysis['sensitive'] {
  const nudities = [content?.nudity ?? null, view?.nudity ?? null].filter((chance) => chance !== null);
  const nudity = nudities.length === 0 ? null : Math.max(...nudities);
  const gore = view?.gore ?? null;
  const unknown = unknownReason(nudity, gore);
  const blur_first = Math.max(nudity ?? 0, gore ?? 0) >= BLUR_FROM || (nudity === null && gore === null);
  if (unknown === undefined) return { nudity, gore, blur_first, code: null, reason: null, reason_ro: null };
  return { nudity, gore, blur_first, ...reasonFields(unknown) };
}

/** What was recognised in a picture, as the record keeps it. */
export function shownIn(content: PictureContent | undefined): ImageAnalysis['shows'] {
  if (content === undefined || content.faces === null || content.objects === null) return null;
  const { width, height, faces, objects } = content;
  const size = { width: width ?? 1, height: height ?? 1 };
  return {
    faces: faces.length,
    objects: objects.flatMap(({ name, score, box }) =>
      regionsOf({ regions: [box] }, size).map((where) => ({ name, score, where })),
    ),
  };
}
