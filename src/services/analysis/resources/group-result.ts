import { z } from 'zod';
import { sessionStatus, skippedComponent } from './analysis-session.ts';

type Nullable<Shape extends z.core.$ZodShape> = { [Key in keyof Shape]: z.ZodNullable<Shape[Key]> };

/** The fields of a block, each of them null when the component did not run. */
function nullable<Shape extends z.core.$ZodShape>(block: z.ZodObject<Shape>): Nullable<Shape> {
  const fields = Object.entries(block.shape).map(([name, field]) => [name, z.nullable(field)]);
  return Object.fromEntries(fields) as Nullable<Shape>;
}

/** What one component found in a final session; `skipped` says why there is nothing, where there is nothing. */
export const groupResult = <Shape extends z.core.$ZodShape>(block: z.ZodObject<Shape>) =>
  z.object({
    ...nullable(block),
    session_id: z.uuid(),
    status: sessionStatus,
    skipped: skippedComponent.nullable(),
  });
