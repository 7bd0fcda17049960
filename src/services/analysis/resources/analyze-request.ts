import { z } from 'zod';
import { componentName } from './component-name.ts';
import { mediaType } from './media-types.ts';

/** Length of an analysed text in code points; intake answers `text_length` outside it. */
export const TEXT_LENGTH = { min: 20, max: 50_000 } as const;

/** Plans run from 1 to 6; 4 and above are the premium tier. */
export const PLAN_TYPE = { min: 1, max: 6, premiumFrom: 4, default: 1 } as const;

/** A plan: below PLAN_TYPE.premiumFrom the free tier, from there the premium one. */
export const planType = z.int().min(PLAN_TYPE.min).max(PLAN_TYPE.max);

/** What a caller asks to have analysed; unknown properties are allowed and ignored. */
export const analyzeRequest = z
  .looseObject({
    media_type: mediaType,
    text: z
      .string()
      .meta({
        minLength: TEXT_LENGTH.min,
        maxLength: TEXT_LENGTH.max,
        description: 'Text to analyse, counted in code points.',
      })
      .optional(),
    media_url: z.string().meta({ description: 'Stored object or external address of the media.' }).optional(),
    url: z.string().meta({ description: 'Article or video address for analysis of type url.' }).optional(),
    user_id: z
      .string()
      .meta({ description: 'Honoured in staging mode only; else the token decides.' })
      .optional(),
    plan_type: z.int().min(PLAN_TYPE.min).max(PLAN_TYPE.max).optional(),
    components: z.array(componentName).optional(),
    skip_components: z.array(componentName).optional(),
    user_flagged: z.boolean().optional(),
    media_duration_sec: z.number().min(0).optional(),
    language: z
      .string()
      .meta({
        description:
          'What is spoken in a sound or video, where it is known: a code of ISO 639 or a locale (ro, en-GB). Engines that hear one language are only asked when it is named; anything else counts as not known.',
      })
      .optional(),
    dry_run: z.boolean().meta({ description: 'true answers the plan and runs nothing.' }).optional(),
  })
  .meta({ id: 'AnalyzeRequest' });
export type AnalyzeRequest = z.infer<typeof analyzeRequest>;
