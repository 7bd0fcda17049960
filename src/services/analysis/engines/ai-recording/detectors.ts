import type { RecordingDetectorScore, RecordingTrack } from '../../resources/recording-analysis.ts';
import type { Part, Trace } from '../ai-image/fusion.ts';

/** A trace from which on it is strong, in nats: that of the strong detectors of pictures is 2.5 to 3. */
export const STRONG_NATS = 2.5;

/** Sound that was made leaves these; what other detectors find are edits. */
const OF_MAKING: ReadonlySet<string> = new Set(['digital_silence', 'synthetic_speech', 'vision_model']);

const partOf = (detector: string): Part => (OF_MAKING.has(detector) ? 'generated' : 'manipulated');

/** What is seen rather than heard; all else is of the sound. */
const SEEN: ReadonlySet<string> = new Set(['pulse', 'lip_sync', 'vision_model']);

/** The track that a detector looks at. */
export const trackOf = (detector: string): RecordingTrack['track'] =>
  SEEN.has(detector) ? 'picture' : 'sound';

/** What the detectors of one track say. */
export function detectorsOn(
  track: RecordingTrack['track'],
  detectors: readonly RecordingDetectorScore[],
): RecordingDetectorScore[] {
  return detectors.filter(({ detector }) => trackOf(detector) === track);
}

/** The traces in what detectors found: each is a family of its own. */
export function tracesIn(detectors: readonly RecordingDetectorScore[]): Trace[] {
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

/** Whether a detector that could have found something looked. */
export function wasExamined(detectors: readonly RecordingDetectorScore[]): boolean {
  return detectors.some(({ applicable, found }) => applicable && found !== null);
}
