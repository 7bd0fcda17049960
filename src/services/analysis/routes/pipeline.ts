import type { ConfigurationSnapshot } from '../../../foundation/configuration/configuration.ts';
import type { CheckedInput } from '../../../foundation/contract.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { pipelineOperations } from '../contract/pipeline.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import { profileTunables } from '../tunables.ts';
import { analyzeLater, analyzeNow, analyzeOnly, MEDIA, planOnly } from './analyses.ts';
import { callerOf, type PipelineDependencies } from './pipeline-dependencies.ts';

function verdictConfigAnswer(rules: VerdictRules, { version: config_version }: ConfigurationSnapshot) {
  const { version, weight_profiles, confidence_model, overrides, thresholds } = rules;
  const { risk_bands, inconclusive, confidence_levels, band_hysteresis_points } = rules;
  const { recommended_actions, enqueue_rules, enqueue_thresholds } = rules;
  const { sensitive_topics, virality_factors, virality_levels } = rules;
  return {
    version,
    config_version,
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

async function verdictConfig({ verdictRules, configuration }: PipelineDependencies) {
  const data = verdictConfigAnswer(await verdictRules.current(), configuration.current());
  return { success: true as const, data };
}

/** Puts what is different into the profile of one kind of content. */
async function changeProfile(
  { configuration }: PipelineDependencies,
  { media_type, ...changes }: CheckedInput<typeof pipelineOperations.setVerdictProfile>['body'],
  actor: string,
): Promise<void> {
  const tunable = profileTunables[media_type];
  const { value } = configuration.current().get(tunable);
  const known = Object.entries(changes).filter(([name]) => name in value);
  await configuration.change(tunable, { ...value, ...Object.fromEntries(known) }, actor);
}

/** The handlers of the pipeline's operations. */
export function pipelineRoutes(dependencies: PipelineDependencies): Handlers<typeof pipelineOperations> {
  return {
    analyze: (input, call) => analyzeNow(dependencies, input, call),
    analyzeAsync: (input, call) => analyzeLater(dependencies, input, call),
    analyzeMedia: (input, call) => analyzeOnly(MEDIA, dependencies, input, call),
    dryRun: ({ body }, call) => planOnly(dependencies, body, call),
    queue: async () => ({ success: true, data: { queues: await dependencies.broker.depth() } }),
    verdictConfig: () => verdictConfig(dependencies),
    setVerdictProfile: async ({ body }, call) => {
      await changeProfile(dependencies, body, callerOf(call).subject);
      return verdictConfig(dependencies);
    },
  };
}
