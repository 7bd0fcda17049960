import { verdictFrom } from '../../engines/ai-text/verdict.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { ComponentDefinition } from '../component.ts';
import { READS_TEXT, textOf } from '../text-component.ts';

/** How far one family of traces carries when no other agrees: half of what two do. */
const ONE_FAMILY = 0.5;

/** Quality of an AI finding: full with a conclusive indicator or two families of traces, half with one detector. */
export function aiQuality(block: AiTamperedResult): number {
  const telling = block.indicators_detected.filter(({ strength }) => strength !== 'weak');
  const families = new Set(telling.map(({ category }) => category));
  if (families.size >= 2 || telling.some(({ strength }) => strength === 'conclusive')) return 1;
  return block.ai_probability === null ? 0 : ONE_FAMILY;
}

/**
 * The component that looks for machine-made or tampered content; text for now. No text model is asked
 * who wrote a text: its opinion is no trace that a reader could check, and was not measured here, so llm_* stay null.
 */
export const aiTampered: ComponentDefinition<'ai_tampered'> = {
  name: 'ai_tampered',
  ...READS_TEXT,
  timeoutMs: SHIPPED_TUNING.timeoutMs.ai_tampered,
  checks: ['framework'],
  // A probability that decides nothing takes no part in the risk: a low one does not clear a text, nor does a high one count.
  scoreOf: ({ verdict, ai_probability }) => (verdict === 'inconclusive' ? null : ai_probability),
  isUndecided: () => false,
  create:
    ({ engines }) =>
    async (material, run) => {
      const started = performance.now();
      const { block: found, out_of_scope } = await engines.aiText(textOf(material), run);
      const { tuning = SHIPPED_TUNING } = run;
      const block = { ...found, verdict: verdictFrom(found, tuning.aiVerdictFrom) };
      return {
        block: { ...block, total_duration_ms: Math.round(performance.now() - started) },
        reliability: 'planned',
        quality: aiQuality(block),
        fallbacks: 0,
        // A detector that gives no number took no part: only a number from outside its field lowers the confidence.
        out_of_scope: out_of_scope !== null && block.ai_probability !== null,
        degraded: [],
      };
    },
};
