import { z } from 'zod';
import weightRows from '../../../data/domains/trust-weights.json' with { type: 'json' };

const points = z.record(z.string(), z.number());
const treatment = z.enum(['offender', 'official', 'weak', 'satire', 'fact_checker', 'none']);

const nameBounds = z.object({ slope: z.number(), lowest: z.number(), highest: z.number() });

const schema = z.object({
  version: z.string(),
  ratings: z.object({ weights: points, points: z.record(z.string(), points) }),
  lists: z.object({
    offender_points: z.number(),
    official_points: z.number(),
    further_points: z.number(),
    further_limit: z.int(),
    categories: z.record(z.string(), z.record(z.string(), treatment)),
    category_names: z.record(z.string(), z.string()),
  }),
  fact_checker: z.object({ points: z.number() }),
  register: z.object({ points: z.number() }),
  estimate: z.object({ slope: z.number() }),
  name: nameBounds.extend({
    measured_suffixes: z.array(z.string()),
    elsewhere: nameBounds,
    registers: z.object({ crawl: z.number(), wikidata: z.number() }),
  }),
  restricted_suffix: z.object({ points: z.number() }),
  well_known: z.object({ points: z.number() }),
  age: z.object({
    bands: z.array(z.object({ from_days: z.int(), points: z.number() })),
    very_young_days: z.int(),
    young_days: z.int(),
    recent_days: z.int(),
  }),
  satire: z.object({ lowest: z.number() }),
  interval: z.object({
    half_width: z.object({
      listed: z.number(),
      rated: z.number(),
      estimated: z.number(),
      observed: z.number(),
      name: z.number(),
      measured_name: z.number(),
    }),
  }),
  verdicts: z.object({
    trusted: z.number(),
    reliable: z.number(),
    suspicious: z.number(),
    untrustworthy: z.number(),
    unrated: z.object({ reliable: z.number(), suspicious: z.number(), error_rate: z.number() }),
  }),
});

/** The numbers that make trust_score; each has its reason in data/domains/trust-weights.json. */
export const weights = schema.parse(weightRows);
