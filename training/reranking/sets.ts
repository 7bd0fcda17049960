import { readFileSync } from 'node:fs';
import { readLines } from '../encoder/evaluation.ts';

/** A query with its candidates; `relevant` says how well each answers it, 0 (not at all) to 1. */
export interface Asked {
  readonly query: string;
  readonly candidates: readonly { readonly text: string; readonly relevance: number }[];
  /** Rows of one document, or that share a sentence, have one group: all of it trains, or all of it measures. */
  readonly group: string;
}

/** A query with the texts that answer it, before others are chosen to stand beside them. */
export interface Need {
  readonly query: string;
  readonly answers: ReadonlyMap<string, number>;
  readonly group: string;
}

/** Needs, and the texts from which the candidates come, each with its group. */
export interface Collection {
  readonly needs: readonly Need[];
  readonly texts: ReadonlyMap<string, string>;
}

interface ClaimRow {
  readonly claim: string;
  readonly evidence: string;
}
interface GradedRow {
  readonly a: string;
  readonly b: string;
  readonly score: number;
  readonly lang: 'en' | 'ro';
}
interface PairRow {
  readonly en: string;
  readonly ro: string;
  readonly source: string;
}

/** Sets that are joined when something stands in both. */
class Groups {
  private readonly parents = new Map<string, string>();

  of(item: string): string {
    let root = item;
    for (let parent = this.parents.get(root); parent !== undefined; parent = this.parents.get(root))
      root = parent;
    if (root !== item) this.parents.set(item, root);
    return root;
  }

  join(one: string, two: string): void {
    const [first, second] = [this.of(one), this.of(two)];
    if (first !== second) this.parents.set(second, first);
  }
}

/** Words that a sentence needs to tell where it is from. */
const TELLING_WORDS = 5;

/** English claims and the passages that were found to speak for or against them. */
export function claimCollection(folder: string): Collection {
  const rows = readLines<ClaimRow>(folder, 'claim_evidence', 'train.jsonl.gz');
  const groups = new Groups();
  for (const { claim, evidence } of rows) {
    groups.join(claim, evidence);
    for (const sentence of evidence.split(/(?<= [.!?]) /))
      if (sentence.split(' ').length >= TELLING_WORDS) groups.join(evidence, `sentence ${sentence}`);
  }
  const answers = new Map<string, Map<string, number>>();
  for (const { claim, evidence } of rows) {
    const own = answers.get(claim) ?? new Map<string, number>();
    answers.set(claim, own.set(evidence, 1));
  }
  return {
    needs: [...answers].map(([query, own]) => ({ query, answers: own, group: groups.of(query) })),
    texts: new Map(rows.map(({ evidence }) => [evidence, groups.of(evidence)])),
  };
}

/** Likeness from which a sentence answers another, and the highest of the scale. */
const LEAST_SCORE = 3;
const HIGHEST_SCORE = 5;

/**
 * Graded pairs of sentences: the first asks, the second answers as well as people said. `from` and `to` name the languages; for
 * two languages one side is replaced by its translation.
 */
export function gradedCollection(folder: string, from: 'en' | 'ro', to: 'en' | 'ro'): Collection {
  const rows = readLines<GradedRow>(folder, 'sts', 'dev.jsonl.gz');
  const pairs = readLines<PairRow>(folder, 'parallel', 'dev.jsonl.gz');
  const english = new Map(pairs.map(({ en, ro }) => [ro, en]));
  const inLanguage = (text: string, language: 'en' | 'ro') => (language === 'ro' ? text : english.get(text));
  const same = from === to;
  const own = rows.filter(({ lang }) => lang === (same ? from : 'ro'));
  const groups = new Groups();
  for (const { a, b } of own) groups.join(a, b);
  const needs: Need[] = [];
  const texts = new Map<string, string>();
  for (const { a, b, score } of own) {
    const query = same ? a : inLanguage(a, from);
    const answer = same ? b : inLanguage(b, to);
    if (query === undefined || answer === undefined || query === answer) continue;
    texts.set(answer, groups.of(b));
    if (score < LEAST_SCORE) continue;
    needs.push({ query, answers: new Map([[answer, score / HIGHEST_SCORE]]), group: groups.of(a) });
  }
  return { needs, texts };
}

/** Sentences of news, encyclopedia and film that ask for their translations. */
export function translationCollection(folder: string, from: 'en' | 'ro'): Collection {
  const rows = readLines<PairRow>(folder, 'parallel', 'dev.jsonl.gz').filter(
    ({ source }) => source !== 'RO-STS-parallel',
  );
  const to = from === 'en' ? 'ro' : 'en';
  return {
    needs: rows.map((row) => ({ query: row[from], answers: new Map([[row[to], 1]]), group: row.en })),
    texts: new Map(rows.map((row) => [row[to], row.en])),
  };
}

/** Passages around each candidate of a long document. */
const PASSAGES_AROUND = 4;

/** The same questions, each candidate within a page of passages that answer other questions; twenty candidates each. */
export function inLongDocuments(questions: readonly Asked[]): Asked[] {
  const filling = questions.map(({ candidates }) => candidates.map(({ text }) => text));
  return questions.map(({ query, group, candidates }, index) => {
    const own = candidates.filter(({ relevance }) => relevance > 0);
    const others = candidates.filter(({ relevance }) => relevance === 0).slice(0, 20 - own.length);
    const pageOf = (text: string, place: number) => {
      const from = filling[(index + 1 + place) % filling.length] ?? [];
      const around = from.slice(place % 20, (place % 20) + PASSAGES_AROUND);
      const at = (index + place) % (PASSAGES_AROUND + 1);
      return [...around.slice(0, at), text, ...around.slice(at)].join('\n\n');
    };
    const pages = [...own, ...others].map(({ text, relevance }, place) => ({
      text: pageOf(text, place),
      relevance,
    }));
    return { query, group, candidates: pages };
  });
}

type BothLanguages = Readonly<Record<'en' | 'ro', string>>;
interface Topic {
  readonly claim: BothLanguages;
  readonly passage: BothLanguages;
  readonly beside: BothLanguages;
}

/** The claims of topics.json; all its passages are candidates of each. */
export function topicQuestions(from: 'en' | 'ro', to: 'en' | 'ro'): Asked[] {
  const file = readFileSync(new URL('topics.json', import.meta.url), 'utf8');
  const { topics } = JSON.parse(file) as { topics: Topic[] };
  return topics.map(({ claim }, own) => ({
    query: claim[from],
    group: claim.en,
    candidates: topics.flatMap(({ passage, beside }, index) => [
      { text: passage[to], relevance: index === own ? 1 : 0 },
      { text: beside[to], relevance: 0 },
    ]),
  }));
}
