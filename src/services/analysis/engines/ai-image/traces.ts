import type { Detector, DetectorResult, PictureAnalysis } from '../../../forensic/contract.ts';
import type { Trace, TraceTarget } from './fusion.ts';

/** What a declaration of the file sets: it is a claim against interest, and can be forged. */
const DECLARED = 0.93;

/** How a detector of the forensic service counts; those that only show pictures to people are not among them. */
const COUNTED: Partial<Record<Detector, { group: string; part: TraceTarget; grade: Trace['grade'] }>> = {
  generator_metadata: { group: 'declaration', part: 'generated', grade: 'A' },
  double_quantisation: { group: 'double_quantisation', part: 'manipulated', grade: 'B' },
  copy_move: { group: 'copy_move', part: 'manipulated', grade: 'B' },
  jpeg_grid: { group: 'jpeg_grid', part: 'manipulated', grade: 'B' },
  file_history: { group: 'file_history', part: 'manipulated', grade: 'C' },
};

/** Detectors whose number decides something: where none of them applies, there is no probability. */
const DECIDING: ReadonlySet<Detector> = new Set(['double_quantisation', 'copy_move', 'jpeg_grid']);

function traceOf({ detector, found, log_likelihood_ratio: weight }: DetectorResult): Trace[] {
  const counted = COUNTED[detector];
  if (counted === undefined || found !== true) return [];
  const atLeast = counted.group === 'declaration' ? DECLARED : null;
  return [{ ...counted, detector, weight, atLeast }];
}

/** The traces in what the forensic service found. */
export function pictureTraces({ detectors }: Pick<PictureAnalysis, 'detectors'>): Trace[] {
  return detectors.flatMap(traceOf);
}

/** Whether anything was found, or a detector looked that could have found something. */
export function hasDecidingResult({ detectors }: Pick<PictureAnalysis, 'detectors'>): boolean {
  return detectors.some(
    ({ detector, applicable, found }) => found === true || (applicable && DECIDING.has(detector)),
  );
}
