import { z } from 'zod';
import { pagination } from '../resources/history-page.ts';

/** Success answers carry their payload in `data`. */
export const enveloped = <Schema extends z.ZodType>(data: Schema) =>
  z.object({ success: z.literal(true), data });

/** A list stands in `data.items`, with its place in the whole beside it. */
export const listEnvelope = <Item extends z.ZodType>(item: Item) =>
  enveloped(z.object({ items: z.array(item), pagination }));
