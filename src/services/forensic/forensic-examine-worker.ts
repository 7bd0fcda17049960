import { DETECTORS, type Detector } from './contract.ts';
import { type Examination, type ExaminationInput, runDetectors } from './examination.ts';
import { drawOverlay, drawPreview, type OverlayPicture } from './heat-map.ts';

/** One picture for a thread, and whether its maps are to be drawn. */
export interface ExaminationTask extends ExaminationInput {
  readonly drawn: boolean;
}

/** What was found, with the maps that were drawn. */
export interface ExaminationResult extends Examination {
  /** The small copy as a JPEG; null when nothing is drawn. */
  readonly preview: Uint8Array | null;
  readonly overlays: Readonly<Partial<Record<Detector, OverlayPicture>>>;
}

/** Examines one picture in this thread. */
export default async function examineInThread(task: ExaminationTask): Promise<ExaminationResult> {
  const examination = await runDetectors(task);
  const overlays: Partial<Record<Detector, OverlayPicture>> = {};
  for (const detector of task.drawn ? DETECTORS : []) {
    const map = examination.findings.find((finding) => finding.detector === detector)?.map;
    if (map !== null && map !== undefined) overlays[detector] = await drawOverlay(task.picture, map);
  }
  // Maps are drawn here: they need not travel to the other thread.
  return {
    ...examination,
    findings: examination.findings.map((finding) => ({ ...finding, map: null })),
    preview: task.drawn ? await drawPreview(task.picture) : null,
    overlays,
  };
}
