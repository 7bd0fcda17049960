import type { LookWithVision, VisionView } from '../../dependencies/vision.ts';
import { pictureBlock } from '../../engines/ai-image/block.ts';
import type { EngineText, TextEngines } from '../../engines/text-engines.ts';
import type { LookedAtPicture, PictureDesk, PictureOutcome } from '../../media/picture-desk.ts';
import type { Degradation } from '../../reasons.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentAnswer, LostAnswer, Run, SkippedAnswer } from '../component.ts';
import { answerOf } from './answer.ts';
import { provenanceOf } from './provenance.ts';
import { withItsWords } from './words.ts';

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

/** What of the examination did not come about. */
function missingParts({ analysis, metadataLost }: LookedAtPicture): Degradation[] {
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

/** What a picture is looked at with. */
interface PictureTools {
  readonly pictures: PictureDesk | undefined;
  /** undefined: the vision service is switched off. */
  readonly vision: LookWithVision | undefined;
  readonly engines: Pick<TextEngines, 'aiText'>;
}

/** A picture that was looked at, with the words in it. */
export interface ReadPicture {
  readonly mediaId: string;
  readonly depth: 'full' | 'quick';
  readonly looked: LookedAtPicture;
  readonly view?: VisionView | undefined;
  readonly text: EngineText | undefined;
  readonly durationMs: number;
}

/** The finding on a picture, with what the words in it say of its making, and what of it did not come about. */
export async function findingOn(
  engines: PictureTools['engines'],
  { looked, text, ...picture }: ReadPicture,
  run: Run,
): Promise<{ readonly block: AiTamperedResult; readonly degraded: Degradation[] }> {
  const { metadata, metadataLost: _, ...kept } = looked;
  const { tuning = SHIPPED_TUNING } = run;
  const examined = { ...picture, ...kept, provenance: provenanceOf(metadata) };
  const block = pictureBlock(examined, tuning.aiVerdictFrom);
  return { block: await withItsWords(engines, text, block, run), degraded: missingParts(looked) };
}

/** What a vision model of the operator says of the small copy, which is ours: bytes of strangers go to no other server. */
async function viewOf(
  { vision }: PictureTools,
  { analysis: { preview } }: LookedAtPicture,
  depth: 'full' | 'quick',
  run: Run,
): Promise<{ readonly view: VisionView | undefined; readonly degraded: Degradation[] }> {
  if (vision === undefined || preview === null || depth === 'quick') return { view: undefined, degraded: [] };
  const outcome = await vision(preview, run);
  run.signal.throwIfAborted();
  if ('view' in outcome) return { view: outcome.view, degraded: [] };
  const { lost: reason } = outcome;
  return { view: undefined, degraded: [{ dependency: 'vision', reason, effect: 'part_missing' }] };
}

/** Looks for traces of making and tampering in the picture of a material, and in the words in it. */
export async function lookAtPicture(tools: PictureTools, material: Material, run: Run): Promise<Answer> {
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
  const seen = await viewOf(tools, outcome, depth, run);
  const durationMs = Math.round(performance.now() - started);
  const { text } = material.parts;
  const { block, degraded } = await findingOn(
    engines,
    { mediaId, depth, looked: outcome, view: seen.view, text, durationMs },
    run,
  );
  degraded.push(...seen.degraded);
  return answerOf(block, degraded);
}
