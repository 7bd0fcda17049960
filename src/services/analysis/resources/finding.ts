import { z } from 'zod';
import { count, milliseconds } from './fields.ts';

const seconds = z.number().min(0).optional();

/** A verbatim passage of `input_text`: code points (canonical) and UTF-16 units, half open. */
export const span = z
  .object({
    start: count,
    end: count,
    start_utf16: count,
    end_utf16: count,
    quote: z.string().min(1),
    start_s: seconds.meta({ description: 'In a recording: the second at which the passage begins.' }),
    end_s: seconds,
  })
  .meta({ id: 'Span' });
export type Span = z.infer<typeof span>;

/** The engine that made one finding; our own are named `limpede-<task>-<n>`. */
export const engine = z
  .object({
    model: z.string(),
    version: z.string(),
    fallback_of: z.string().optional().meta({ description: 'The model that failed before this one.' }),
    duration_ms: milliseconds,
  })
  .meta({ id: 'Engine' });
export type Engine = z.infer<typeof engine>;
