import { z } from 'zod';
import { componentName } from './component-name.ts';
import { count, milliseconds, share } from './fields.ts';
import { MEDIA_TYPES } from './media-types.ts';
import { SCORES } from './verdict-config.ts';

/** A number that decides something, with what it decides. */
const threshold = z.object({
  code: z.string(),
  value: z.number(),
  description_en: z.string(),
  description_ro: z.string(),
});
export type Threshold = z.infer<typeof threshold>;

/** A value that staff may change, by the key under which they do. */
const tunableValue = z.object({
  key: z.string(),
  value: z.unknown(),
  default: z.unknown(),
  version: count.meta({ description: 'The number of changes of this value.' }),
  description_en: z.string(),
  description_ro: z.string(),
  requires_restart: z.boolean(),
});

/** How a component is set up now. */
export const componentConfig = z
  .object({
    component: componentName,
    queue: z.string(),
    timeout_ms: milliseconds.meta({ description: 'Longest run of the component.' }),
    model_timeout_ms: milliseconds.nullable().meta({
      description: 'Longest wait for one answer of a text model; null where none is asked.',
    }),
    score: z.enum(SCORES).meta({ description: 'The score of the verdict that it makes.' }),
    weights: z
      .partialRecord(z.enum(MEDIA_TYPES), share)
      .meta({ description: 'Weight of that score by kind of content, as the verdict profiles have it.' }),
    stages: z.array(z.string()),
    prompt_config_keys: z.array(z.string()).meta({ description: 'Prompts that text models are asked with.' }),
    thresholds: z.array(threshold),
    tunables: z.array(tunableValue).meta({
      description: 'What staff may change of this component and of the whole analysis, as it holds.',
    }),
    verdict_rules_version: z.string(),
    config_version: count,
  })
  .meta({ id: 'ComponentConfig' });
