import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';
import { brainAnswer, brainRequest, factResource, factVerdict } from './resources.ts';

/** Longest reason of a verdict or lock, in characters. */
const LONGEST_REASON = 1000;

const factId = z.object({ fact_id: z.uuid() });
const reason = z.string().trim().min(1).max(LONGEST_REASON);

const invalidation = z
  .object({
    claim: z.string().min(1).max(1000).nullish(),
    fact_id: z.uuid().nullish(),
    reason,
  })
  .refine((body) => (body.claim ?? body.fact_id ?? null) !== null, {
    path: ['fact_id'],
    error: 'either claim or fact_id is required',
  })
  .meta({ id: 'Invalidation' });

/** The verification cache. */
export const brain = defineContract({
  name: 'brain',
  title: 'Verification cache',
  version: '1.0.0',
  description:
    'Evidence for claims that were asked before, whatever their wording or language; new ones go to the web evidence service.',
  errors,
  operations: {
    gather: {
      method: 'POST',
      path: '/v1/gather',
      summary: 'Evidence for a claim, from the cache or gathered now',
      access: 'bearer',
      headers: callerShareSchema('evidence is gathered'),
      body: brainRequest,
      answer: brainAnswer,
    },
    invalidate: {
      method: 'POST',
      path: '/v1/cache/invalidate',
      summary: 'Forget what is known of a claim',
      access: 'bearer',
      body: invalidation,
      answer: z.object({ invalidated: z.int().min(1), fact_ids: z.array(z.uuid()) }),
    },
    due: {
      method: 'GET',
      path: '/v1/fact_status/due_for_recheck',
      summary: 'Facts whose check is due and that are not locked',
      access: 'bearer',
      query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
      answer: z.object({ facts: z.array(factResource), total: z.int().min(0) }),
    },
    fact: {
      method: 'GET',
      path: '/v1/facts/{fact_id}',
      summary: 'One fact',
      access: 'bearer',
      params: factId,
      answer: factResource,
    },
    judge: {
      method: 'PUT',
      path: '/v1/facts/{fact_id}/verdict',
      summary: 'Keep a judgement with its fact',
      access: 'bearer',
      params: factId,
      body: factVerdict,
      answer: factResource,
    },
    lock: {
      method: 'POST',
      path: '/v1/facts/{fact_id}/lock',
      summary: 'Keep a fact from being checked, judged or forgotten, or no longer',
      access: 'bearer',
      params: factId,
      body: z.object({ locked: z.boolean(), reason }),
      answer: factResource,
    },
  },
});
