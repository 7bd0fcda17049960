import { z } from 'zod';

/** Headers of an operation whose callers take turns, by user rather than by service. */
export function callerHeaders(work: string) {
  return z.object({
    'x-caller-share': z
      .string()
      .max(128)
      .optional()
      .describe(`Names the user on whose behalf ${work}: users take turns.`),
  });
}

/** What such headers hold. */
export interface CallerHeaders {
  readonly 'x-caller-share'?: string | undefined;
}

/** All who do not say on whose behalf they ask share one turn. */
const ANYBODY = 'anybody';

/** Whose turn a request takes. */
export const callerOf = (headers: CallerHeaders): string => headers['x-caller-share'] ?? ANYBODY;
