import { z } from 'zod';
import { componentName } from './component-name.ts';
import { dateTime } from './fields.ts';

/** Parts of long steps, in the order in which they come: of the making of the material, then of the examination of a recording. */
export const WORK_STAGES = [
  'page',
  'language',
  'medium',
  'recognition',
  'transcription',
  'overview',
  'examination',
  'frames',
] as const;
export const workStage = z.enum(WORK_STAGES);
/** A part of a long step. */
export type WorkStage = z.infer<typeof workStage>;

/** A part of a step that is under way. */
export const runningStage = z.object({
  component: componentName.nullable().meta({ description: 'null: the making of the material.' }),
  stage: workStage,
  started_at: dateTime,
});
/** A part of a step that is under way. */
export type RunningStage = z.infer<typeof runningStage>;
