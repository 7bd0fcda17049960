import { z } from 'zod';
import { web } from '../web/contract.ts';

const { body: gatherRequest, answer: gatherAnswer } = web.operations.gather;

/** What a gathered claim is kept with: the answer of the web evidence service without its request id. */
export const evidencePack = gatherAnswer.omit({ request_id: true }).meta({ id: 'EvidencePack' });

/** The evidence of one claim. */
export type EvidencePack = z.infer<typeof evidencePack>;

/** A judgement on a claim, by a caller that asked for the evidence. */
export const factVerdict = z
  .object({
    status: z.string().min(1).max(64).describe('A status code of data/taxonomy/claims.json.'),
    confidence: z.number().min(0).max(1).nullable(),
    explanation_en: z.string().max(4000).nullable(),
    explanation_ro: z.string().max(4000).nullable(),
    decided_by: z.string().min(1).max(256).describe('The engine, or the person, that decided.'),
    decided_at: z.iso.datetime(),
  })
  .meta({ id: 'FactVerdict' });

/** A judgement on a claim. */
export type FactVerdict = z.infer<typeof factVerdict>;

const fact = z
  .object({
    fact_id: z.uuid(),
    claim: z.string(),
    language: z.enum(['en', 'ro']),
    verdict: factVerdict.nullable(),
    evidence: evidencePack,
    locked: z.boolean(),
    provenance: z.object({
      gathered_by: z.literal('web'),
      created_at: z.iso.datetime(),
      checked_at: z.iso.datetime(),
      last_asked_at: z.iso.datetime(),
      hits: z.int().min(0),
    }),
    next_check_at: z.iso.datetime(),
  })
  .meta({ id: 'Fact' });

/** A claim with what is known of it. */
export const factResource = fact;

/** A claim with what is known of it, as the wire has it. */
export type FactResource = z.infer<typeof fact>;

/** How an answer came to be. */
export const cacheStatus = z.enum(['hit', 'stale', 'miss']);

const brainMeta = z
  .object({
    cache_status: cacheStatus.describe(
      'hit: the same claim, checked lately; stale: the same claim, its check is due and has begun; miss: gathered now.',
    ),
    similarity: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'To the fact named here; 0.5 and more is shown. Null: nothing near, or vectors could not be had.',
      ),
    fact_id: z.uuid().nullable().describe('Of a miss, the near fact that was not the same claim.'),
    stored_fact_id: z
      .uuid()
      .nullable()
      .describe('The fact that this answer is kept as; null when it was not kept.'),
    checked_at: z.iso.datetime().nullable(),
    next_check_at: z.iso.datetime().nullable(),
    verdict: factVerdict.nullable(),
  })
  .meta({ id: 'BrainMeta' });

/** How an answer came to be. */
export type BrainMeta = z.infer<typeof brainMeta>;

/**
 * A claim whose evidence is asked for. What is judged stays with the caller: an answer serves everybody who asks for the
 * claim, and each leaves out its own page.
 */
export const brainRequest = gatherRequest
  .omit({ judged_url: true, judged_text: true })
  .meta({ id: 'BrainRequest' });

/** A claim whose evidence is asked for, checked. */
export type BrainRequest = z.output<typeof brainRequest>;

/** The answer of the web evidence service, and how it came to be. */
export const brainAnswer = gatherAnswer.extend({ brain_meta: brainMeta }).meta({ id: 'BrainGatherAnswer' });

/** The answer of a gather request. */
export type BrainAnswer = z.infer<typeof brainAnswer>;
