import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { ForensicRecording } from '../../dependencies/recording-forensics.ts';
import type { VideoFindings } from '../../media/video-examination.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';
import type { AnalysedRecording, RecordingTrack } from '../../resources/recording-analysis.ts';
import type { RecordingSeenBefore } from '../../resources/recording-seen-before.ts';
import type { Tuning } from '../../resources/tuning.ts';
import { combineTraces, type FusionResult } from '../ai-image/fusion.ts';
import { isSignedAi, isTrustedCapture, provenanceTraces } from '../ai-image/provenance.ts';
import { remainingRisk } from '../ai-text/verdict.ts';
import { detectorsOn, hasResult, recordingTraces } from './detectors.ts';
import { provenanceItem, type RecordingKind, recordingIndicators } from './indicators.ts';
import { videoRecord, visionScores } from './video.ts';

/** The engine that combines the traces of a recording. */
export const RECORDING_ENGINE = { model: 'limpede-ai-recording-1', version: '1' } as const;

/** What each service found in one recording: the input of the AI detection of recordings. */
export interface RecordingEvidence {
  readonly kind: RecordingKind;
  readonly facts: Pick<AnalysedRecording, 'media_id' | 'mime_type' | 'size_bytes' | 'sha256' | 'duration_s'>;
  readonly depth: 'full' | 'quick';
  /** null: the forensic service gave no answer. */
  readonly forensic: ForensicRecording | null;
  /** Its signed history (C2PA); null: not looked for. */
  readonly provenance: PictureProvenance | null;
  /** undefined: it is no video, or the video service did not analyse it. */
  readonly videoFindings?: VideoFindings | undefined;
  /** null: it could not be looked up. */
  readonly seenBefore: RecordingSeenBefore | null;
  readonly durationMs: number;
}

/** A track with its fused evidence before rounding. */
interface ScoredTrack {
  readonly result: RecordingTrack;
  readonly fused: FusionResult;
  readonly isJudged: boolean;
}

const SYNTHETIC: ReadonlySet<string> = new Set(taxonomy.iptc_synthetic);
const GRADES = ['A', 'B', 'C', 'D'] as const;

function trackOf(track: RecordingTrack['track'], examined: RecordingEvidence): ScoredTrack {
  const { forensic, provenance } = examined;
  const all = [...(forensic?.detectors ?? []), ...visionScores(examined.videoFindings)];
  const detectors = detectorsOn(track, all);
  const signed = provenanceTraces(provenance);
  const fused = combineTraces([...recordingTraces(detectors), ...signed]);
  const isJudged = hasResult(detectors) || signed.length > 0;
  const { probability, grade, ...fusion } = fused;
  const result = {
    track,
    ai_probability: isJudged ? roundTo(100 * probability, 2) : null,
    evidence_grade: grade,
    detectors,
    not_applicable: detectors.filter(({ applicable }) => !applicable).map(({ detector }) => detector),
    fusion,
  };
  return { result, fused, isJudged };
}

/** The declaration that a signed history makes to everybody; null when there is none. */
function disclosureOf(provenance: PictureProvenance | null): string | null {
  if (provenance === null || !isSignedAi(provenance)) return null;
  return provenance.digital_source_types.find((type) => SYNTHETIC.has(type)) ?? provenance.signer ?? 'C2PA';
}

/** No detector of ours shows that a recording is genuine: that nothing was found stays inconclusive. */
function verdictOf(
  tracks: readonly ScoredTrack[],
  { isDisclosed, isCapture }: { readonly isDisclosed: boolean; readonly isCapture: boolean },
  from: Tuning['aiVerdictFrom'],
): string {
  if (isDisclosed) return 'disclosed_ai';
  if (isCapture) return 'authenticated_capture';
  const wellSupported = tracks.filter(({ fused: { grade } }) => grade === 'A' || grade === 'B');
  const highest = Math.max(0, ...wellSupported.map(({ fused }) => fused.probability));
  if (highest >= from.strong) return 'strong_evidence';
  return highest >= from.likely ? 'likely_ai_or_tampered' : 'inconclusive';
}

function reasonFor(isJudged: boolean, depth: RecordingEvidence['depth']) {
  if (isJudged) return { reason_code: null, reason: null, reason_ro: null };
  const reason: Reason =
    depth === 'quick'
      ? { code: 'recording_not_decoded', values: {} }
      : { code: 'recording_no_detector_applies', values: {} };
  const { code, ...sentences } = reasonFields(reason);
  return { reason_code: code, ...sentences };
}

const soundOf = ({ forensic }: RecordingEvidence) =>
  forensic === null || forensic.sound === null ? null : { ...forensic.sound, voiced_s: forensic.voiced_s };

/** The answer of the component on a recording: that of the track for which more speaks. */
export function recordingBlock(examined: RecordingEvidence, from: Tuning['aiVerdictFrom']): AiTamperedResult {
  const { kind, facts, depth, provenance, durationMs } = examined;
  const names = kind === 'video' ? (['sound', 'picture'] as const) : (['sound'] as const);
  const tracks = names.map((name) => trackOf(name, examined));
  const judged = tracks.filter(({ isJudged }) => isJudged);
  const isJudged = judged.length > 0;
  const probability = Math.max(0, ...judged.map(({ fused }) => fused.probability));
  const grade = GRADES.find((one) => judged.some(({ fused }) => fused.grade === one)) ?? 'D';
  const engine = { ...RECORDING_ENGINE, duration_ms: durationMs };
  const detectors = tracks.flatMap(({ result }) => result.detectors);
  const items = [...provenanceItem(provenance, kind, engine), ...recordingIndicators(detectors, engine)];
  const disclosure = disclosureOf(provenance);
  const isDisclosed = disclosure !== null;
  const isCapture = provenance !== null && isTrustedCapture(provenance);
  const percent = (share: number) => (isJudged ? roundTo(100 * share, 2) : null);
  return {
    ai_probability: percent(probability),
    ...reasonFor(isJudged, depth),
    verdict: verdictOf(judged, { isDisclosed, isCapture }, from),
    risk_score: percent(probability * remainingRisk(isDisclosed ? true : null)),
    categories_affected: [...new Set(items.map(({ category }) => category))],
    indicators_count: items.length,
    disclosure_detected: isDisclosed,
    disclosure_explicit: isDisclosed,
    disclosure_text: disclosure,
    indicators_detected: items,
    evidence_grade: grade,
    content_type: kind,
    image_analysis: null,
    leading_pictures: null,
    recording_analysis: {
      ...facts,
      media_type: kind,
      depth,
      sound: soundOf(examined),
      tracks: tracks.map(({ result }) => result),
      provenance,
      seen_before: examined.seenBefore,
      video: videoRecord(examined.videoFindings),
      examination_time_ms: durationMs,
    },
    llm_screening: null,
    llm_deep: null,
    total_duration_ms: durationMs,
  };
}
