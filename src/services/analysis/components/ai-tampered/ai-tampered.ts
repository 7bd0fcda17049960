import { verdictFrom } from '../../engines/ai-text/verdict.ts';
import type { TextEngines } from '../../engines/text-engines.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentAnswer, ComponentDefinition, RunContext } from '../component.ts';
import { materialText, TEXT_COMPONENT_NEEDS } from '../text-component.ts';
import { examineLeadingPictures, type LeadingPictureTools } from './leading-pictures.ts';
import { examinePicture } from './picture.ts';
import { aiQuality } from './quality.ts';
import { findRecordingTraces } from './recording.ts';

/** Looks for machine writing in the text of a material; of a page also at its leading pictures. */
async function readText(
  tools: LeadingPictureTools & { readonly engines: TextEngines },
  material: Material,
  run: RunContext,
): Promise<ComponentAnswer<'ai_tampered'>> {
  const started = performance.now();
  const [{ block: found, out_of_scope }, { pictures: leading_pictures, degraded }] = await Promise.all([
    tools.engines.aiText(materialText(material), run),
    examineLeadingPictures(tools, material, run),
  ]);
  const { tuning = SHIPPED_TUNING } = run;
  const block = { ...found, leading_pictures, verdict: verdictFrom(found, tuning.aiVerdictFrom) };
  return {
    block: { ...block, total_duration_ms: Math.round(performance.now() - started) },
    reliability: 'planned',
    quality: aiQuality(block),
    fallbacks: 0,
    // A detector that gives no number took no part: only a number from outside its field lowers the confidence.
    out_of_scope: out_of_scope !== null && block.ai_probability !== null,
    degraded,
  };
}

/**
 * The component that looks for machine-made or tampered content, in texts, pictures and recordings. No text model is asked
 * who wrote a text: its opinion is no trace that a reader could check, and was not measured here, so llm_* stay null.
 */
export const aiTampered: ComponentDefinition<'ai_tampered'> = {
  name: 'ai_tampered',
  needs: ['text', 'image', 'sound', 'video'],
  absent: TEXT_COMPONENT_NEEDS.absent,
  timeoutMs: SHIPPED_TUNING.timeoutMs.ai_tampered,
  checks: ['framework', 'extractors', 'forensic', 'vision'],
  // A probability that decides nothing takes no part in the risk: a low one does not clear a text, nor does a high one count.
  scoreOf: ({ verdict, ai_probability }) => (verdict === 'inconclusive' ? null : ai_probability),
  isUndecided: () => false,
  create:
    ({ engines, pictures, pagePictures, vision, recordings }) =>
    async (material, run) => {
      const { image, sound, video } = material.parts;
      if (image !== undefined) return examinePicture({ pictures, engines, vision }, material, run);
      return sound === undefined && video === undefined
        ? readText({ engines, pagePictures }, material, run)
        : findRecordingTraces({ recordings, engines }, material, run);
    },
};
