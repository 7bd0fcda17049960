import { z } from 'zod';
import sourceRows from '../../../../data/domains/sources.json' with { type: 'json' };

const sourceSchema = z.object({
  code: z.string(),
  /** The publisher; shown beside every entry and rating. */
  name: z.string(),
  kind: z.enum(['rating', 'estimate', 'list', 'register', 'shortener', 'platform']),
  file: z.string(),
  /** Date of the edition, or the day when an undated list was fetched. */
  date: z.string(),
  date_kind: z.enum(['edition', 'retrieved']),
  reference: z.string().nullable(),
  origin: z.string(),
  licence: z.string(),
  note: z.string(),
});

/** A published list, rating set or register, with its terms. */
export type ListSource = z.infer<typeof sourceSchema>;

/** Every source that the product knows, in the order in which it asks them. */
export const sources: readonly ListSource[] = z.array(sourceSchema).parse(sourceRows);
