import { z } from 'zod';
import { LOSS_EFFECTS, LOSS_REASONS } from '../reasons.ts';

/** A dependency that did not do its part, and what that did to the result. */
export const degradation = z
  .object({
    dependency: z.string(),
    reason: z.enum(LOSS_REASONS),
    effect: z.enum(LOSS_EFFECTS),
    message: z.string().meta({ description: 'The loss and its effect in English.' }),
    message_ro: z.string().meta({ description: 'The loss and its effect in Romanian.' }),
  })
  .meta({ id: 'Degradation' });
