import type { VideoFindings } from '../../media/video-examination.ts';
import { reasonFields } from '../../reasons.ts';
import type { RecordingDetectorScore, WatchedRecording } from '../../resources/recording-analysis.ts';

/** The signal of the video service that comes from a vision model; the signed origin is read by our own code. */
const VISION_SIGNAL = 'vision_model';

/** The answer of the vision model as a detector score. The model is not calibrated, so a low score is no evidence that a video is genuine. */
export function visionScores(findings: VideoFindings | undefined): RecordingDetectorScore[] {
  const judged = findings?.judged;
  if (judged === undefined) return [];
  return judged.signals
    .filter(({ group }) => group === VISION_SIGNAL)
    .map(({ applicable, log_likelihood_ratio: ratio, explanation }) => {
      const value = Math.max(0, ratio);
      return {
        detector: VISION_SIGNAL,
        applicable,
        reason: applicable ? null : { code: 'describes_only', ...explanation },
        score: applicable ? ratio : null,
        threshold: applicable ? 0 : null,
        found: applicable ? ratio > 0 : null,
        log_likelihood_ratio: { value, low: 0, high: value },
        explanation: applicable ? explanation : null,
        cannot_see: null,
        stretches: judged.evidence.map(({ timestamp_s: at }) => ({ start_s: at, end_s: at })),
      };
    });
}

/** The times of a part, as the video service writes them: `10.0-20.0`. */
function timesOf(range: string): { readonly start_s: number; readonly end_s: number } {
  const [start = 0, end = start] = range.split('-').map(Number);
  const from = Number.isFinite(start) ? Math.max(0, start) : 0;
  return { start_s: from, end_s: Number.isFinite(end) ? Math.max(from, end) : from };
}

/** The answers of the video service in the form in which the session stores them. */
export function videoRecord(findings: VideoFindings | undefined): WatchedRecording | null {
  if (findings === undefined) return null;
  const { judged, described, leftOut } = findings;
  return {
    verdict: judged?.verdict ?? null,
    explanation_en: judged?.explanation ?? null,
    explanation_ro: judged?.explanation_ro ?? null,
    frames_analyzed: judged?.frames_analyzed ?? 0,
    frames: (judged?.evidence ?? []).map(({ frame_index: index, timestamp_s }) => ({ index, timestamp_s })),
    summary: described?.final_summary ?? null,
    chunks: (described?.chunk_results ?? []).map(({ time_range: range, description }) => ({
      ...timesOf(range),
      description,
    })),
    left_out: leftOut.map(({ part, reason }) => ({ part, ...reasonFields(reason) })),
  };
}
