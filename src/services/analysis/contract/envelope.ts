import { z } from 'zod';

/** Success answers carry their payload in `data`. */
export const enveloped = <Schema extends z.ZodType>(data: Schema) =>
  z.object({ success: z.literal(true), data });
