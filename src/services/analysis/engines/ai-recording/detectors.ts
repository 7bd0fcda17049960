import type { RecordingDetectorScore, RecordingTrack } from '../../resources/recording-analysis.ts';
import type { Trace, TraceTarget } from '../ai-image/fusion.ts';

/** From this weight on a trace counts as strong evidence, in nats; strong detectors of pictures weigh 2.5 to 3. */
export const STRONG_NATS = 2.5;

/** Detectors whose findings point to generated media; findings of the others point to edits. */
const GENERATION_DETECTORS: ReadonlySet<string> = new Set([
  'digital_silence',
  'synthetic_speech',
  'vision_model',
]);

const partOf = (detector: string): TraceTarget =>
  GENERATION_DETECTORS.has(detector) ? 'generated' : 'manipulated';

/** Detectors that examine the pictures; all others examine the sound. */
const PICTURE_DETECTORS: ReadonlySet<string> = new Set(['pulse', 'lip_sync', 'vision_model']);

/** The track that a detector examines. */
export const trackOf = (detector: string): RecordingTrack['track'] =>
  PICTURE_DETECTORS.has(detector) ? 'picture' : 'sound';

/** Results of the detectors of one track. */
export function detectorsOn(
  track: RecordingTrack['track'],
  detectors: readonly RecordingDetectorScore[],
): RecordingDetectorScore[] {
  return detectors.filter(({ detector }) => trackOf(detector) === track);
}

/** The traces in what detectors found: each is a family of its own. */
export function recordingTraces(detectors: readonly RecordingDetectorScore[]): Trace[] {
  return detectors
    .filter(({ found, log_likelihood_ratio: { value } }) => found === true && value !== 0)
    .map(({ detector, log_likelihood_ratio: weight }) => ({
      group: detector,
      part: partOf(detector),
      detector,
      weight,
      atLeast: null,
      grade: weight.value >= STRONG_NATS ? 'B' : 'C',
    }));
}

/** Whether at least one detector applied and gave a result. */
export function hasResult(detectors: readonly RecordingDetectorScore[]): boolean {
  return detectors.some(({ applicable, found }) => applicable && found !== null);
}
