import { type Deadline, startDeadline } from '../../../foundation/deadline.ts';
import { LONGEST_DOCUMENT } from '../contract/evidence-index.ts';
import type { ProviderReport } from '../contract/search.ts';
import type { EvidenceItem, FetchRequest, GatherRequest, GatherStage } from '../contract.ts';
import { encoderFor } from '../evidence-index/encode.ts';
import type { SearchQuery } from '../search/provider.ts';
import type { ProviderTier } from '../search/search.ts';
import { candidatesOf } from './candidates.ts';
import type { GatherDependencies } from './dependencies.ts';
import { withoutAnalysedPage } from './duplicates.ts';
import { chooseEvidence, relevantSources } from './evidence.ts';
import { queriesFor } from './queries.ts';
import type { RankedSource } from './relevance.ts';
import { rerankSources } from './reranker.ts';
import { fetchedSource, type Source, type SourceCandidate, storedSource } from './source.ts';

/** The providers to ask, and the user on whose behalf. */
export interface GatherRun {
  readonly tier: ProviderTier;
  readonly share: string;
  readonly signal: AbortSignal;
}

/** The evidence, and how each stage went. */
export interface GatherResult {
  readonly queries: readonly string[];
  readonly evidence: readonly EvidenceItem[];
  readonly stages: readonly GatherStage[];
  readonly stats: { readonly input: number; readonly afterDedup: number };
  readonly candidateCount: number;
  readonly fetchedCount: number;
  /** The reports of the providers when none of them answered; else undefined. */
  readonly failedProviders: readonly ProviderReport[] | undefined;
}

/** Shares of the time limit for the search and for choosing evidence; the latter has an upper limit in milliseconds. */
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

/** Runs work with a deadline of its own, which also ends with the parent signal. */
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

function queriesOf({ claim, search_queries: given }: GatherRequest): SearchQuery[] {
  return given == null || given.length === 0
    ? queriesFor(claim)
    : given.map((query) => ({ query, language: 'auto', angle: 'caller' }));
}

async function searchStage(
  { search }: GatherDependencies,
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
      failedProviders: succeeded ? undefined : providers,
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
  { reader }: GatherDependencies,
  request: GatherRequest,
  candidates: readonly SourceCandidate[],
  { share }: GatherRun,
  part: Deadline,
) {
  const sources: (Source | undefined)[] = candidates.map(storedSource);
  const missing = [...candidates.entries()].filter(([index]) => sources[index] === undefined);
  const waiting = missing.values();
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
  const fetched = missing.filter(([index]) => sources[index] !== undefined).length;
  return {
    result: { sources: sources.filter((source) => source !== undefined), fetched },
    processed: fetched,
    failed: missing.length - fetched,
    success: missing.length === 0 || fetched > 0,
  };
}

/** Reranks by the reranking service, where one is set up; the stage record says whether it answered. */
async function rerankStage(
  { rerank }: GatherDependencies,
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

/** Ranks the sources and chooses the evidence. */
async function chooseStage(
  dependencies: GatherDependencies,
  request: GatherRequest,
  others: readonly Source[],
  signal: AbortSignal,
) {
  const relevant = await relevantSources(dependencies, request.claim, others, signal);
  const { ranked, records } = await rerankStage(dependencies, request, relevant, signal);
  const chosen = await timed('evidence', async () => {
    const result = await chooseEvidence(dependencies, request, others, ranked, signal);
    return { result, processed: others.length, failed: 0, success: true };
  });
  return { ...chosen.result, records: [...records, chosen.record] };
}

/** The dependencies with encoder and reranker on behalf of one user. */
const dependenciesFor = (
  { encoder, rerank, ...dependencies }: GatherDependencies,
  share: string,
): GatherDependencies => ({
  ...dependencies,
  encoder: encoderFor(encoder, share),
  rerank: rerank && ((claim, passages, signal) => rerank(claim, passages, signal, share)),
});

/** Searches, fetches and chooses evidence for a claim, within the time limit of the request; when it is over, the evidence found so far is returned. */
export async function gather(
  dependencies: GatherDependencies,
  request: GatherRequest,
  run: GatherRun,
): Promise<GatherResult> {
  const totalMs = request.timeout_seconds * 1000;
  const reservedMs = Math.min(SHARES.mostForEvidence, totalMs * SHARES.evidence);
  return within(totalMs, run.signal, async (whole) => {
    const search = await within(totalMs * SHARES.search, whole.signal, (part) =>
      timed('search', () => searchStage(dependencies, request, run, part)),
    );
    run.signal.throwIfAborted();
    const { candidates, queries, failedProviders } = search.result;
    const fetch = await within(Math.max(1, whole.remainingMs() - reservedMs), whole.signal, (part) =>
      timed('fetch', () => fetchStage(dependencies, request, candidates, run, part)),
    );
    run.signal.throwIfAborted();
    const { sources, fetched } = fetch.result;
    const others = await withoutAnalysedPage(sources, { url: request.judged_url, text: request.judged_text });
    const evidence = await chooseStage(
      dependenciesFor(dependencies, run.share),
      request,
      others,
      whole.signal,
    );
    run.signal.throwIfAborted();
    return {
      queries,
      evidence: evidence.items,
      stages: [search.record, fetch.record, ...evidence.records],
      stats: { input: others.length, afterDedup: evidence.afterDedup },
      candidateCount: candidates.length,
      fetchedCount: fetched,
      failedProviders,
    };
  });
}
