import { type Deadline, startDeadline } from '../../../foundation/deadline.ts';
import { LONGEST_DOCUMENT } from '../contract/evidence-index.ts';
import type { ProviderReport } from '../contract/search.ts';
import type { EvidenceItem, FetchRequest, GatherRequest, GatherStage } from '../contract.ts';
import { encoderFor } from '../evidence-index/encode.ts';
import type { AskedQuery } from '../search/provider.ts';
import type { Tier } from '../search/search.ts';
import { candidatesOf } from './candidates.ts';
import { withoutJudged } from './duplicates.ts';
import { chooseEvidence, relevantSources } from './evidence.ts';
import type { GatherParts } from './parts.ts';
import { queriesFor } from './queries.ts';
import type { RankedSource } from './relevance.ts';
import { rerankSources } from './reranker.ts';
import { type Candidate, fetchedSource, type Source, storedSource } from './source.ts';

/** For whom, and from which providers. */
export interface GatherRun {
  readonly tier: Tier;
  readonly share: string;
  readonly signal: AbortSignal;
}

/** What gathering brought. */
export interface Gathered {
  readonly queries: readonly string[];
  readonly evidence: readonly EvidenceItem[];
  readonly stages: readonly GatherStage[];
  readonly stats: { readonly input: number; readonly afterDedup: number };
  readonly found: number;
  readonly fetched: number;
  /** Set when no provider answered. */
  readonly noProvider: readonly ProviderReport[] | undefined;
}

/** The part of the time that search may take, and what choosing evidence keeps for itself, in milliseconds. */
const SHARES = { search: 0.4, evidence: 0.2, mostForEvidence: 10_000 };
/** Evidence may be of any age and from anywhere. */
const ANY_PAGES = { country: 'US', freshness: null, safe_search: 'moderate' } as const;
/** Longest time for one page in milliseconds. */
const PAGE_MS = 30_000;
const LEAST_PAGE_MS = 1_000;

/** Runs a stage and says how it went. */
async function timed<Result>(
  stage: GatherStage['stage'],
  work: () => Promise<{ result: Result; processed: number; failed: number; success: boolean }>,
): Promise<{ result: Result; record: GatherStage }> {
  const startedAt = performance.now();
  const { result, processed, failed, success } = await work();
  const duration = Math.round(performance.now() - startedAt);
  return {
    result,
    record: { stage, success, items_processed: processed, items_failed: failed, duration_ms: duration },
  };
}

/** A signal that ends with the caller, or after a part of the time. */
async function within<Result>(
  ms: number,
  parent: AbortSignal,
  work: (part: Deadline) => Promise<Result>,
): Promise<Result> {
  const part = startDeadline(ms, parent);
  try {
    return await work(part);
  } finally {
    part.stop();
  }
}

function queriesOf({ claim, search_queries: given }: GatherRequest): AskedQuery[] {
  return given == null || given.length === 0
    ? queriesFor(claim)
    : given.map((query) => ({ query, language: 'auto', angle: 'given' }));
}

async function searchStage(
  { search }: GatherParts,
  request: GatherRequest,
  { tier, share }: GatherRun,
  part: Deadline,
) {
  const { site_allowlist, site_blocklist, max_search_results: most } = request;
  const { lists, providers, succeeded } = await search.searchEach(
    queriesOf(request),
    { ...ANY_PAGES, site_allowlist, site_blocklist, max_results: most, share },
    tier,
    part.signal,
  );
  const candidates = candidatesOf(lists, most);
  return {
    result: {
      candidates,
      queries: lists.map(({ query }) => query),
      noProvider: succeeded ? undefined : providers,
    },
    processed: candidates.length,
    failed: providers.filter(({ success }) => !success).length,
    success: succeeded,
  };
}

const pageRequest = (url: string, request: GatherRequest, ms: number): FetchRequest => ({
  urls: [url],
  extract_text: true,
  include_html: false,
  extract_metadata: true,
  auto_fallback: request.auto_fallback,
  method: request.fetch_method,
  timeout_seconds: ms / 1000,
  min_text_length: 200,
  parallel_fetches: 1,
  max_text_length: LONGEST_DOCUMENT,
});

async function fetchStage(
  { reader }: GatherParts,
  request: GatherRequest,
  candidates: readonly Candidate[],
  { share }: GatherRun,
  part: Deadline,
) {
  const sources: (Source | undefined)[] = candidates.map(storedSource);
  const wanted = [...candidates.entries()].filter(([index]) => sources[index] === undefined);
  const waiting = wanted.values();
  const work = async () => {
    for (const [index, candidate] of waiting) {
      const ms = Math.min(PAGE_MS, part.remainingMs());
      if (part.signal.aborted || ms < LEAST_PAGE_MS) return;
      const outcome = await reader.read(
        candidate.page.url,
        pageRequest(candidate.page.url, request, ms),
        part.signal,
        share,
      );
      if ('page' in outcome) sources[index] = fetchedSource(candidate, outcome.page);
    }
  };
  await Promise.all(Array.from({ length: request.parallel_fetches }, work));
  const fetched = wanted.filter(([index]) => sources[index] !== undefined).length;
  return {
    result: { sources: sources.filter((source) => source !== undefined), fetched },
    processed: fetched,
    failed: wanted.length - fetched,
    success: wanted.length === 0 || fetched > 0,
  };
}

/** Asks the reranking service for its order, where there is one; the record says whether it answered. */
async function rerankStage(
  { rerank }: GatherParts,
  { claim }: GatherRequest,
  ranked: RankedSource[],
  signal: AbortSignal,
): Promise<{ ranked: RankedSource[]; records: GatherStage[] }> {
  if (rerank === undefined || ranked.length === 0) return { ranked, records: [] };
  const { result, record } = await timed('rerank', async () => {
    const { sources, passages, succeeded } = await rerankSources(claim, ranked, rerank, signal);
    return { result: sources, processed: passages, failed: succeeded ? 0 : passages, success: succeeded };
  });
  return { ranked: result, records: [record] };
}

/** Ranks what was found, and chooses the evidence. */
async function chooseStage(
  parts: GatherParts,
  request: GatherRequest,
  others: readonly Source[],
  signal: AbortSignal,
) {
  const relevant = await relevantSources(parts, request.claim, others, signal);
  const { ranked, records } = await rerankStage(parts, request, relevant, signal);
  const chosen = await timed('evidence', async () => {
    const result = await chooseEvidence(parts, request, others, ranked, signal);
    return { result, processed: others.length, failed: 0, success: true };
  });
  return { ...chosen.result, records: [...records, chosen.record] };
}

/** The parts on behalf of one user. */
const partsFor = ({ encoder, rerank, ...parts }: GatherParts, share: string): GatherParts => ({
  ...parts,
  encoder: encoderFor(encoder, share),
  rerank: rerank && ((claim, passages, signal) => rerank(claim, passages, signal, share)),
});

/** Searches, fetches and chooses evidence for a claim, within the time that the request gives; what there is by then is answered. */
export async function gather(parts: GatherParts, request: GatherRequest, run: GatherRun): Promise<Gathered> {
  const totalMs = request.timeout_seconds * 1000;
  const kept = Math.min(SHARES.mostForEvidence, totalMs * SHARES.evidence);
  return within(totalMs, run.signal, async (whole) => {
    const search = await within(totalMs * SHARES.search, whole.signal, (part) =>
      timed('search', () => searchStage(parts, request, run, part)),
    );
    run.signal.throwIfAborted();
    const { candidates, queries, noProvider } = search.result;
    const fetch = await within(Math.max(1, whole.remainingMs() - kept), whole.signal, (part) =>
      timed('fetch', () => fetchStage(parts, request, candidates, run, part)),
    );
    run.signal.throwIfAborted();
    const { sources, fetched } = fetch.result;
    const others = await withoutJudged(sources, { url: request.judged_url, text: request.judged_text });
    const evidence = await chooseStage(partsFor(parts, run.share), request, others, whole.signal);
    run.signal.throwIfAborted();
    return {
      queries,
      evidence: evidence.items,
      stages: [search.record, fetch.record, ...evidence.records],
      stats: { input: others.length, afterDedup: evidence.afterDedup },
      found: candidates.length,
      fetched,
      noProvider,
    };
  });
}
