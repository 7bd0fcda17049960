import { z } from 'zod';
import { dateTime } from './fields.ts';
import { verdictResult } from './verdict-result.ts';

/** One result of a session: 1 is the automatic one, each correction by a person adds one. */
export const revision = z
  .object({
    revision: z.int().min(1),
    verdict: verdictResult,
    actor: z.string(),
    created_at: dateTime,
    reason: z.string().nullable(),
  })
  .meta({ id: 'Revision' });
export type Revision = z.infer<typeof revision>;
