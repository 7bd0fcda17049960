import type { Probed } from '../../../foundation/health.ts';
import type { ImageResult, ImageSearchRequest, ProviderReport, SearchRequest } from '../contract/search.ts';
import { errors } from '../errors.ts';
import { pageKey } from './canonical-url.ts';
import { type MergedPage, mergeRanked, type RankedList } from './merge.ts';
import { mergePictures } from './pictures.ts';
import type { FoundImage, FoundPage, ProviderAnswer, SearchProvider } from './provider.ts';
import { suspending } from './suspension.ts';

/** Which providers are asked. */
export type Tier = 'free' | 'premium';

/** The pages of each query, and what the providers gave. */
export interface SearchOutcome {
  readonly lists: readonly { readonly query: string; readonly pages: readonly MergedPage[] }[];
  readonly providers: readonly ProviderReport[];
  readonly succeeded: boolean;
}

/** Asks the providers of this installation. */
export interface WebSearch {
  /** `share` names the user on whose behalf. */
  search(request: SearchRequest, tier: Tier, signal: AbortSignal, share?: string): Promise<SearchOutcome>;
  images(
    request: ImageSearchRequest,
    tier: Tier,
    signal: AbortSignal,
  ): Promise<{ results: ImageResult[]; providers: ProviderReport[]; succeeded: boolean }>;
  /** By name, for health; providers that cannot tell for free are not among them. */
  readonly probes: Readonly<Record<string, Probed>>;
  close(): Promise<void>;
}

/** Queries that a provider is asked at once. */
const AT_ONCE = 3;

/** One provider and its answers to the queries, in their order; undefined for a query that it was not asked. */
interface Asked<Found> {
  readonly provider: SearchProvider;
  readonly answers: readonly (ProviderAnswer<Found> | undefined)[];
}

async function ask<Found>(
  provider: SearchProvider,
  queries: readonly string[],
  one: (query: string) => Promise<ProviderAnswer<Found>>,
): Promise<Asked<Found>> {
  const answers: ProviderAnswer<Found>[] = [];
  const waiting = queries.slice(0, provider.mostQueries ?? queries.length).entries();
  const work = async () => {
    for (const [index, query] of waiting) answers[index] = await one(query);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { provider, answers };
}

/** A provider succeeded when it answered one of the queries. */
function reportOf<Found>({ provider, answers }: Asked<Found>): ProviderReport {
  const found = answers.flatMap((answer) => (answer?.ok === true ? [answer.found.length] : []));
  const failed = answers.find((answer) => answer?.ok === false);
  return {
    name: provider.name,
    success: found.length > 0,
    results: found.reduce((sum, count) => sum + count, 0),
    error: found.length > 0 || failed === undefined || failed.ok ? null : failed.reason,
  };
}

const isOfTier = ({ tier }: SearchProvider, wanted: Tier) => tier === 'local' || tier === wanted;

/** The providers of a tier; a premium search without any premium provider is refused. */
function providersOf(providers: readonly SearchProvider[], tier: Tier): readonly SearchProvider[] {
  const chosen = providers.filter((provider) => isOfTier(provider, tier));
  if (tier === 'premium' && !chosen.some((provider) => provider.tier === 'premium'))
    throw errors.service_unavailable({ message: 'No premium search provider is set up here.' });
  return chosen;
}

/** Each page once, at the first query that found it. */
function withoutRepeats(lists: readonly { query: string; pages: readonly MergedPage[] }[], most: number) {
  const seen = new Set<string>();
  return lists.map(({ query, pages }) => ({
    query,
    pages: pages
      .filter(({ url }) => {
        const key = pageKey(url);
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      })
      .slice(0, most),
  }));
}

/** The words of the settings for "no language in particular". */
const languageOf = (language: string) => (language === 'auto' ? undefined : language);

function rankedLists(asked: readonly Asked<FoundPage>[], index: number): RankedList[] {
  return asked.flatMap(({ provider, answers }) => {
    const answer = answers[index];
    return answer?.ok === true
      ? [{ provider: provider.name, heedsFreshness: provider.heedsFreshness, found: answer.found }]
      : [];
  });
}

async function searchPages(
  providers: readonly SearchProvider[],
  request: SearchRequest,
  signal: AbortSignal,
  share: string | undefined,
): Promise<SearchOutcome> {
  const { queries, max_results: count, country, freshness, safe_search: safeSearch } = request;
  const [allow, block] = [request.site_allowlist, request.site_blocklist];
  const language = languageOf(request.language);
  const asked = await Promise.all(
    providers.map((provider) =>
      ask(provider, queries, (query) =>
        provider.search(
          { query, count, language, country, freshness, safeSearch, allow, block, share },
          signal,
        ),
      ),
    ),
  );
  const filter = { allow, block, freshness, now: Date.now() };
  const lists = queries.map((query, index) => ({
    query,
    pages: mergeRanked(rankedLists(asked, index), filter),
  }));
  const reports = asked.map(reportOf);
  return {
    lists: withoutRepeats(lists, count),
    providers: reports,
    succeeded: reports.length === 0 || reports.some(({ success }) => success),
  };
}

/** Builds the search over providers, each left alone for a while after its errors. */
export function createWebSearch(all: readonly SearchProvider[], now?: () => number): WebSearch {
  // The index is ours: it is back when its database is.
  const providers = all.map((provider) => (provider.tier === 'local' ? provider : suspending(provider, now)));
  const probes = all.flatMap(({ name, probe }) => (probe === undefined ? [] : [[name, { probe }] as const]));
  return {
    search: async (request, tier, signal, share) =>
      searchPages(providersOf(providers, tier), request, signal, share),
    images: async (request, tier, signal) => {
      const { queries, max_results: count, country, safe_search: safeSearch, spellcheck } = request;
      const language = languageOf(request.language);
      const able = providersOf(providers, tier).filter(({ images }) => images !== undefined);
      if (able.length === 0)
        throw errors.service_unavailable({
          message: 'No provider that searches for pictures is set up here.',
        });
      const asked = await Promise.all(
        able.map((provider) =>
          ask<FoundImage>(provider, queries, async (query) => {
            const wanted = { query, count, language, country, safeSearch, spellcheck };
            return (await provider.images?.(wanted, signal)) ?? { ok: true, found: [] };
          }),
        ),
      );
      const foundFor = (index: number) =>
        asked.flatMap(({ answers }) => (answers[index]?.ok === true ? [answers[index].found] : []));
      const lists = queries.map((query, index) => ({ query, lists: foundFor(index) }));
      const results = mergePictures(lists, count);
      const reports = asked.map(reportOf);
      return { results, providers: reports, succeeded: reports.some(({ success }) => success) };
    },
    probes: Object.fromEntries(probes),
    close: async () => void (await Promise.all(all.map((provider) => provider.close()))),
  };
}
