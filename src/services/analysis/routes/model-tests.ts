import type { Call } from '../../../foundation/service.ts';
import type { DomainCheckClient } from '../dependencies/domain-check.ts';
import type { ChatClient } from '../dependencies/text-model/conversation.ts';
import { type RoundTripTarget, tryModel } from '../dependencies/text-model/round-trip.ts';
import type { ModelLister } from '../dependencies/text-model/serving.ts';
import { type TextEngines, untimedTask } from '../engines/text-engines.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { ModelTest, ModelTestRequest } from '../resources/model-test.ts';
import { STAGE_NAMES, STAGES } from '../resources/stage.ts';

/** Dependencies of the model tests. */
export interface ModelTestDependencies {
  readonly textEngines: Pick<TextEngines, 'techniques' | 'aiText' | 'claims'>;
  readonly domainClient: DomainCheckClient | undefined;
  /** Calls the gateway without a circuit breaker; undefined when text models are switched off. */
  readonly testClient: ChatClient | undefined;
  readonly modelList: ModelLister | undefined;
}

/** A sample text in which each of our text engines finds something. */
const SAMPLE = {
  text: 'These traitors want to destroy our country! According to the statistics office, prices rose by 12 percent in 2023.',
  language: 'en',
};
/** A domain reserved for examples, so that no real site is judged. */
const SAMPLE_ADDRESS = 'https://example.org/';

/** The account under which tests wait in the engines' queue. */
const TEST_ACCOUNT = 'model-tests';

const NOTHING = { model: null, backend: null, latency_ms: null, answer: null, error: null };

const failed = (
  reason: NonNullable<ModelTest['error']>['reason'],
  message: string,
  more: Partial<ModelTest> = {},
): ModelTest => ({ ...NOTHING, ...more, ok: false, error: { reason, message } });

/** A short summary of one engine's result on the sample; undefined when its service did not answer. */
const TRIALS: Partial<
  Record<ComponentName, (dependencies: ModelTestDependencies, call: Call) => Promise<string | undefined>>
> = {
  techniques: async ({ textEngines }, { signal }) => {
    const { techniques_detected } = await textEngines.techniques(SAMPLE, untimedTask(TEST_ACCOUNT, signal));
    return `techniques found in the sample: ${techniques_detected.map(({ code }) => code).join(', ') || 'none'}`;
  },
  ai_tampered: async ({ textEngines }, { signal }) => {
    const { block } = await textEngines.aiText(SAMPLE, untimedTask(TEST_ACCOUNT, signal));
    return `verdict on the sample: ${block.verdict}`;
  },
  claims: async ({ textEngines }, { signal }) => {
    const claims = await textEngines.claims(SAMPLE, untimedTask(TEST_ACCOUNT, signal));
    return `claims found in the sample: ${claims.map(({ type }) => type).join(', ') || 'none'}`;
  },
  domain: async ({ domainClient }, { signal, correlationId }) => {
    const record = await domainClient?.check({ body: { url: SAMPLE_ADDRESS } }, { signal, correlationId });
    return record === undefined ? undefined : `verdict on ${record.host}: ${record.verdict}`;
  },
};

async function tryEngine(
  dependencies: ModelTestDependencies,
  component: ComponentName,
  model: string,
  call: Call,
): Promise<ModelTest> {
  const started = performance.now();
  const answer = await TRIALS[component]?.(dependencies, call);
  const tried = { model, backend: 'own', latency_ms: Math.round(performance.now() - started) } as const;
  if (answer === undefined) return failed('unavailable', 'The service of this engine gave no answer.', tried);
  return { ...tried, ok: true, answer, error: null };
}

async function tryThroughGateway(
  client: ChatClient | undefined,
  target: RoundTripTarget,
  call: Call,
): Promise<ModelTest> {
  const assignment = { model: target.model, backend: target.backend ?? null };
  if (client === undefined) return failed('not_configured', 'Text models are switched off here.', assignment);
  const trip = await tryModel(client, target, call);
  const latency_ms = trip.latencyMs;
  if ('reason' in trip) return failed(trip.reason, trip.message, { ...assignment, latency_ms });
  const { model, backend, answer } = trip;
  return { ok: true, model, backend, latency_ms, answer, error: null };
}

/** Tries an engine of the component, or a model of the gateway, with a real round trip. */
export function testModel(
  dependencies: ModelTestDependencies,
  component: ComponentName,
  { model, backend }: ModelTestRequest,
  call: Call,
): Promise<ModelTest> | ModelTest {
  const own = STAGE_NAMES.filter((stage) => STAGES[stage].engine === model);
  if (own.some((stage) => STAGES[stage].part === component)) {
    return backend === undefined
      ? tryEngine(dependencies, component, model, call)
      : failed('unknown_model', `${model} runs in this service, on no backend.`, { model, backend });
  }
  if (own.length > 0) return failed('unknown_model', `${model} serves another group.`, { model });
  return tryThroughGateway(dependencies.testClient, { model, backend }, call);
}

/** Tries the cloud backend: the named model, else the first that it lists. */
export async function testCloud(
  { testClient, modelList }: ModelTestDependencies,
  named: string | undefined,
  call: Call,
): Promise<ModelTest> {
  const backend = 'cloud';
  if (named !== undefined) return tryThroughGateway(testClient, { model: named, backend }, call);
  if (modelList === undefined)
    return failed('not_configured', 'Text models are switched off here.', { backend });
  let error: ModelTest['error'] = { reason: 'unavailable', message: 'The gateway gave no answer.' };
  const list = await modelList.models(
    { query: { backend } },
    {
      signal: call.signal,
      correlationId: call.correlationId,
      lost: ({ reason, message }) => {
        error = { reason, message };
      },
      refused: () => {
        error = { reason: 'not_configured', message: 'The gateway has no cloud backend.' };
      },
    },
  );
  if (list === undefined) return { ...NOTHING, backend, ok: false, error };
  const model = list.data.find(({ capabilities }) => capabilities.includes('chat'))?.id;
  if (model === undefined) return failed('unavailable', 'The cloud backend lists no model.', { backend });
  return tryThroughGateway(testClient, { model, backend }, call);
}
