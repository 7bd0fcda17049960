import { z } from 'zod';

/** Every failed answer of the service. */
export const errorResponse = z
  .object({
    success: z.literal(false),
    error: z.string(),
    error_code: z.string(),
    correlation_id: z.uuid(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'ErrorResponse' });
export type ErrorResponse = z.infer<typeof errorResponse>;
