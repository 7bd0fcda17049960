import type { Probeable } from '../../../foundation/health.ts';
import type { ImageResult, ImageSearchRequest, ProviderReport, SearchRequest } from '../contract/search.ts';
import { errors } from '../errors.ts';
import { pageKey } from './canonical-url.ts';
import { type MergedPage, mergeRanked, type RankedList } from './merge.ts';
import { mergePictures } from './pictures.ts';
import type {
  ImageHit,
  PageHit,
  ProviderAnswer,
  QueryAngle,
  SearchProvider,
  SearchQuery,
} from './provider.ts';
import { suspendOnErrors } from './suspension.ts';

/** Which providers may be used. */
export type ProviderTier = 'free' | 'premium';

/** The pages of each query that a provider was asked, and what the providers gave. */
export interface SearchOutcome {
  readonly lists: readonly {
    readonly query: string;
    readonly angle: QueryAngle;
    readonly pages: readonly MergedPage[];
  }[];
  readonly providers: readonly ProviderReport[];
  readonly succeeded: boolean;
}

/** Which pages are wanted, whatever the query, and the user on whose behalf. */
type PageSearch = Omit<SearchRequest, 'queries' | 'language'> & { readonly share?: string | undefined };

/** Asks the providers of this installation. */
export interface WebSearch {
  /** A page stands only in the list of the first query that found it. `share` names the user on whose behalf. */
  search(
    request: SearchRequest,
    tier: ProviderTier,
    signal: AbortSignal,
    share?: string,
  ): Promise<SearchOutcome>;
  /** Each provider is asked those of the queries that suit it; a page stands in the list of each query that found it. */
  searchEach(
    queries: readonly SearchQuery[],
    pages: PageSearch,
    tier: ProviderTier,
    signal: AbortSignal,
  ): Promise<SearchOutcome>;
  images(
    request: ImageSearchRequest,
    tier: ProviderTier,
    signal: AbortSignal,
  ): Promise<{ results: ImageResult[]; providers: ProviderReport[]; succeeded: boolean }>;
  /** By name, for health; without providers whose check would cost money. */
  readonly probes: Readonly<Record<string, Probeable>>;
  close(): Promise<void>;
}

/** Queries that a provider is asked at once: as many as are made of a claim, so that they take no longer than one. */
const AT_ONCE = 4;

/** One provider and its answers to the queries, in their order; undefined for a query that it was not asked. */
interface ProviderAnswers<Found> {
  readonly provider: SearchProvider;
  readonly answers: readonly (ProviderAnswer<Found> | undefined)[];
}

async function askProvider<Query, Found>(
  provider: SearchProvider,
  queries: readonly (readonly [number, Query])[],
  one: (query: Query) => Promise<ProviderAnswer<Found>>,
): Promise<ProviderAnswers<Found>> {
  const answers: ProviderAnswer<Found>[] = [];
  const waiting = queries.slice(0, provider.mostQueries ?? queries.length).values();
  const work = async () => {
    for (const [index, query] of waiting) answers[index] = await one(query);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { provider, answers };
}

/** The queries to send to a provider, those of its preferred angles first, each with its index among all queries. */
function selectQueries(
  { angles }: SearchProvider,
  queries: readonly SearchQuery[],
  queriesPerClaim: number,
): [number, SearchQuery][] {
  const all = [...queries.entries()];
  const callerQueries = all.filter(([, { angle }]) => angle === 'caller');
  const claimQueries = angles.flatMap((wanted) => all.filter(([, { angle }]) => angle === wanted));
  return [...callerQueries, ...claimQueries.slice(0, queriesPerClaim)];
}

/** A provider succeeded when it answered one of the queries. */
function reportOf<Found>({ provider, answers }: ProviderAnswers<Found>): ProviderReport {
  const counts = answers.flatMap((answer) => (answer?.ok === true ? [answer.items.length] : []));
  const failed = answers.find((answer) => answer?.ok === false);
  return {
    name: provider.name,
    success: counts.length > 0,
    results: counts.reduce((sum, count) => sum + count, 0),
    error: counts.length > 0 || failed === undefined || failed.ok ? null : failed.reason,
  };
}

const isOfTier = ({ tier }: SearchProvider, wanted: ProviderTier) => tier === 'local' || tier === wanted;

/** The providers of a tier; a premium search without any premium provider is refused. */
function providersOf(providers: readonly SearchProvider[], tier: ProviderTier): readonly SearchProvider[] {
  const chosen = providers.filter((provider) => isOfTier(provider, tier));
  if (tier === 'premium' && !chosen.some((provider) => provider.tier === 'premium'))
    throw errors.service_unavailable({ message: 'No premium search provider is set up here.' });
  return chosen;
}

/** Each page once, at the first query that found it. */
function withoutRepeats(lists: SearchOutcome['lists'], most: number): SearchOutcome['lists'] {
  const seen = new Set<string>();
  return lists.map((list) => ({
    ...list,
    pages: list.pages
      .filter(({ url }) => {
        const key = pageKey(url);
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      })
      .slice(0, most),
  }));
}

/** The language for providers; undefined for any. */
const languageOf = (language: string) => (language === 'auto' ? undefined : language);

function rankedLists(providerAnswers: readonly ProviderAnswers<PageHit>[], index: number): RankedList[] {
  return providerAnswers.flatMap(({ provider, answers }) => {
    const answer = answers[index];
    return answer?.ok === true
      ? [{ provider: provider.name, heedsFreshness: provider.heedsFreshness, hits: answer.items }]
      : [];
  });
}

async function searchPages(
  providers: readonly SearchProvider[],
  queries: readonly SearchQuery[],
  wanted: PageSearch,
  signal: AbortSignal,
  queriesPerClaim = Number.POSITIVE_INFINITY,
): Promise<SearchOutcome> {
  const { max_results: count, country, freshness, safe_search: safeSearch } = wanted;
  const [allow, block] = [wanted.site_allowlist, wanted.site_blocklist];
  const providerAnswers = await Promise.all(
    providers.map((provider) =>
      askProvider(provider, selectQueries(provider, queries, queriesPerClaim), ({ query, language }) =>
        provider.search(
          {
            ...{ query, count, country, freshness, safeSearch, allow, block },
            share: wanted.share,
            language: languageOf(language),
          },
          signal,
        ),
      ),
    ),
  );
  const filter = { allow, block, freshness, now: Date.now() };
  const wasSent = (index: number) => providerAnswers.some(({ answers }) => answers[index] !== undefined);
  const lists = queries.flatMap(({ query, angle }, index) => {
    if (providers.length > 0 && !wasSent(index)) return [];
    return [{ query, angle, pages: mergeRanked(rankedLists(providerAnswers, index), filter) }];
  });
  // A provider without a suitable query was not asked, so it gets no report.
  const reports = providerAnswers.filter(({ answers }) => answers.length > 0).map(reportOf);
  return {
    lists,
    providers: reports,
    succeeded: reports.length === 0 || reports.some(({ success }) => success),
  };
}

/** Creates the search over providers; external ones are suspended for a while after errors. */
export function createWebSearch(
  all: readonly SearchProvider[],
  options: {
    readonly now?: () => number;
    /** Queries of one claim that a provider is asked at most; read at each claim. */
    readonly queriesPerClaim?: () => number;
  } = {},
): WebSearch {
  // The index of this installation is never suspended: it works again as soon as its database does.
  const providers = all.map((provider) =>
    provider.tier === 'local' ? provider : suspendOnErrors(provider, options.now),
  );
  const probes = all.flatMap(({ name, probe }) => (probe === undefined ? [] : [[name, { probe }] as const]));
  return {
    search: async ({ queries, language, ...pages }, tier, signal, share) => {
      const pageOptions = { ...pages, share };
      const callerQueries = queries.map((query) => ({ query, language, angle: 'caller' as const }));
      const outcome = await searchPages(providersOf(providers, tier), callerQueries, pageOptions, signal);
      return { ...outcome, lists: withoutRepeats(outcome.lists, pageOptions.max_results) };
    },
    searchEach: async (queries, wanted, tier, signal) => {
      const chosen = providersOf(providers, tier);
      const outcome = await searchPages(chosen, queries, wanted, signal, options.queriesPerClaim?.());
      const cut = (list: SearchOutcome['lists'][number]) => ({
        ...list,
        pages: list.pages.slice(0, wanted.max_results),
      });
      return { ...outcome, lists: outcome.lists.map(cut) };
    },
    images: async (request, tier, signal) => {
      const { queries, max_results: count, country, safe_search: safeSearch, spellcheck } = request;
      const language = languageOf(request.language);
      const imageProviders = providersOf(providers, tier).filter(({ images }) => images !== undefined);
      if (imageProviders.length === 0)
        throw errors.service_unavailable({
          message: 'No provider that searches for pictures is set up here.',
        });
      const providerAnswers = await Promise.all(
        imageProviders.map((provider) =>
          askProvider<string, ImageHit>(provider, [...queries.entries()], async (query) => {
            const pictureQuery = { query, count, language, country, safeSearch, spellcheck };
            return (await provider.images?.(pictureQuery, signal)) ?? { ok: true, items: [] };
          }),
        ),
      );
      const hitsFor = (index: number) =>
        providerAnswers.flatMap(({ answers }) => (answers[index]?.ok === true ? [answers[index].items] : []));
      const lists = queries.map((query, index) => ({ query, lists: hitsFor(index) }));
      const results = mergePictures(lists, count);
      const reports = providerAnswers.map(reportOf);
      return { results, providers: reports, succeeded: reports.some(({ success }) => success) };
    },
    probes: Object.fromEntries(probes),
    close: async () => void (await Promise.all(all.map((provider) => provider.close()))),
  };
}
