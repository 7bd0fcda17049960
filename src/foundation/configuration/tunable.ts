import type { z } from 'zod';

/** A value that staff may change while the platform runs; its default holds until then. */
export interface Tunable<Schema extends z.ZodType = z.ZodType> {
  /** Service and name, with dots between: `analysis.verdict_profile.text`. */
  readonly key: string;
  readonly schema: Schema;
  readonly fallback: z.output<Schema>;
  readonly description_en: string;
  readonly description_ro: string;
  /** A change is seen when a process starts the next time, not before. */
  readonly requires_restart?: true;
}

/** Declares a tunable; its type is that of the schema. Throws when the default does not fit the schema. */
export function defineTunable<Schema extends z.ZodType>(tunable: Tunable<Schema>): Tunable<Schema> {
  tunable.schema.parse(tunable.fallback);
  return tunable;
}
