import { createHash, randomUUID } from 'node:crypto';
import { asSignedBytes, quantisedCosine } from '../../text/encoder/quantised-vectors.ts';
import type { ClaimReader, ReadClaim } from './claims.ts';
import type { GatherEvidence, GatherRun } from './evidence-source.ts';
import type { BrainAnswer, BrainMeta, BrainRequest, EvidencePack } from './resources.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Fact, FactStore } from './store.ts';

/** The vector of a claim as signed bytes; undefined when it could not be had. */
export type EncodeClaim = (claim: ReadClaim, asking: Asking) => Promise<Uint8Array | undefined>;

/** What the cache works with. */
export interface CacheParts {
  readonly store: FactStore;
  readonly reader: ClaimReader;
  readonly encode: EncodeClaim;
  readonly gather: GatherEvidence;
  /** Called with a fact that was answered though its check is due. */
  readonly overdue: (factId: string) => void;
}

/** How sure the cache must be, and how long a new fact is fresh. */
export interface CachePolicy {
  /** Least similarity of a claim that is taken for the same. */
  readonly confirm: number;
  readonly firstCheckHours: number;
}

/** Who asks. */
export interface Asking {
  readonly caller: string;
  readonly correlationId?: string | undefined;
  readonly signal: AbortSignal;
}

/** Evidence for claims, each gathered once. */
export interface VerificationCache {
  gather(request: BrainRequest, asking: Asking): Promise<BrainAnswer>;
}

/** From here on a near claim is shown as a suggestion; `similarity` is calibrated to it. */
const SUGGEST = 0.5;
/** Stored claims that are compared with a new one. */
const CANDIDATES = 50;
interface Near {
  readonly factId: string;
  readonly similarity: number;
  readonly isSame: boolean;
}

/** What a request asks for besides its claim, where that changes what is evidence. */
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

/** Whether a fact was gathered with at least what is asked for now. */
const isEnough = ({ request: asked }: Fact, request: BrainRequest) =>
  asked.max_search_results >= request.max_search_results &&
  asked.max_evidence_items >= request.max_evidence_items;

/** An empty pack of a search that failed says nothing of the claim. */
export const isWorthKeeping = (pack: EvidencePack) =>
  pack.evidence.length > 0 || pack.stages.some(({ stage, success }) => stage === 'search' && success);

const MISSED: BrainMeta = {
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
  claim: ReadClaim,
  vector: Uint8Array | undefined,
  scope: string,
  { store, reader, confirm }: Pick<CacheParts, 'store' | 'reader'> & Pick<CachePolicy, 'confirm'>,
): Promise<Near | undefined> {
  if (vector === undefined) return undefined;
  const candidates = await store.candidates(scope, claim.terms, CANDIDATES);
  const matches = candidates.flatMap(({ fact_id, vector: stored, ...other }): Near[] => {
    if (stored === null) return [];
    const against = reader.read(other.claim, other.language);
    const { similarity, isSame } = reader.match(
      claim,
      against,
      quantisedCosine(asSignedBytes(vector), asSignedBytes(stored)),
    );
    return [{ factId: fact_id, similarity, isSame: isSame && similarity >= confirm }];
  });
  const byRank = (one: Near, two: Near) =>
    Number(two.isSame) - Number(one.isSame) || two.similarity - one.similarity;
  return matches.sort(byRank)[0];
}

/** A claim that is not known, with what was found out about it so far. */
interface NewClaim {
  readonly claim: ReadClaim;
  readonly vector: Uint8Array | undefined;
  readonly near: Near | undefined;
}

interface Gathered {
  readonly pack: EvidencePack;
  /** Undefined when it was not worth keeping. */
  readonly fact: Fact | undefined;
}

/** Gathers claims that are not known, equal ones once. */
function createGathering(
  { store, gather }: Pick<CacheParts, 'store' | 'gather'>,
  policy: Pick<CachePolicy, 'firstCheckHours'>,
) {
  const flights = createSingleFlight<Gathered>();
  const gatherAndKeep = async ({ claim, vector }: NewClaim, request: BrainRequest, run: GatherRun) => {
    const pack = await gather(request, run);
    if (!isWorthKeeping(pack)) return { pack, fact: undefined };
    const { hash, language, terms } = claim;
    const fact = await store.keep({
      scope: scopeOf(request),
      ...{ hash, language, terms, request, pack, claim: request.claim },
      vector: vector ?? null,
      intervalHours: policy.firstCheckHours,
    });
    return { pack, fact };
  };
  return async (found: NewClaim, request: BrainRequest, asking: Asking): Promise<BrainAnswer> => {
    const { max_search_results: results, max_evidence_items: items } = request;
    const started = performance.now();
    const key = [scopeOf(request), found.claim.hash, results, items].join(' ');
    const work = (signal: AbortSignal, begun: () => void) =>
      gatherAndKeep(found, request, { ...asking, signal, begun });
    const { pack, fact } = await flights.run(key, work, asking);
    const { near } = found;
    const suggestion = near !== undefined && near.similarity >= SUGGEST ? near : undefined;
    const meta = {
      ...MISSED,
      similarity: suggestion?.similarity ?? null,
      fact_id: suggestion?.factId ?? null,
    };
    const answer = fact === undefined ? undefined : answerFrom({ ...fact, pack }, request, meta);
    const took = Math.round(performance.now() - started);
    return { ...pack, request_id: randomUUID(), brain_meta: meta, ...answer, execution_time_ms: took };
  };
}

/** Makes the cache. */
export function createVerificationCache(parts: CacheParts, policy: CachePolicy): VerificationCache {
  const { store, reader, encode, overdue } = parts;
  const gatherNew = createGathering(parts, policy);
  const answerKnown = async (fact: Fact, similarity: number, request: BrainRequest) => {
    await store.countHit(fact.fact_id);
    const isFresh = fact.locked_by !== null || fact.next_check_at.getTime() > Date.now();
    if (!isFresh) overdue(fact.fact_id);
    const status = isFresh ? 'hit' : 'stale';
    return answerFrom(fact, request, { cache_status: status, similarity, fact_id: fact.fact_id });
  };
  return {
    gather: async (request, asking) => {
      const claim = reader.read(request.claim);
      const scope = scopeOf(request);
      const exact = await store.find({ scope, hash: claim.hash });
      if (exact !== undefined && isEnough(exact, request)) return answerKnown(exact, 1, request);
      const vector = await encode(claim, asking);
      const near =
        exact === undefined ? await nearest(claim, vector, scope, { store, reader, ...policy }) : undefined;
      const same = near?.isSame === true ? await store.read(near.factId) : undefined;
      if (near !== undefined && same !== undefined && isEnough(same, request))
        return answerKnown(same, near.similarity, request);
      return gatherNew({ claim, vector, near }, request, asking);
    },
  };
}
