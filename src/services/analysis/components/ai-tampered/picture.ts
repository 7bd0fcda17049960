import type { AssessWithVision, VisionAssessment } from '../../dependencies/vision.ts';
import { type PictureEvidence, pictureBlock } from '../../engines/ai-image/block.ts';
import type { EngineText, TextEngines } from '../../engines/text-engines.ts';
import type { PictureExaminer, PictureFindings, PictureOutcome } from '../../media/picture-examiner.ts';
import type { Degradation } from '../../reasons.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentAnswer, LostAnswer, RunContext, SkippedAnswer } from '../component.ts';
import { withEmbeddedText } from './embedded-text.ts';
import { mediaAnswer } from './media-answer.ts';
import { pictureProvenanceOf } from './provenance.ts';

type Answer = ComponentAnswer<'ai_tampered'> | LostAnswer | SkippedAnswer;

function unanswered(
  outcome: Exclude<PictureOutcome, { readonly analysis: unknown }>,
): LostAnswer | SkippedAnswer {
  if ('refused' in outcome) return { skipped: outcome.refused };
  const { lost: reason, dependency } = outcome;
  return {
    lost: { code: dependency === 'objects' ? 'medium_lost' : 'forensic_lost', values: {} },
    degraded: [{ dependency, reason, effect: 'component_lost' }],
  };
}

/** The parts of the examination that are missing. */
function missingParts({ analysis, metadataLost }: PictureFindings): Degradation[] {
  const effect = 'part_missing';
  return [
    ...(analysis.degraded.length > 0
      ? [{ dependency: 'forensic', reason: 'invalid_answer', effect } as const]
      : []),
    ...(metadataLost === undefined
      ? []
      : [{ dependency: 'extractors', reason: metadataLost, effect } as const]),
  ];
}

/** What pictures are examined with. */
interface PictureTools {
  readonly pictures: PictureExaminer | undefined;
  /** undefined: the vision service is switched off. */
  readonly vision: AssessWithVision | undefined;
  readonly engines: Pick<TextEngines, 'aiText'>;
}

/** An examined picture with the text that was recognised in it. */
export interface ExaminedInput {
  readonly mediaId: string;
  readonly depth: 'full' | 'quick';
  readonly findings: PictureFindings;
  readonly view?: VisionAssessment | undefined;
  readonly text: EngineText | undefined;
  readonly durationMs: number;
}

/** The finding on a picture and on the text in it, and the parts of the examination that are missing. */
export async function findingOn(
  engines: PictureTools['engines'],
  { findings, text, view: vision, ...picture }: ExaminedInput,
  run: RunContext,
): Promise<{ readonly block: AiTamperedResult; readonly degraded: Degradation[] }> {
  const { metadata, metadataLost: _, shown: content, ...otherFindings } = findings;
  const { tuning = SHIPPED_TUNING } = run;
  const examined: PictureEvidence = {
    ...picture,
    ...otherFindings,
    provenance: pictureProvenanceOf(metadata),
    vision,
    content,
  };
  const block = pictureBlock(examined, tuning.aiVerdictFrom);
  return { block: await withEmbeddedText(engines, text, block, run), degraded: missingParts(findings) };
}

/** What the operator's vision model says of the picture. It gets our re-encoded small copy, never the uploaded bytes. */
async function visionAssessmentOf(
  { vision }: PictureTools,
  { analysis: { preview } }: PictureFindings,
  depth: 'full' | 'quick',
  run: RunContext,
): Promise<{ readonly view: VisionAssessment | undefined; readonly degraded: Degradation[] }> {
  if (vision === undefined || preview === null || depth === 'quick') return { view: undefined, degraded: [] };
  const outcome = await vision(preview, run);
  run.signal.throwIfAborted();
  if ('view' in outcome) return { view: outcome.view, degraded: [] };
  const { lost: reason } = outcome;
  return { view: undefined, degraded: [{ dependency: 'vision', reason, effect: 'part_missing' }] };
}

/** Looks for traces of making and tampering in the picture of a material, and in the words in it. */
export async function examinePicture(
  tools: PictureTools,
  material: Material,
  run: RunContext,
): Promise<Answer> {
  const { pictures, engines } = tools;
  const stored = material.parts.image?.stored;
  if (pictures === undefined) return { skipped: { code: 'forensic_off', values: {} } };
  // The material names who lost it.
  if (stored === undefined) return { lost: { code: 'medium_lost', values: {} }, degraded: [] };
  const started = performance.now();
  const depth = run.quick === true ? 'quick' : 'full';
  const mediaId = stored.media_id;
  const outcome = await pictures.examine(mediaId, { ...run, depth });
  if (!('analysis' in outcome)) return unanswered(outcome);
  const visionResult = await visionAssessmentOf(tools, outcome, depth, run);
  const durationMs = Math.round(performance.now() - started);
  const { text } = material.parts;
  const { block, degraded } = await findingOn(
    engines,
    { mediaId, depth, findings: outcome, view: visionResult.view, text, durationMs },
    run,
  );
  degraded.push(...visionResult.degraded);
  return mediaAnswer(block, degraded);
}
