/**
 * How many sources searching finds by one query for a claim, and by several angles: npx tsx training/query-angles.ts [data folder] [claims].
 * Search servers on loopback stand in for SearXNG and Wikipedia. They hold the evidence of all claims; one takes pages that have any word of
 * a query, one those that have two thirds of its words, one those that have all of them, as Wikipedia's search does.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packageFile } from '../src/foundation/files.ts';
import { candidatesOf } from '../src/services/web/gather/candidates.ts';
import { queriesFor } from '../src/services/web/gather/queries.ts';
import { createSearxng } from '../src/services/web/search/providers/searxng.ts';
import { createWikipedia } from '../src/services/web/search/providers/wikipedia.ts';
import { createWebSearch, type WebSearch } from '../src/services/web/search/search.ts';
import { foldGlossWord, stemOf } from '../src/text/encoder/gloss.ts';
import { englishStem } from '../src/text/statement/stems.ts';
import { withRange } from './encoder/evaluation.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';

const [FOLDER = DATA_FOLDER, COUNT = '600'] = process.argv.slice(2);
/** What a search server takes for an answer: loopback alone would only measure our own processor. */
const DELAY_MS = 150;
const MOST_RESULTS = 10;
/** Words that search engines leave out of a query. Not those of the product: other hands wrote other lists. */
const STOP_WORDS = new Set(
  'a an and are as at be by for from has in is it its of on that the to was were will with this they not or o un si de la in cu pe din este sunt a al ale ca care se nu'.split(
    ' ',
  ),
);

const wordsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map(foldGlossWord)
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => (englishStem(word) === word ? stemOf(word) : englishStem(word)));

/** BM25 over texts; the best that have at least this share of a query's words. */
function createEngine(texts: readonly string[]) {
  const postings = new Map<string, Map<number, number>>();
  const lengths = texts.map((text, index) => {
    const words = wordsOf(text);
    for (const word of words) {
      const list = postings.get(word) ?? new Map<number, number>();
      list.set(index, (list.get(index) ?? 0) + 1);
      postings.set(word, list);
    }
    return words.length;
  });
  const average = lengths.reduce((sum, one) => sum + one, 0) / texts.length;
  return (query: string, share: number): number[] => {
    const words = [...new Set(wordsOf(query))];
    const found = new Map<number, { score: number; words: number }>();
    for (const word of words) {
      const list = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (texts.length - list.size + 0.5) / (list.size + 0.5));
      for (const [index, times] of list) {
        const length = 1.2 * (0.25 + (0.75 * (lengths[index] ?? 0)) / average);
        const one = found.get(index) ?? { score: 0, words: 0 };
        found.set(index, {
          score: one.score + (rarity * times * 2.2) / (times + length),
          words: one.words + 1,
        });
      }
    }
    return [...found]
      .filter(([, one]) => one.words >= share * words.length)
      .sort(([, one], [, other]) => other.score - one.score)
      .slice(0, MOST_RESULTS)
      .map(([index]) => index);
  };
}

interface Case {
  readonly claim: string;
  readonly sources: readonly string[];
}

/** Claims with the evidence that people found for them. */
const english: Case[] = shuffled(
  readRows<{ claim: string; evidence: string }>(FOLDER, 'claim_evidence').map(({ claim, evidence }) => ({
    ...{ claim, sources: [evidence] },
  })),
  11,
);
interface Starter {
  readonly wordings: { readonly ro: readonly string[] };
  readonly sources: readonly { readonly title: string; readonly passage?: string }[];
}
/** Romanian wordings of the starter set, with its sources, nearly all of them in English. */
const romanian: Case[] = readFileSync(packageFile('data', 'evidence', 'starter', 'claims.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Starter)
  .flatMap(({ wordings, sources }) =>
    wordings.ro.slice(0, 3).map((claim) => ({
      claim,
      sources: sources.map(({ title, passage }) => `${title}. ${passage ?? ''}`),
    })),
  );

const texts = [...new Set([...english, ...romanian].flatMap(({ sources }) => sources))];
const engine = createEngine(texts);
let asked = 0;

/** One server for both interfaces; the path says which share of the words it wants. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x.invalid');
  asked++;
  const [, wanted = '0'] = pathname.split('/');
  const found = engine(searchParams.get('q') ?? searchParams.get('srsearch') ?? '', Number(wanted));
  const body = searchParams.has('srsearch')
    ? { query: { search: found.map((index) => ({ title: `${index}`, snippet: '' })) } }
    : { results: found.map((index) => ({ url: `https://${index}.example/`, title: `${index}` })) };
  setTimeout(() => response.end(JSON.stringify(body)), DELAY_MS);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const options = (share: number) => ({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${share}`,
  ...{ userAgent: 'Limpede/training', timeoutMs: 10_000 },
});

const wanted = {
  ...{ max_results: MOST_RESULTS, site_allowlist: [], site_blocklist: [], country: 'US', freshness: null },
  safe_search: 'moderate' as const,
};
const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** The share of the sources of each claim that are among its candidates, with requests and time. */
async function measure(search: WebSearch, cases: readonly Case[], angles: readonly string[]) {
  const [shares, times]: [number[], number[]] = [[], []];
  asked = 0;
  for (const { claim, sources } of cases) {
    const queries = queriesFor(claim).filter(({ angle }) => angles.length === 0 || angles.includes(angle));
    const startedAt = performance.now();
    const { lists } = await search.searchEach(queries, wanted, 'free', new AbortController().signal);
    times.push(performance.now() - startedAt);
    const titles = candidatesOf(lists, MOST_RESULTS).map(({ page }) => texts[Number(page.title)]);
    shares.push(sources.filter((source) => titles.includes(source)).length / sources.length);
  }
  return {
    shares,
    requests: asked / cases.length,
    ms: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0,
  };
}

const BEFORE = ['sentence', 'translation'];
const servers: [string, WebSearch][] = [
  ['SearXNG, any word', createWebSearch([createSearxng(options(0))])],
  ['SearXNG, two thirds of the words', createWebSearch([createSearxng(options(0.66))])],
  ['Wikipedia, every word', createWebSearch([createWikipedia(options(1))])],
];
const sets: [string, Case[]][] = [
  ['English', english.slice(0, Number(COUNT))],
  ['Romanian', romanian.slice(0, Number(COUNT))],
];
for (const [language, cases] of sets)
  for (const [name, search] of servers) {
    const before = await measure(search, cases, BEFORE);
    const after = await measure(search, cases, []);
    const gains = after.shares.map((share, index) => share - (before.shares[index] ?? 0));
    console.log(`${language}, ${cases.length} claims, ${name}`);
    for (const [way, { shares, requests, ms }] of Object.entries({ before, after }))
      console.log(
        `  ${way}: recall ${withRange(shares, mean)}, ${requests.toFixed(1)} requests, median ${ms.toFixed(0)} ms`,
      );
    console.log(`  gain: ${withRange(gains, mean)}`);
  }
for (const [, search] of servers) await search.close();
server.close();
