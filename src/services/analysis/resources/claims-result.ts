import { z } from 'zod';
import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import { codes, count, dateTime, explanationPair, milliseconds, score, share } from './fields.ts';
import { engine, span } from './finding.ts';
import { isOwnDenial } from './own-denial.ts';

/** One piece of evidence for or against a claim: the web service's item plus stance and quote. */
export const evidenceItem = z
  .object({
    url: z.string(),
    title: z.string().nullable(),
    publisher: z.string().nullable(),
    snippet: z.string().nullable(),
    relevance_score: z.number().nullable(),
    credibility_score: z.number().nullable(),
    published_at: z.string().nullable(),
    retrieved_at: dateTime,
    full_text_hash: z.string().nullable(),
    provenance: z
      .object({ extraction_method: z.string().nullable(), fallback_chain: z.array(z.string()) })
      .nullable(),
    stance: codes(claimTaxonomy.stances),
    quote: z.string().nullable().meta({ description: 'Verbatim passage of the fetched page.' }),
    independent_group: z
      .string()
      .nullable()
      .meta({ description: 'Items of one group (same owner, same copied text) count as one source.' }),
  })
  .meta({ id: 'EvidenceItem' });
export type EvidenceItem = z.infer<typeof evidenceItem>;

/** An earlier fact-check of the same or a near claim; a suggested match decides nothing. */
export const previousFactCheck = z
  .object({
    publisher: z.string(),
    url: z.string(),
    claim: z.string().nullable(),
    rating: z.string().nullable(),
    similarity: share.meta({
      description:
        'Probability that readers would call both the same; of a suggested match it may be the higher one that this claim speaks of the other, which it may say or deny.',
    }),
    match: z.enum(['suggested', 'confirmed']),
  })
  .meta({ id: 'PreviousFactCheck' });
export type PreviousFactCheck = z.infer<typeof previousFactCheck>;

/** The attribution of a claim within the text: the author's own, quoted, reported, denied, or asked about. */
const VOICES = ['author', 'quoted', 'reported', 'denied', 'asked'] as const;
/** The attribution of a claim. */
export type Voice = (typeof VOICES)[number];

/** One claim with its status and what the status rests on. */
export const claimItem = z
  .object({
    id: z.string(),
    text: z.string(),
    span,
    type: codes(claimTaxonomy.types),
    status: codes(claimTaxonomy.statuses),
    confidence: share.nullable().meta({
      description:
        'Of a claim that was looked up: how strong the evidence for its status is, which orders claims and is no probability that the status is right; nothing calibrated it. Of one that is no fact to check: how sure the engine is of that. null where nothing was decided.',
    }),
    checkworthiness: share.meta({
      description:
        'How likely the claim is worth checking, by its wording and meaning; of one that speaks of a known claim at least the probability that it does; 1 where its words say a known claim.',
    }),
    evidence: z.array(evidenceItem),
    previous_fact_checks: z.array(previousFactCheck),
    queries: z.array(z.string()),
    searched: z.boolean().nullable().default(null).meta({
      description:
        'Whether it was looked up; `queries` are proposals where it was not. null in older records.',
    }),
    reviewed_at: dateTime
      .nullable()
      .meta({ description: 'When a person decided the status; null while engines alone did.' }),
    voice: z.enum(VOICES).nullable().default(null).meta({
      description:
        "Whose words the claim is: the writer's own, or those that he quotes, reports, denies or asks about; null when nobody looked.",
    }),
    ...explanationPair,
    engine,
  })
  .meta({ id: 'ClaimItem' });
export type ClaimItem = z.infer<typeof claimItem>;

/**
 * Whether the writer vouches for what was checked. A claim that begins by denying ("It is not true that ...") is checked with its
 * denial, for which he stands: else such a beginning would keep any refuted claim from counting.
 */
export function isWritersOwn({ voice, text }: Pick<ClaimItem, 'voice' | 'text'>): boolean {
  return voice === 'author' || (voice === 'denied' && isOwnDenial(text));
}

/** Whether a refuted claim does not count against the text: the text quotes, denies or asks it, or reports what reviewers refuted. */
export function isAttributedToOthers(
  claim: Pick<ClaimItem, 'voice' | 'previous_fact_checks' | 'text'>,
): boolean {
  const { voice, previous_fact_checks: checks } = claim;
  if (voice === null || isWritersOwn(claim)) return false;
  // "X said it" is a claim of the text itself, unless a fact-check reviewed the reported words.
  return voice !== 'reported' || checks.some(({ match }) => match === 'confirmed');
}

/** Answer of the component claims. */
export const claimsResult = z
  .object({
    total_claims: count,
    verified_true: count,
    verified_false: count,
    unverified: count,
    opinions: count,
    credibility_score: score.nullable().meta({ description: 'null when no claim is decided.' }),
    interpretation: codes(claimTaxonomy.interpretation_bands),
    claims_by_status: z.record(z.string(), count),
    claims_by_type: z.record(z.string(), count),
    claims_verified: z.array(claimItem),
    llm_extraction: z.string().nullable(),
    llm_verification: z.string().nullable(),
    web_searches_made: count,
    total_duration_ms: milliseconds,
  })
  .meta({ id: 'ClaimsResult' });
export type ClaimsResult = z.infer<typeof claimsResult>;
