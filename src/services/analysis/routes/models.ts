import aiImage from '../../../../models/ai-image.json' with { type: 'json' };
import aiText from '../../../../models/ai-text.json' with { type: 'json' };
import claimsCues from '../../../../models/claims-cues.json' with { type: 'json' };
import claimsVector from '../../../../models/claims-vector.json' with { type: 'json' };
import claimsWords from '../../../../models/claims-words.json' with { type: 'json' };
import diffuseEvidence from '../../../../models/diffuse-evidence.json' with { type: 'json' };
import domainName from '../../../../models/domain-name.json' with { type: 'json' };
import stance from '../../../../models/stance.json' with { type: 'json' };
import techniques from '../../../../models/techniques.json' with { type: 'json' };
import type { LossReason } from '../../../foundation/client.ts';
import type { ModelLister } from '../dependencies/text-model/serving.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { ModelInfo } from '../resources/model-info.ts';
import { STAGES, stagesOfPart } from '../resources/stage.ts';

/** The cards of our engines. */
const CARDS: Readonly<Record<string, ModelInfo['cards']>> = {
  'limpede-techniques-1': [techniques, diffuseEvidence],
  'limpede-ai-text-1': [aiText],
  'limpede-ai-image-1': [aiImage],
  'limpede-claims-1': [claimsWords, claimsCues, claimsVector],
  'limpede-stance-1': [stance],
  'limpede-domain-1': [domainName],
};

/** The engines and models of a component, and whether the gateway's list is among them. */
export interface ComponentModels {
  readonly items: ModelInfo[];
  readonly text_models: 'not_used' | 'off' | 'listed' | LossReason;
}

/** Engines that serve no stage, since nothing else could be assigned to their work. */
const UNSTAGED: Partial<Record<ComponentName, readonly string[]>> = { ai_tampered: ['limpede-ai-image-1'] };

/** The engines of ours behind a component, each with the stages that it serves. */
function ownEngines(component: ComponentName): ModelInfo[] {
  const stages = [...stagesOfPart(component)];
  const staged = new Set<string>(stages.map(([, stage]) => STAGES[stage].engine));
  const engines = [...staged, ...(UNSTAGED[component] ?? [])];
  return engines.map((model) => ({
    model,
    kind: 'own',
    stages: stages.filter(([, stage]) => STAGES[stage].engine === model).map(([short]) => short),
    backend: null,
    loaded: true,
    context_length: null,
    capabilities: [],
    cards: CARDS[model] ?? [],
  }));
}

/** The engines of ours for a component, then the models of the gateway that may serve one of its stages. */
export async function modelsOfComponent(
  modelList: ModelLister | undefined,
  component: ComponentName,
  call: { readonly signal: AbortSignal; readonly correlationId: string },
): Promise<ComponentModels> {
  const own = ownEngines(component);
  const stages = [...stagesOfPart(component)].filter(([, stage]) => STAGES[stage].textModel);
  if (stages.length === 0) return { items: own, text_models: 'not_used' };
  if (modelList === undefined) return { items: own, text_models: 'off' };
  let reason: LossReason = 'unavailable';
  const list = await modelList.models(
    { query: {} },
    { signal: call.signal, correlationId: call.correlationId, lost: (loss) => (reason = loss.reason) },
  );
  if (list === undefined) return { items: own, text_models: reason };
  const models = list.data.map(
    ({ id, backend, loaded, context_length, capabilities }): ModelInfo => ({
      model: id,
      kind: 'text_model',
      stages: capabilities.includes('chat') ? stages.map(([short]) => short) : [],
      backend,
      loaded,
      context_length,
      capabilities,
      cards: [],
    }),
  );
  return { items: [...own, ...models], text_models: 'listed' };
}
