import { z } from 'zod';
import { REASON_CODES } from '../reasons.ts';
import { count, milliseconds, score } from './fields.ts';
import { engine } from './finding.ts';

/** One public list that names the domain; `harmful` ones make `is_blacklisted` true. */
export const domainListing = z.object({
  list: z.string(),
  label: z.string(),
  harmful: z.boolean(),
  updated_at: z.string().nullable(),
});
export type DomainListing = z.infer<typeof domainListing>;

/** Answer of the component domain: how far the source can be trusted. */
export const domainResult = z
  .object({
    domain: z.string().nullable(),
    trust_score: score.nullable(),
    verdict: z.string().nullable(),
    risk_level: z.string().nullable(),
    age_days: count.nullable(),
    is_blacklisted: z.boolean().nullable(),
    has_ssl: z.boolean().nullable(),
    ssl_valid: z.boolean().nullable(),
    red_flags: z.array(z.string()),
    warnings: z.array(z.string()),
    lists: z.array(domainListing),
    checks: z
      .array(
        z.object({
          check: z.string(),
          answered: z.boolean(),
          reason: z.enum(REASON_CODES).nullable().meta({ description: 'Code of the reason.' }),
          message: z.string().nullable().meta({ description: 'The reason in English.' }),
          message_ro: z.string().nullable().meta({ description: 'The reason in Romanian.' }),
        }),
      )
      .meta({ description: 'Every check tried; a check without an answer says why.' }),
    engine: engine.nullable(),
    duration_ms: milliseconds,
  })
  .meta({ id: 'DomainResult' });
export type DomainResult = z.infer<typeof domainResult>;
