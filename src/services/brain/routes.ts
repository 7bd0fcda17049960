import { ANONYMOUS } from '../../foundation/bearer-tokens.ts';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import { claimHash } from '../../text/statement/claim-hash.ts';
import type { VerificationCache } from './cache.ts';
import type { brain } from './contract.ts';
import { errors } from './errors.ts';
import type { FactResource } from './resources.ts';
import type { BrainSettings } from './settings.ts';
import type { Fact, FactStore } from './store.ts';

/** What the routes work with. */
export interface BrainDependencies {
  readonly store: FactStore;
  readonly cache: VerificationCache;
}

function toResource(fact: Fact): FactResource {
  const { fact_id, claim, language, verdict, hits } = fact;
  return {
    ...{ fact_id, claim, language, verdict },
    evidence: fact.pack,
    locked: fact.locked_by !== null,
    provenance: {
      gathered_by: 'web',
      created_at: fact.created_at.toISOString(),
      checked_at: fact.checked_at.toISOString(),
      last_asked_at: fact.last_asked_at.toISOString(),
      hits,
    },
    next_check_at: fact.next_check_at.toISOString(),
  };
}

/** Who is answered for: the subject of the token, else the address of the peer. */
const actorOf = ({ caller, peer }: Call) =>
  caller === undefined || caller.subject === ANONYMOUS ? peer : caller.subject;

function present(fact: Fact | undefined): FactResource {
  if (fact === undefined) throw errors.fact_not_found();
  return toResource(fact);
}

/** Handlers of the verification cache. */
export function brainRoutes(
  { store, cache }: BrainDependencies,
  settings: Pick<BrainSettings, 'BRAIN_INVALIDATIONS_PER_HOUR'>,
): Handlers<(typeof brain)['operations']> {
  return {
    gather: ({ body, headers }, call) =>
      cache.gather(body, {
        caller: fairQueueKey(headers, call),
        correlationId: call.correlationId,
        signal: call.signal,
      }),
    invalidate: async ({ body }, call) => {
      const { fact_id: factId, claim, reason } = body;
      const which = factId == null ? { hash: claimHash(claim ?? '') } : { factId };
      const by = { actor: actorOf(call), reason, perHour: settings.BRAIN_INVALIDATIONS_PER_HOUR };
      const done = await store.invalidate(which, by);
      if (done.kind === 'unknown') throw errors.fact_not_found();
      if (done.kind === 'locked') throw errors.fact_locked();
      if (done.kind === 'limited')
        throw errors.rate_limited({ headers: { 'retry-after': String(Math.ceil(done.retryMs / 1000)) } });
      return { invalidated: done.factIds.length, fact_ids: [...done.factIds] };
    },
    due: async ({ query }) => {
      const { facts, total } = await store.due(query.limit);
      return { facts: facts.map(toResource), total };
    },
    fact: async ({ params }) => present(await store.read(params.fact_id)),
    judge: async ({ params, body }, call) => {
      const before = await store.read(params.fact_id);
      if (before === undefined) throw errors.fact_not_found();
      const fact = await store.judge(params.fact_id, body, actorOf(call));
      if (fact === undefined) throw errors.fact_locked();
      return toResource(fact);
    },
    lock: async ({ params, body }, call) =>
      present(await store.setLock(params.fact_id, body.locked, actorOf(call), body.reason)),
  };
}
