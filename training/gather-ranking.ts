import { readFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import {
  matchPassages,
  prepareQuery,
  type ScoringModels,
} from '../src/services/reranking/backends/packaged/passage-matching.ts';
import {
  fuse,
  fusionOf,
  passageScores,
  type RankingWeights,
} from '../src/services/reranking/backends/packaged/ranking.ts';
import { DEFAULT_PASSAGES } from '../src/services/reranking/contract.ts';
import { rankSources } from '../src/services/web/gather/relevance.ts';
import type { Source } from '../src/services/web/gather/source.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { loadVocabulary } from '../src/text/vocabulary.ts';
import { withRange } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { askAll } from './reranking/candidates.ts';
import { normalizedGain } from './reranking/metrics.ts';
import {
  type Asked,
  type Collection,
  claimCollection,
  gradedCollection,
  topicQuestions,
  translationCollection,
} from './reranking/sets.ts';
import { DATA_FOLDER, shuffled } from './rows.ts';

// How well gathering ranks sources by its own score, by the packaged reranker, and by both:
// npx tsx training/gather-ranking.ts [queries of each set] [words in the names of the sets]

const [MOST, WANTED] = [Number(process.argv[2] ?? 100), process.argv[3] ?? ''];
const parts = readEncoderParts();
const packaged = createEncoder(shareEncoder(parts, 1), 0);
/** Sentences are asked for again and again: each is encoded once. */
const known = new Map<string, ReturnType<typeof packaged.encode>[number]>();
const encoder: typeof packaged = {
  ...packaged,
  encode: (sentences, language) =>
    sentences.map((sentence) => {
      const key = `${language} ${sentence}`;
      const encoded =
        known.get(key) ??
        (packaged.encode([sentence], language)[0] as ReturnType<typeof packaged.encode>[number]);
      known.set(key, encoded);
      return encoded;
    }),
};
const tools: ScoringModels = {
  encoder,
  gloss: parts.gloss,
  vocabulary: loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin'))),
};
const weights: RankingWeights = JSON.parse(readFileSync(packageFile('models', 'reranker.json'), 'utf8'));
const textEncoder = {
  encode: async (texts: readonly string[]) => texts.map((text) => encoder.encode([text])[0]?.vector ?? null),
};

const sourceOf = (text: string, index: number): Source => ({
  ...{ url: `https://${index}.example/`, canonicalUrl: null, title: '', publisher: null, language: null },
  ...{
    published_at: null,
    retrieved_at: '',
    text,
    indexPassages: [],
    textHash: String(index),
    method: 'http',
    chain: [],
  },
  ...{ providers: [], query: '', origin: null, review: null, similarity: null },
});

/** The score of each candidate as gathering gives it. */
async function fused({ query, candidates }: Asked): Promise<number[]> {
  const sources = candidates.map(({ text }, index) => sourceOf(text, index));
  const ranked = await rankSources(query, sources, textEncoder, new AbortController().signal);
  const scores = new Map(ranked.map(({ source, passages }) => [source.textHash, passages[0]?.score ?? 0]));
  return candidates.map((_, index) => scores.get(String(index)) ?? 0);
}

/** The relevance of each candidate as the packaged reranker says it, 0 to 1. */
function reranked({ query: text, candidates }: Asked): number[] {
  const query = prepareQuery(tools, text);
  const documents = candidates.map((one) => matchPassages(tools, query, one.text, DEFAULT_PASSAGES).passages);
  const scores = passageScores(query, documents);
  return documents.map((passages, document) =>
    passages.reduce((best, passage, index) => {
      const own = scores[document]?.[index] ?? { lexical: 0, cosine: 0 };
      return Math.max(best, 1 / (1 + Math.exp(-fuse(fusionOf(weights, query, passage), own))));
    }, 0),
  );
}

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
/** Other texts that candidates are taken from: more change the figures little and cost minutes. */
const SHELF = 1500;

/** The first needs of a collection, with their answers among some of its texts. */
function ask({ needs, texts }: Collection): Asked[] {
  const chosen = shuffled(needs, 5).slice(0, MOST);
  const others = shuffled([...texts], 7).slice(0, SHELF);
  const answers = chosen.flatMap((need) => [...need.answers.keys()]);
  const shelf = new Map([...others, ...answers.map((text) => [text, texts.get(text) ?? ''] as const)]);
  return askAll({ needs: chosen, texts: shelf }, encoder, parts.gloss, MOST);
}

interface Starter {
  readonly id: string;
  readonly claim: Readonly<Record<'en' | 'ro', string>>;
  readonly sources: readonly { readonly passage?: string }[];
}

/** Claims of the starter set with the passages of their sources, nearly all English: nothing was fitted on them. */
function starterCollection(language: 'en' | 'ro'): Collection {
  const file = packageFile('data', 'evidence', 'starter', 'claims.jsonl');
  const claims = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Starter)
    .map(({ sources, ...claim }) => ({
      ...claim,
      passages: sources.flatMap(({ passage }) => passage ?? []),
    }));
  return {
    needs: claims
      .filter(({ passages }) => passages.length > 0)
      .map(({ id, claim, passages }) => ({
        ...{ query: claim[language], group: id, answers: new Map(passages.map((text) => [text, 1])) },
      })),
    texts: new Map(claims.flatMap(({ id, passages }) => passages.map((text) => [text, id] as const))),
  };
}

const sets: Readonly<Record<string, () => readonly Asked[]>> = {
  'claims, English': () => ask(claimCollection(DATA_FOLDER)),
  'sentences, Romanian': () => ask(gradedCollection(DATA_FOLDER, 'ro', 'ro')),
  'sentences, Romanian asks English': () => ask(gradedCollection(DATA_FOLDER, 'ro', 'en')),
  'translations, Romanian asks English': () => ask(translationCollection(DATA_FOLDER, 'ro')),
  'topics of our own, en asks en': () => topicQuestions('en', 'en'),
  'topics of our own, ro asks ro': () => topicQuestions('ro', 'ro'),
  'topics of our own, ro asks en': () => topicQuestions('ro', 'en'),
  'starter set, English': () => ask(starterCollection('en')),
  'starter set, Romanian': () => ask(starterCollection('ro')),
};
/** Bounds from which a source counts as evidence, and where gathering draws its own. */
const BOUNDS = [0.2, 0.25, 0.3, 0.35, 0.4];

/** The share of candidates of one kind at or above each bound. */
function keptShares(scores: readonly number[]): string {
  const kept = (bound: number) =>
    scores.filter((score) => score >= bound).length / Math.max(1, scores.length);
  return BOUNDS.map((bound) => `${bound}: ${kept(bound).toFixed(3)}`).join(', ');
}

for (const [name, read] of Object.entries(sets)) {
  if (!name.includes(WANTED)) continue;
  const questions = read();
  const scored: Record<'relevant' | 'irrelevant', number[]> = { relevant: [], irrelevant: [] };
  const gains: Record<'fused' | 'reranked' | 'both', number[]> = { fused: [], reranked: [], both: [] };
  for (const question of questions) {
    const relevance = question.candidates.map((one) => one.relevance);
    const [own, other] = [await fused(question), reranked(question)];
    gains.fused.push(normalizedGain({ relevance, scores: own }));
    gains.reranked.push(normalizedGain({ relevance, scores: other }));
    const both = own.map((score, index) => (score + (other[index] ?? 0)) / 2);
    gains.both.push(normalizedGain({ relevance, scores: both }));
    for (const [index, score] of both.entries())
      scored[(relevance[index] ?? 0) > 0 ? 'relevant' : 'irrelevant'].push(score);
  }
  console.log(`${name}: ${questions.length} queries`);
  for (const [way, list] of Object.entries(gains)) console.log(`  ${way}: nDCG@10 ${withRange(list, mean)}`);
  const lead = gains.both.map((gain, index) => gain - (gains.fused[index] ?? 0));
  console.log(`  both less fused: ${withRange(lead, mean)}`);
  for (const [kind, scores] of Object.entries(scored))
    console.log(`  ${kind}, ${scores.length}: kept from ${keptShares(scores)}`);
}
