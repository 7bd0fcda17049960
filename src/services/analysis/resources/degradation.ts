import { z } from 'zod';

/** How a dependency failed us. */
export const LOSS_REASONS = ['timeout', 'unavailable', 'rate_limited', 'invalid_answer'] as const;

/**
 * What a loss did: `own_engine` the dependency is off by setting and our engine answers at no cost; `fallback` it was
 * lost and another engine stood in; `part_missing` the part has no other engine; `component_lost` a component gave nothing.
 */
export const LOSS_EFFECTS = ['own_engine', 'fallback', 'part_missing', 'component_lost'] as const;

/** A dependency that did not do its part, and what that did to the result. */
export const degradation = z
  .object({ dependency: z.string(), reason: z.enum(LOSS_REASONS), effect: z.enum(LOSS_EFFECTS) })
  .meta({ id: 'Degradation' });
export type Degradation = z.infer<typeof degradation>;
