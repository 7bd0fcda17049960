import { z } from 'zod';
import { namePair, share } from '../resources/fields.ts';
import { engine, span } from '../resources/finding.ts';

const ruleLine = z.object({
  rule: z.string(),
  value: share.nullable(),
  points: z.number(),
  spans: z.array(span),
  text_en: z.string(),
  text_ro: z.string(),
});

const overrideLine = z.object({
  code: z.string(),
  kind: z.string(),
  value: z.number().nullable(),
  set_the_number: z.boolean(),
  reason_en: z.string(),
  reason_ro: z.string(),
});

const confidence = z.object({
  coverage: z.number(),
  quality: z.number(),
  agreement: z.number(),
  penalties: z.array(z.object({ code: z.string(), factor: z.number(), times: z.number() })),
  caps: z.array(z.object({ code: z.string(), value: z.number() })),
});

const passage = { ...namePair, code: z.string(), confidence: share, spans: z.array(span) };

/** The parts of `context_summary` that a report shows; a part that is absent, or of another form, is undefined. */
const recordDetails = z.object({
  base: z.number().optional().catch(undefined),
  rules: z.array(ruleLine).optional().catch(undefined),
  overrides: z.array(overrideLine).optional().catch(undefined),
  confidence: confidence.optional().catch(undefined),
  genre: z.object({ code: z.string() }).nullish().catch(undefined),
  explained_by: z.object({ model: z.string(), prompt: z.string().nullable() }).optional().catch(undefined),
  narratives: z
    .array(z.object({ ...passage, stance: z.enum(['asserts', 'debunks']) }))
    .optional()
    .catch(undefined),
  scam: z.object(passage).nullish().catch(undefined),
  engine: engine.optional().catch(undefined),
});
/** What a report shows of `context_summary`. */
export type RecordDetails = z.output<typeof recordDetails>;

/** Reads the parts of `context_summary` that a report shows. */
export function recordDetailsOf(
  contextSummary: Readonly<Record<string, unknown>> | undefined,
): RecordDetails {
  return recordDetails.parse(contextSummary ?? {});
}
