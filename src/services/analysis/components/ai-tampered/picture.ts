import { pictureBlock } from '../../engines/ai-image/block.ts';
import type { PictureDesk, PictureOutcome } from '../../media/picture-desk.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentAnswer, LostAnswer, Run, SkippedAnswer } from '../component.ts';
import { pictureQuality } from './quality.ts';

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

/** Looks for traces of making and tampering in the picture of a material. */
export async function lookAtPicture(
  pictures: PictureDesk | undefined,
  { stored }: NonNullable<Material['parts']['image']>,
  run: Run,
): Promise<Answer> {
  if (pictures === undefined) return { skipped: { code: 'forensic_off', values: {} } };
  // The material names who lost it.
  if (stored === undefined) return { lost: { code: 'medium_lost', values: {} }, degraded: [] };
  const started = performance.now();
  const depth = run.quick === true ? 'quick' : 'full';
  const mediaId = stored.media_id;
  const outcome = await pictures.examine(mediaId, { ...run, depth });
  if (!('analysis' in outcome)) return unanswered(outcome);
  const { tuning = SHIPPED_TUNING } = run;
  const durationMs = Math.round(performance.now() - started);
  const block = pictureBlock({ ...outcome, mediaId, depth, durationMs }, tuning.aiVerdictFrom);
  return {
    block,
    reliability: outcome.analysis.degraded.length > 0 ? 'degraded' : 'planned',
    quality: pictureQuality(block),
    fallbacks: 0,
    out_of_scope: false,
    degraded:
      outcome.analysis.degraded.length > 0
        ? [{ dependency: 'forensic', reason: 'invalid_answer', effect: 'part_missing' }]
        : [],
  };
}
