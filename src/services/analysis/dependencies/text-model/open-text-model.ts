import { createClient } from '../../../../foundation/client.ts';
import { isOff } from '../../../../foundation/settings.ts';
import { llm } from '../../../llm/contract.ts';
import type { AnalysisSettings } from '../../settings.ts';
import { createTextModel } from './gateway-model.ts';
import { clientPerModel } from './model-clients.ts';
import { createServingModel, gatewayRoot } from './serving.ts';
import { absentTextModel } from './text-model.ts';

/** Longest wait for the list of models in milliseconds. */
const LIST_LIMIT_MS = 5_000;
/** Two lost answers within a minute, when they are two of five or more, and a model is left alone for a while: each one costs an analysis its whole wait. */
const MODEL_BREAKER = { requests: 2, failureShare: 0.4, openMs: 15_000, windowMs: 60_000 };
/** A test by hand is made however often the model failed before. */
const NO_BREAKER = { requests: Number.POSITIVE_INFINITY, failureShare: 1, openMs: 0 };
/** An answer of a text model is a few kilobytes, with its reasoning some tens. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * Text models through the gateway, all undefined but the absent model when they are switched off. The list, answers and
 * tests have a client each: a list that comes does not excuse lost answers.
 */
export function openTextModel(settings: AnalysisSettings) {
  const { LLM_URL, LLM_API_TOKEN, LLM_ANALYSIS_TIMEOUT_MS: timeoutMs } = settings;
  if (isOff(LLM_URL))
    return {
      textModel: absentTextModel,
      modelList: undefined,
      modelClients: undefined,
      testClient: undefined,
    };
  const gateway = {
    name: 'llm',
    url: gatewayRoot(LLM_URL),
    token: LLM_API_TOKEN,
    correlationHeader: 'X-Request-Id',
    answerBytes: ANSWER_BYTES,
  };
  const modelList = createClient(llm, { ...gateway, timeoutMs: LIST_LIMIT_MS });
  const modelClients = clientPerModel(() =>
    createClient(llm, { ...gateway, timeoutMs, breaker: MODEL_BREAKER }),
  );
  const testClient = createClient(llm, { ...gateway, timeoutMs, breaker: NO_BREAKER });
  const serving = createServingModel(modelList, settings.LLM_ANALYSIS_MODEL ?? settings.LLM_DEFAULT_MODEL);
  const limits = {
    get timeoutMs() {
      return settings.LLM_ANALYSIS_TIMEOUT_MS;
    },
    get calls() {
      return settings.LLM_ANALYSIS_CALLS;
    },
    get textLength() {
      return settings.LLM_ANALYSIS_TEXT_LENGTH;
    },
  };
  return { textModel: createTextModel(modelClients, serving, limits), modelList, modelClients, testClient };
}
