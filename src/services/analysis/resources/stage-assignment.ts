import { z } from 'zod';
import { count, dateTime } from './fields.ts';
import { pagination } from './history-page.ts';
import { modelName, stageModels, tier } from './stage.ts';

/** Who serves one stage in one tier. */
const stageAssignment = z
  .object({
    stage: z.string(),
    tier,
    ...stageModels.shape,
    assigned: z.boolean().meta({
      description: 'false while the service chooses by itself: the model that serves, or our engine.',
    }),
    version: count.meta({ description: 'Changes of this assignment so far.' }),
    updated_at: dateTime.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'StageAssignment' });
export type StageAssignment = z.infer<typeof stageAssignment>;

/** The assignments of a group. */
export const stageAssignments = z.object({
  items: z.array(stageAssignment),
  pagination,
  config_version: count,
});

/** A new assignment: the first engine or model, and who is asked when it gives nothing. */
export function stageAssignmentRequest(stages: readonly string[]) {
  return z.looseObject({
    stage: z.enum(stages),
    tier,
    primary: modelName
      .nullable()
      .meta({ description: 'An engine of ours or a model that the gateway lists; null for the default.' }),
    fallbacks: stageModels.shape.fallbacks.default([]),
  });
}

/** An assignment as it holds after a change. */
export const changedAssignment = stageAssignment.extend({ config_version: count });
