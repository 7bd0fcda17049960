import type { Handlers } from '../../../foundation/service.ts';
import type { pipelineOperations } from '../contract/pipeline.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import { analyzeLater, analyzeNow, planOnly } from './analyses.ts';
import type { PipelineDependencies } from './pipeline-dependencies.ts';

function verdictConfigAnswer(rules: VerdictRules) {
  const { version, weight_profiles, confidence_model, overrides, thresholds } = rules;
  const { risk_bands, inconclusive, confidence_levels, band_hysteresis_points } = rules;
  const { recommended_actions, enqueue_rules, enqueue_thresholds } = rules;
  const { sensitive_topics, virality_factors, virality_levels } = rules;
  return {
    version,
    profiles: weight_profiles,
    risk_bands,
    inconclusive,
    confidence_levels,
    confidence_model,
    overrides,
    thresholds,
    recommended_actions,
    enqueue_rules,
    enqueue_thresholds,
    band_hysteresis_points,
    sensitive_topics,
    virality_factors,
    virality_levels,
  };
}

/** The handlers of the pipeline's operations. */
export function pipelineRoutes(dependencies: PipelineDependencies): Handlers<typeof pipelineOperations> {
  return {
    analyze: (input, call) => analyzeNow(dependencies, input, call),
    analyzeAsync: (input, call) => analyzeLater(dependencies, input, call),
    dryRun: ({ body }, call) => planOnly(dependencies, body, call),
    queue: async () => ({ success: true, data: { queues: await dependencies.broker.depth() } }),
    verdictConfig: async () => ({
      success: true,
      data: verdictConfigAnswer(await dependencies.verdictRules.current()),
    }),
  };
}
