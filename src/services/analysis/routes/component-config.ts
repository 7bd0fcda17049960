import type { z } from 'zod';
import trustWeights from '../../../../data/domains/trust-weights.json' with { type: 'json' };
import { componentList } from '../components/index.ts';
import { LEAST_WORDS } from '../engines/ai-text/detector.ts';
import { NAMED_FROM } from '../engines/ai-text/engine.ts';
import { VERDICT_FROM } from '../engines/ai-text/verdict.ts';
import { MOST_CLAIMS } from '../engines/claims/engine.ts';
import { limits } from '../engines/techniques/limits.ts';
import { PROMPTS } from '../pipeline/estimate.ts';
import { queueOf } from '../pipeline/plan.ts';
import { scoreOfComponent } from '../resources/component-blocks.ts';
import type { componentConfig, Threshold } from '../resources/component-config.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { STAGES, stagesOfPart } from '../resources/stage.ts';
import type { PipelineDependencies } from './pipeline-dependencies.ts';

const row = (code: string, value: number, description_en: string, description_ro: string): Threshold => ({
  code,
  value,
  description_en,
  description_ro,
});

/** The numbers that decide what each component reports, as its engine has them. */
const THRESHOLDS: Partial<Record<ComponentName, (checkWorthyFrom: number) => Threshold[]>> = {
  techniques: () => [
    row(
      'least_confidence',
      limits.leastConfidence,
      'A finding below this confidence is not reported.',
      'O constatare sub acest nivel de încredere nu este raportată.',
    ),
    row(
      'most_confidence',
      limits.mostConfidence,
      'No finding is surer than this.',
      'Nicio constatare nu depășește acest nivel de încredere.',
    ),
    row(
      'most_spans',
      limits.mostSpans,
      'Passages kept for one technique.',
      'Pasaje păstrate pentru o tehnică.',
    ),
  ],
  ai_tampered: () => [
    row(
      'likely_from',
      VERDICT_FROM.likely,
      'Probability from which, with evidence of grade A or B, the verdict is likely_ai_or_tampered.',
      'Probabilitatea de la care, cu dovezi de gradul A sau B, verdictul este likely_ai_or_tampered.',
    ),
    row(
      'strong_from',
      VERDICT_FROM.strong,
      'Probability from which, with evidence of grade A or B, the verdict is strong_evidence.',
      'Probabilitatea de la care, cu dovezi de gradul A sau B, verdictul este strong_evidence.',
    ),
    row(
      'indicator_from',
      NAMED_FROM,
      'Probability of the detector from which it is listed as an indicator.',
      'Probabilitatea detectorului de la care este trecut între indicii.',
    ),
    row(
      'least_words',
      LEAST_WORDS,
      'The detector gives no number for a shorter text.',
      'Detectorul nu dă nicio valoare pentru un text mai scurt.',
    ),
  ],
  claims: (checkWorthyFrom) => [
    row(
      'check_worthy_from',
      checkWorthyFrom,
      'Check-worthiness from which a claim counts as worth checking in the verdict.',
      'Nivelul de la care o afirmație contează în verdict ca demnă de verificat.',
    ),
    row('most_claims', MOST_CLAIMS, 'Claims kept of one text.', 'Afirmații păstrate dintr-un text.'),
  ],
  domain: () =>
    Object.entries(trustWeights.verdicts).flatMap(([code, value]) =>
      typeof value === 'number'
        ? [
            row(
              code,
              value,
              `Bound of trust_score for the verdict ${code}, which needs evidence beside it.`,
              `Limita trust_score pentru verdictul ${code}, care cere și dovezi.`,
            ),
          ]
        : [],
    ),
};

/** How a component is set up now. */
export async function configOf(
  { verdictRules, configuration, textModel }: PipelineDependencies,
  component: ComponentName,
): Promise<z.input<typeof componentConfig>> {
  const rules = await verdictRules.current();
  const score = scoreOfComponent(component);
  const stages = stagesOfPart(component);
  const prompts = Object.entries(PROMPTS).filter(
    ([stage]) => STAGES[stage as keyof typeof PROMPTS].part === component,
  );
  const active = rules.weight_profiles.filter(({ is_active }) => is_active);
  return {
    component,
    queue: queueOf(component),
    timeout_ms: componentList[component].timeoutMs,
    model_timeout_ms: prompts.length === 0 || textModel.timeoutMs === 0 ? null : textModel.timeoutMs,
    score,
    weights: Object.fromEntries(active.map(({ media_type, weights }) => [media_type, weights[score]])),
    stages: [...stages.keys()],
    prompt_config_keys: prompts.map(([, { key, version }]) => `${key}@${version}`),
    thresholds: THRESHOLDS[component]?.(rules.thresholds.check_worthy_from) ?? [],
    verdict_rules_version: rules.version,
    config_version: configuration.current().version,
  };
}
