import { z } from 'zod';
import { auditSettings } from '../../foundation/database/retention.ts';
import { dependency, integer, list, number, optionalText } from '../../foundation/settings.ts';

/** Settings of the verification cache, named as in the environment. */
export const brainSettings = z.object({
  BRAIN_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  WEB_URL: dependency().describe('The web evidence service; `none`: nothing new is gathered.'),
  WEB_API_TOKEN: optionalText().describe('Token that is sent to it.'),
  EMBEDDINGS_URL: dependency().describe(
    'Where the embeddings service is; without it only equal claims are found.',
  ),
  EMBEDDINGS_API_TOKEN: optionalText().describe('Token that is sent to it.'),
  BRAIN_EMBEDDINGS_MODEL: z
    .string()
    .min(1)
    .default('limpede-encoder-1')
    .describe('Model of the vectors of claims.'),
  BRAIN_CONFIRM: number(0.65, 0.5, 1).describe('Least similarity of a claim that is taken for the same.'),
  BRAIN_CONCURRENT_GATHERS: integer(5, 1, 1000).describe(
    'Claims that are gathered at once; callers take turns.',
  ),
  BRAIN_WAITING_GATHERS: integer(200, 1, 100_000).describe('Claims that may wait to be gathered.'),
  BRAIN_CALLER_SHARE: integer(40, 1, 100_000).describe('Claims of one caller that may wait or be gathered.'),
  BRAIN_FIRST_CHECK_HOURS: number(6, 0.01, 8760).describe(
    'Hours until a new fact is checked again; doubled while nothing changes.',
  ),
  BRAIN_LONGEST_CHECK_HOURS: number(720, 0.01, 87_600).describe('Most hours between two checks.'),
  BRAIN_RECHECK_SECONDS: integer(60, 0, 86_400).describe(
    'Pause between two looks for facts that are due; 0: never.',
  ),
  BRAIN_RECHECK_DAYS: integer(30, 1, 3650).describe(
    'Facts that nobody asked for in so many days are not checked again.',
  ),
  BRAIN_FACT_DAYS: integer(365, 0, 36_500).describe(
    'Days after which a fact is removed that nobody asked for, judged or locked; 0 keeps it for ever.',
  ),
  ...auditSettings,
  BRAIN_INVALIDATIONS_PER_HOUR: integer(10, 1, 10_000).describe(
    'Times that one actor may make the cache forget, an hour.',
  ),
});

/** Checked settings of the verification cache. */
export type BrainSettings = z.infer<typeof brainSettings>;
