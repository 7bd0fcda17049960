import type { z } from 'zod';
import trustWeights from '../../../../data/domains/trust-weights.json' with { type: 'json' };
import type { ConfigurationSnapshot } from '../../../foundation/configuration/configuration.ts';
import type { Tunable } from '../../../foundation/configuration/tunable.ts';
import { LEAST_WORDS } from '../engines/ai-text/detector.ts';
import { LEAST_REPORTED_PROBABILITY } from '../engines/ai-text/engine.ts';
import { limits } from '../engines/techniques/limits.ts';
import { PROMPTS } from '../pipeline/estimate.ts';
import { queueOf } from '../pipeline/plan.ts';
import { scoreOfComponent } from '../resources/component-blocks.ts';
import type { componentConfig, Threshold } from '../resources/component-config.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { STAGES, stagesOfPart } from '../resources/stage.ts';
import type { Tuning } from '../resources/tuning.ts';
import { componentOf } from '../tunables.ts';
import type { PipelineDependencies } from './pipeline-dependencies.ts';

const row = (code: string, value: number, description_en: string, description_ro: string): Threshold => ({
  code,
  value,
  description_en,
  description_ro,
});

/** The numbers that decide what each component reports, as its engine has them. */
const THRESHOLDS: Partial<Record<ComponentName, (tuning: Tuning, checkWorthyFrom: number) => Threshold[]>> = {
  techniques: ({ leastConfidence }) => [
    row(
      'least_confidence',
      leastConfidence,
      'Weight from which a technique is listed and counted; 0: all, above 0 only passages that count in manipulation_score.',
      'Ponderea de la care o tehnică apare în listă și se socotește; 0: toate, peste 0 numai pasajele care contează în manipulation_score.',
    ),
    row(
      'least_weight',
      limits.leastWeight,
      'A passage below this does not count in manipulation_score; where a text reads calm as a whole, what does counts less.',
      'Un pasaj sub acest nivel nu contează în manipulation_score; unde textul în ansamblu este calm, celelalte contează mai puțin.',
    ),
    row(
      'most_confidence',
      limits.mostConfidence,
      'No passage counts for more than this.',
      'Niciun pasaj nu contează mai mult de atât.',
    ),
    row(
      'most_spans',
      limits.mostSpans,
      'Passages kept for one technique.',
      'Pasaje păstrate pentru o tehnică.',
    ),
  ],
  ai_tampered: ({ aiVerdictFrom }) => [
    row(
      'likely_from',
      aiVerdictFrom.likely,
      'Probability from which, with evidence of grade A or B, the verdict is likely_ai_or_tampered.',
      'Probabilitatea de la care, cu dovezi de gradul A sau B, verdictul este likely_ai_or_tampered.',
    ),
    row(
      'strong_from',
      aiVerdictFrom.strong,
      'Probability from which, with evidence of grade A or B, the verdict is strong_evidence.',
      'Probabilitatea de la care, cu dovezi de gradul A sau B, verdictul este strong_evidence.',
    ),
    row(
      'indicator_from',
      LEAST_REPORTED_PROBABILITY,
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
  claims: ({ mostClaims, mostSearched }, checkWorthyFrom) => [
    row(
      'check_worthy_from',
      checkWorthyFrom,
      'Check-worthiness from which a claim counts as worth checking in the verdict.',
      'Nivelul de la care o afirmație contează în verdict ca demnă de verificat.',
    ),
    row('most_claims', mostClaims, 'Claims kept of one text.', 'Afirmații păstrate dintr-un text.'),
    row(
      'most_searched',
      mostSearched,
      'Claims for which evidence is looked for.',
      'Afirmații pentru care se caută dovezi.',
    ),
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

/** What staff may change of a component, and of all of them together, as it holds. */
function tunablesOf(
  snapshot: ConfigurationSnapshot,
  tunables: readonly Tunable[],
  component: ComponentName,
): z.input<typeof componentConfig>['tunables'] {
  const shown = tunables.filter((tunable) => (componentOf(tunable) ?? component) === component);
  return shown.map((tunable) => {
    const { value, change } = snapshot.get(tunable);
    return {
      key: tunable.key,
      value,
      default: tunable.fallback,
      version: change?.version ?? 0,
      description_en: tunable.description_en,
      description_ro: tunable.description_ro,
      requires_restart: tunable.requires_restart ?? false,
    };
  });
}

/** How a component is set up now. */
export async function configOf(
  { verdictRules, configuration, textModel, tuning, tunables }: PipelineDependencies,
  component: ComponentName,
): Promise<z.input<typeof componentConfig>> {
  const snapshot = configuration.current();
  const tuned = tuning();
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
    timeout_ms: tuned.timeoutMs[component],
    model_timeout_ms: prompts.length === 0 || textModel.timeoutMs === 0 ? null : textModel.timeoutMs,
    score,
    weights: Object.fromEntries(active.map(({ media_type, weights }) => [media_type, weights[score]])),
    stages: [...stages.keys()],
    prompt_config_keys: prompts.map(([, { key, version }]) => `${key}@${version}`),
    thresholds: THRESHOLDS[component]?.(tuned, rules.thresholds.check_worthy_from) ?? [],
    tunables: tunablesOf(snapshot, tunables, component),
    verdict_rules_version: rules.version,
    config_version: snapshot.version,
  };
}
