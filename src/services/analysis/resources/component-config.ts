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
    verdict_rules_version: z.string(),
    config_version: count,
  })
  .meta({ id: 'ComponentConfig' });
