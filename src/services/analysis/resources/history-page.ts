import { z } from 'zod';
import { sessionSummary } from './analysis-session.ts';
import { count } from './fields.ts';

/** Position in a list: `pages` is 0 for an empty one. */
export const pagination = z
  .object({ page: z.int().min(1), limit: z.int().min(1).max(100), total: count, pages: count })
  .meta({ id: 'Pagination' });
export type Pagination = z.infer<typeof pagination>;

/** One page of the caller's sessions. */
export const historyPage = z
  .object({ success: z.literal(true), data: z.object({ items: z.array(sessionSummary), pagination }) })
  .meta({ id: 'HistoryPage' });
export type HistoryPage = z.infer<typeof historyPage>;
