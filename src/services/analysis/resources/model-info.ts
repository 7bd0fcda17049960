import { z } from 'zod';
import { backendName } from '../../llm/contract.ts';
import { pagination } from './history-page.ts';

const figure = z.object({
  measure: z.string(),
  of: z.string(),
  on: z.string().meta({ description: 'The data that it was measured on.' }),
  value: z.number(),
  low: z
    .number()
    .nullable()
    .meta({ description: 'Lower end of the 95 % interval; null when none was made.' }),
  high: z.number().nullable(),
});

/** The facts of a card in `models/`: what the engine does, learned from, gets right, and cannot see. */
export const modelCard = z
  .object({
    model: z.string(),
    card: z.string().meta({ description: 'The whole card, in the repository.' }),
    summary_en: z.string(),
    summary_ro: z.string(),
    languages: z.array(z.string()).meta({ description: 'ISO 639-1; empty where language does not matter.' }),
    data: z.array(z.object({ name: z.string(), licence: z.string() })),
    measured: z.array(figure),
    scope_en: z.string(),
    scope_ro: z.string(),
    cannot_see_en: z.string(),
    cannot_see_ro: z.string(),
  })
  .meta({ id: 'ModelCard' });

/** An engine of ours, or a model that the text-model gateway lists. */
const modelInfo = z
  .object({
    model: z.string(),
    kind: z.enum(['own', 'text_model']),
    stages: z.array(z.string()).meta({ description: 'Stages of the group that it may serve.' }),
    backend: backendName.nullable().meta({ description: 'null for engines of ours.' }),
    loaded: z.boolean(),
    context_length: z.number().nullable(),
    capabilities: z.array(z.string()),
    cards: z.array(modelCard).meta({
      description: 'Facts of an engine of ours; nothing was measured of the models of others here.',
    }),
  })
  .meta({ id: 'ModelInfo' });
export type ModelInfo = z.infer<typeof modelInfo>;

/** The engines and models of a group. */
export const modelInfos = z.object({
  items: z.array(modelInfo),
  pagination,
  text_models: z
    .enum(['listed', 'not_used', 'off', 'timeout', 'unavailable', 'rate_limited', 'invalid_answer'])
    .meta({ description: 'Whether the models of the gateway are in the list, else why not.' }),
});
