import { createHash, randomUUID } from 'node:crypto';
import { asSignedBytes, quantisedCosine } from '../../text/encoder/quantised-vectors.ts';
import type { ClaimParser, ParsedClaim } from './claims.ts';
import type { GatherContext, GatherEvidence } from './evidence-source.ts';
import type { BrainAnswer, BrainMeta, BrainRequest, EvidencePack } from './resources.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Fact, FactStore } from './store.ts';

/** The vector of a claim as signed bytes; undefined when it could not be had. */
export type EncodeClaim = (claim: ParsedClaim, requester: Requester) => Promise<Uint8Array | undefined>;

/** What the cache works with. */
export interface CacheDependencies {
  readonly store: FactStore;
  readonly reader: ClaimParser;
  readonly encode: EncodeClaim;
  readonly gather: GatherEvidence;
  /** Called with the id of an answered fact whose next check is due. */
  readonly recheck: (factId: string) => void;
}

/** Least similarity of equal claims, and how long a new fact is fresh. */
export interface CachePolicy {
  /** Least similarity at which a claim counts as the same. */
  readonly confirm: number;
  readonly firstCheckHours: number;
}

/** The caller of a request, and the signal that cancels it. */
export interface Requester {
  readonly caller: string;
  readonly correlationId?: string | undefined;
  readonly signal: AbortSignal;
}

/** Evidence for claims, stored and reused for equal claims. */
export interface VerificationCache {
  gather(request: BrainRequest, requester: Requester): Promise<BrainAnswer>;
}

/** From here on a near claim is shown as a suggestion; `similarity` is calibrated to it. */
const SUGGEST = 0.5;
/** Stored claims that are compared with a new one. */
const CANDIDATES = 50;
interface NearClaim {
  readonly factId: string;
  readonly similarity: number;
  readonly isSame: boolean;
}

/** Hash of the options that change which evidence is found; facts are only reused for the same options. */
export function scopeOf(request: BrainRequest): string {
  const { search_queries, site_allowlist, site_blocklist, fetch_method, dedupe } = request;
  const sorted = (list: readonly string[] | null | undefined) => [...(list ?? [])].sort();
  const parts = [
    sorted(search_queries),
    sorted(site_allowlist),
    sorted(site_blocklist),
    fetch_method,
    dedupe,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whether a fact was gathered with limits at least as high as those of the request. */
const coversRequest = ({ request: stored }: Fact, request: BrainRequest) =>
  stored.max_search_results >= request.max_search_results &&
  stored.max_evidence_items >= request.max_evidence_items;

/** An empty pack is stored only when the search worked: after a failed search it says nothing of the claim. */
export const isCacheable = (pack: EvidencePack) =>
  pack.evidence.length > 0 || pack.stages.some(({ stage, success }) => stage === 'search' && success);

const MISS_META: BrainMeta = {
  cache_status: 'miss',
  similarity: null,
  fact_id: null,
  stored_fact_id: null,
  checked_at: null,
  next_check_at: null,
  verdict: null,
};

/** The answer from a stored fact, cut to what was asked for. */
function answerFrom(
  fact: Fact,
  request: BrainRequest,
  meta: Pick<BrainMeta, 'cache_status' | 'similarity' | 'fact_id'>,
): BrainAnswer {
  const evidence = fact.pack.evidence.slice(0, request.max_evidence_items);
  return {
    ...fact.pack,
    request_id: randomUUID(),
    claim: request.claim,
    evidence,
    total_evidence_items: evidence.length,
    execution_time_ms: 0,
    brain_meta: {
      ...meta,
      stored_fact_id: fact.fact_id,
      checked_at: fact.checked_at.toISOString(),
      next_check_at: fact.next_check_at.toISOString(),
      verdict: fact.verdict,
    },
  };
}

/** The stored claim that is nearest to a claim; undefined when there is none, or no vector to compare by. */
async function nearest(
  claim: ParsedClaim,
  vector: Uint8Array | undefined,
  scope: string,
  { store, reader, confirm }: Pick<CacheDependencies, 'store' | 'reader'> & Pick<CachePolicy, 'confirm'>,
): Promise<NearClaim | undefined> {
  if (vector === undefined) return undefined;
  const candidates = await store.candidates(scope, claim.terms, CANDIDATES);
  const matches = candidates.flatMap(({ fact_id, vector: stored, ...other }): NearClaim[] => {
    if (stored === null) return [];
    const against = reader.read(other.claim, other.language);
    const { similarity, isSame } = reader.match(
      claim,
      against,
      quantisedCosine(asSignedBytes(vector), asSignedBytes(stored)),
    );
    return [{ factId: fact_id, similarity, isSame: isSame && similarity >= confirm }];
  });
  const byRank = (one: NearClaim, two: NearClaim) =>
    Number(two.isSame) - Number(one.isSame) || two.similarity - one.similarity;
  return matches.sort(byRank)[0];
}

/** A claim without a stored fact, its vector, and the nearest stored claim. */
interface NewClaim {
  readonly claim: ParsedClaim;
  readonly vector: Uint8Array | undefined;
  readonly near: NearClaim | undefined;
}

interface GatherOutcome {
  readonly pack: EvidencePack;
  /** Undefined when the pack was not stored. */
  readonly fact: Fact | undefined;
}

/** Gathers evidence for new claims; equal requests at the same time share one gathering. */
function createClaimGatherer(
  { store, gather }: Pick<CacheDependencies, 'store' | 'gather'>,
  policy: Pick<CachePolicy, 'firstCheckHours'>,
) {
  const flights = createSingleFlight<GatherOutcome>();
  const gatherAndStore = async ({ claim, vector }: NewClaim, request: BrainRequest, run: GatherContext) => {
    const pack = await gather(request, run);
    if (!isCacheable(pack)) return { pack, fact: undefined };
    const { hash, language, terms } = claim;
    const fact = await store.keep({
      scope: scopeOf(request),
      ...{ hash, language, terms, request, pack, claim: request.claim },
      vector: vector ?? null,
      intervalHours: policy.firstCheckHours,
    });
    return { pack, fact };
  };
  return async (newClaim: NewClaim, request: BrainRequest, requester: Requester): Promise<BrainAnswer> => {
    const { max_search_results: results, max_evidence_items: items } = request;
    const started = performance.now();
    const key = [scopeOf(request), newClaim.claim.hash, results, items].join(' ');
    const work = (signal: AbortSignal, onStart: () => void) =>
      gatherAndStore(newClaim, request, { ...requester, signal, onStart });
    const { pack, fact } = await flights.run(key, work, requester);
    const { near } = newClaim;
    const suggestion = near !== undefined && near.similarity >= SUGGEST ? near : undefined;
    const meta = {
      ...MISS_META,
      similarity: suggestion?.similarity ?? null,
      fact_id: suggestion?.factId ?? null,
    };
    const answer = fact === undefined ? undefined : answerFrom({ ...fact, pack }, request, meta);
    const took = Math.round(performance.now() - started);
    return { ...pack, request_id: randomUUID(), brain_meta: meta, ...answer, execution_time_ms: took };
  };
}

/** Makes the cache. */
export function createVerificationCache(
  dependencies: CacheDependencies,
  policy: CachePolicy,
): VerificationCache {
  const { store, reader, encode, recheck } = dependencies;
  const gatherNew = createClaimGatherer(dependencies, policy);
  const answerKnown = async (fact: Fact, similarity: number, request: BrainRequest) => {
    await store.countHit(fact.fact_id);
    const isFresh = fact.locked_by !== null || fact.next_check_at.getTime() > Date.now();
    if (!isFresh) recheck(fact.fact_id);
    const status = isFresh ? 'hit' : 'stale';
    return answerFrom(fact, request, { cache_status: status, similarity, fact_id: fact.fact_id });
  };
  return {
    gather: async (request, requester) => {
      const claim = reader.read(request.claim);
      const scope = scopeOf(request);
      const exact = await store.find({ scope, hash: claim.hash });
      if (exact !== undefined && coversRequest(exact, request)) return answerKnown(exact, 1, request);
      const vector = await encode(claim, requester);
      const near =
        exact === undefined ? await nearest(claim, vector, scope, { store, reader, ...policy }) : undefined;
      const same = near?.isSame === true ? await store.read(near.factId) : undefined;
      if (near !== undefined && same !== undefined && coversRequest(same, request))
        return answerKnown(same, near.similarity, request);
      return gatherNew({ claim, vector, near }, request, requester);
    },
  };
}
