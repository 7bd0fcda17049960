import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { DetectorResult, PictureAnalysis } from '../../../forensic/contract.ts';
import type { ContentOutcome } from '../../dependencies/extractors.ts';
import type { VisionAssessment } from '../../dependencies/vision.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import type {
  DetectorScore,
  ImageAnalysis,
  MadePicture,
  PictureProvenance,
  SeenBefore,
} from '../../resources/image-analysis.ts';
import type { Tuning } from '../../resources/tuning.ts';
import { remainingRisk } from '../ai-text/verdict.ts';
import { recognisedContent, sensitiveOf } from './content.ts';
import { combineTraces, type FusionResult } from './fusion.ts';
import { pictureIndicators, provenanceIndicator, relativeRegions } from './indicators.ts';
import { isSignedAi, isTrustedCapture, provenanceTraces } from './provenance.ts';
import { hasDecidingResult, pictureTraces } from './traces.ts';
import { visionIndicators, visionRecord, visionTraces } from './vision.ts';

/** The engine that combines the traces of a picture. */
export const PICTURE_ENGINE = { model: 'limpede-ai-image-1', version: '1' } as const;

/** What each service found in one picture: the input of the AI detection of pictures. */
export interface PictureEvidence {
  readonly mediaId: string;
  readonly depth: 'full' | 'quick';
  readonly analysis: PictureAnalysis;
  /** Its signed history (C2PA); null: not looked for. */
  readonly provenance: PictureProvenance | null;
  /** A small copy as it was stored; null when there is none. */
  readonly preview: MadePicture | null;
  /** The pictures that detectors drew, by detector, as they were stored. */
  readonly overlays: Readonly<Record<string, MadePicture>>;
  /** null: it could not be looked up. */
  readonly seenBefore: SeenBefore | null;
  /** undefined: no vision model assessed it. */
  readonly vision?: VisionAssessment | undefined;
  /** Its recognised content, or that recognition is not installed; undefined: not looked for. */
  readonly content?: ContentOutcome;
  readonly durationMs: number;
}

const SYNTHETIC: ReadonlySet<string> = new Set(taxonomy.iptc_synthetic);

/** The declaration that a file makes to everybody; the notes that a program left in it are none. */
function disclosureOf({ analysis, provenance }: PictureEvidence): string | null {
  const { digital_source_type: source } = analysis.file;
  if (source !== null && SYNTHETIC.has(source)) return source;
  if (provenance === null || !isSignedAi(provenance)) return null;
  return provenance.digital_source_types.find((type) => SYNTHETIC.has(type)) ?? provenance.signer ?? 'C2PA';
}

function reasonFor(isJudged: boolean, depth: PictureEvidence['depth']) {
  if (isJudged) return { reason_code: null, reason: null, reason_ro: null };
  const reason: Reason =
    depth === 'quick'
      ? { code: 'picture_pixels_not_examined', values: {} }
      : { code: 'picture_no_detector_applies', values: {} };
  const { code, ...sentences } = reasonFields(reason);
  return { reason_code: code, ...sentences };
}

/**
 * No detector of ours shows that a picture was not made by a model: that nothing was found stays inconclusive. A declaration
 * for everybody is no deception.
 */
function verdictOf(
  { probability, grade }: FusionResult,
  declared: { readonly isDisclosed: boolean; readonly isCapture: boolean },
  from: Tuning['aiVerdictFrom'],
): string {
  if (declared.isDisclosed) return 'disclosed_ai';
  if (declared.isCapture) return 'authenticated_capture';
  if (grade !== 'A' && grade !== 'B') return 'inconclusive';
  if (probability >= from.strong) return 'strong_evidence';
  return probability >= from.likely ? 'likely_ai_or_tampered' : 'inconclusive';
}

function scoreOf(result: DetectorResult, examined: PictureEvidence): DetectorScore {
  const { picture: _, regions: __, ...kept } = result;
  const picture = examined.overlays[result.detector] ?? null;
  return { ...kept, regions: relativeRegions(result, examined.analysis), picture };
}

function imageAnalysisOf(
  examined: PictureEvidence,
  { probability: _, grade: __, ...fusion }: FusionResult,
): ImageAnalysis {
  const { mediaId, depth, analysis, seenBefore } = examined;
  const { mime_type, size_bytes, sha256, width, height, orientation, frames, hash, file } = analysis;
  return {
    media_id: mediaId,
    mime_type,
    size_bytes,
    sha256,
    width,
    height,
    orientation,
    frames,
    depth,
    hash,
    file,
    provenance: examined.provenance,
    preview: examined.preview,
    detectors: analysis.detectors.map((result) => scoreOf(result, examined)),
    not_applicable: analysis.detectors
      .filter(({ applicable }) => !applicable)
      .map(({ detector }) => detector),
    degraded: analysis.degraded.map(({ detector }) => detector),
    fusion,
    seen_before: seenBefore,
    vision: visionRecord(examined.vision),
    sensitive: sensitiveOf(examined.content, examined.vision),
    shows: recognisedContent(examined.content),
    examination_time_ms: analysis.examination_time_ms,
  };
}

/** The answer of the component on a picture. */
export function pictureBlock(examined: PictureEvidence, from: Tuning['aiVerdictFrom']): AiTamperedResult {
  const { analysis, depth, durationMs } = examined;
  const { provenance } = examined;
  const signed = provenanceTraces(provenance);
  const { vision } = examined;
  const fused = combineTraces([...pictureTraces(analysis), ...signed, ...visionTraces(vision)]);
  const isJudged = hasDecidingResult(analysis) || signed.length > 0 || vision !== undefined;
  const disclosure = disclosureOf(examined);
  const isCapture = provenance !== null && isTrustedCapture(provenance);
  const engine = { ...PICTURE_ENGINE, duration_ms: durationMs };
  const items = [
    ...provenanceIndicator(provenance, engine),
    ...pictureIndicators(analysis, engine),
    ...visionIndicators(vision, durationMs),
  ];
  const percent = (share: number) => (isJudged ? roundTo(100 * share, 2) : null);
  const isDisclosed = disclosure !== null;
  return {
    ai_probability: percent(fused.probability),
    ...reasonFor(isJudged, depth),
    verdict: verdictOf(fused, { isDisclosed, isCapture }, from),
    risk_score: percent(fused.probability * remainingRisk(isDisclosed ? true : null)),
    categories_affected: [...new Set(items.map(({ category }) => category))],
    indicators_count: items.length,
    disclosure_detected: isDisclosed || analysis.file.generator !== null,
    disclosure_explicit: isDisclosed,
    disclosure_text: disclosure ?? analysis.file.generator?.name ?? null,
    indicators_detected: items,
    evidence_grade: fused.grade,
    content_type: 'image',
    image_analysis: imageAnalysisOf(examined, fused),
    leading_pictures: null,
    recording_analysis: null,
    llm_screening: null,
    llm_deep: null,
    total_duration_ms: durationMs,
  };
}
