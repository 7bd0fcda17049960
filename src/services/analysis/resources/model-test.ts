import { z } from 'zod';
import { backendName } from '../../llm/contract.ts';
import { milliseconds } from './fields.ts';
import { modelName } from './stage.ts';

/** Which engine of ours or model of the gateway is to be tried. */
export const modelTestRequest = z.looseObject({ model: modelName, backend: backendName.optional() });
export type ModelTestRequest = z.infer<typeof modelTestRequest>;

/** Which model of the cloud backend is to be tried; the first that it lists unless one is named. */
export const cloudTestRequest = z.looseObject({ model: modelName.optional() });

/** How a round trip went; `answer` is the beginning of the answer, `error` why there was none. */
export const modelTest = z
  .object({
    ok: z.boolean(),
    model: z.string().nullable(),
    backend: z.enum(['own', ...backendName.options]).nullable(),
    latency_ms: milliseconds.nullable(),
    answer: z.string().nullable(),
    error: z
      .object({
        reason: z.enum([
          'timeout',
          'unavailable',
          'rate_limited',
          'invalid_answer',
          'refused',
          'unknown_model',
          'not_configured',
        ]),
        message: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'ModelTest' });
export type ModelTest = z.infer<typeof modelTest>;
