import { readFileSync, writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import {
  matchPassages,
  type PassageMatch,
  type PreparedQuery,
  prepareQuery,
  type ScoringModels,
} from '../src/services/reranking/backends/packaged/passage-matching.ts';
import {
  type Fusion,
  fuse,
  fusionOf,
  type PassageScores,
  passageScores,
  type RankingWeights,
} from '../src/services/reranking/backends/packaged/ranking.ts';
import { DEFAULT_PASSAGES } from '../src/services/reranking/contract.ts';
import { createEncoder, type Encoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { hashText } from '../src/text/features.ts';
import { loadVocabulary } from '../src/text/vocabulary.ts';
import { withRange } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { calibrationError } from './metrics.ts';
import { askAll } from './reranking/candidates.ts';
import { type Example, fitFusion } from './reranking/fit.ts';
import { normalizedGain, reciprocalRank } from './reranking/metrics.ts';
import {
  type Asked,
  claimCollection,
  gradedCollection,
  inLongDocuments,
  topicQuestions,
  translationCollection,
} from './reranking/sets.ts';
import { DATA_FOLDER } from './rows.ts';

// Fits how the packaged reranker fuses words and meaning. Each half of the documents is measured with weights that were
// fitted on the other half; the shipped weights are fitted on both:
// npx tsx training/reranking.ts [data folder]

const CLAIMS = 1000;
const OTHERS = 600;
const LONG = 100;

const folder = process.argv[2] ?? DATA_FOLDER;
const parts = readEncoderParts();
const encoder = remembering(createEncoder(shareEncoder(parts, 1), 0));
const tools: ScoringModels = {
  encoder,
  gloss: parts.gloss,
  vocabulary: loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin'))),
};

/** Encodes each text once: candidates stand in many rows. */
function remembering(own: Encoder): Encoder {
  const known = new Map<string, ReturnType<Encoder['encode']>[number]>();
  return {
    ...own,
    encode: (sentences, language) =>
      sentences.flatMap((sentence) => {
        const key = `${language ?? own.languageOf(sentence)} ${sentence}`;
        const encoded = known.get(key) ?? own.encode([sentence], language)[0];
        if (encoded === undefined) return [];
        known.set(key, encoded);
        return [encoded];
      }),
  };
}

/** A query and its candidates as they were read. */
interface Row {
  readonly half: 0 | 1;
  readonly query: PreparedQuery;
  readonly documents: readonly (readonly PassageMatch[])[];
  readonly scores: readonly (readonly PassageScores[])[];
  readonly relevance: readonly number[];
}

function readRow({ query: text, candidates, group }: Asked): Row {
  const query = prepareQuery(tools, text);
  const documents = candidates.map(
    (candidate) => matchPassages(tools, query, candidate.text, DEFAULT_PASSAGES).passages,
  );
  return {
    half: hashText(group) % 2 === 0 ? 0 : 1,
    query,
    documents,
    scores: passageScores(query, documents),
    relevance: candidates.map(({ relevance }) => relevance),
  };
}

const ask = (collection: Parameters<typeof askAll>[0], most: number) =>
  askAll(collection, encoder, parts.gloss, most);
const claims = ask(claimCollection(folder), CLAIMS);
const fitted: Readonly<Record<string, readonly Asked[]>> = {
  'claims, English': claims,
  'sentences, English': ask(gradedCollection(folder, 'en', 'en'), OTHERS),
  'sentences, Romanian': ask(gradedCollection(folder, 'ro', 'ro'), OTHERS),
  'sentences, English asks Romanian': ask(gradedCollection(folder, 'en', 'ro'), OTHERS),
  'sentences, Romanian asks English': ask(gradedCollection(folder, 'ro', 'en'), OTHERS),
  'translations, English asks Romanian': ask(translationCollection(folder, 'en'), OTHERS),
  'translations, Romanian asks English': ask(translationCollection(folder, 'ro'), OTHERS),
};
const rows = new Map(Object.entries(fitted).map(([name, asked]) => [name, asked.map(readRow)]));

const pairOf = ({ query }: Row, passages: readonly PassageMatch[] = []): keyof RankingWeights =>
  query.language === passages[0]?.language ? query.language : 'across';

/** The best passage of each candidate; in every set those that answer weigh as much as the others. */
function examplesOf(pair: keyof RankingWeights, halves: readonly number[]): Example[] {
  return [...rows.values()].flatMap((set) => {
    const fitting = set.filter(({ half }) => halves.includes(half));
    const all = fitting.flatMap(({ relevance }) => relevance);
    const answering = all.filter((relevance) => relevance > 0).length;
    return fitting.flatMap((row) =>
      row.relevance.flatMap((relevance, index): Example[] => {
        if (pairOf(row, row.documents[index]) !== pair) return [];
        const passages = row.scores[index] ?? [];
        const [scores] = passages.toSorted((one, two) => two.lexical + two.cosine - one.lexical - one.cosine);
        if (scores === undefined) return [];
        const relevant = relevance > 0;
        return [{ scores, relevant, weight: 1 / (relevant ? answering : all.length - answering) }];
      }),
    );
  });
}

const fitOn = (...halves: number[]): RankingWeights => ({
  en: fitFusion(examplesOf('en', halves)),
  ro: fitFusion(examplesOf('ro', halves)),
  across: fitFusion(examplesOf('across', halves)),
});
const shipped = fitOn(0, 1);
/** By half: fitted on the other one. */
const measuring = [fitOn(1), fitOn(0)] as const;
writeFileSync(packageFile('models', 'reranker.json'), `${JSON.stringify(shipped, null, 2)}\n`);
console.log(shipped, measuring);

type Way = (scores: PassageScores, fusion: Fusion) => number;
const ways: Readonly<Record<string, Way>> = {
  words: ({ lexical }) => lexical,
  meaning: ({ cosine }) => cosine,
  both: (scores, fusion) => fuse(fusion, scores),
};
const rank = (row: Row, way: Way, weights: RankingWeights) =>
  row.documents.map((passages, document) =>
    passages.reduce((best, passage, index) => {
      const own = row.scores[document]?.[index] ?? { lexical: 0, cosine: 0 };
      return Math.max(best, way(own, fusionOf(weights, row.query, passage)));
    }, Number.NEGATIVE_INFINITY),
  );
const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);

function report(name: string, measured: readonly Row[], weights?: RankingWeights): void {
  const ranked = (row: Row, way: Way) => rank(row, way, weights ?? measuring[row.half]);
  console.log(`\n${name}: ${measured.length} queries`);
  const gains = new Map<string, number[]>();
  for (const [way, score] of Object.entries(ways)) {
    const own = measured.map((row) => ({ relevance: row.relevance, scores: ranked(row, score) }));
    gains.set(way, own.map(normalizedGain));
    console.log(
      `  ${way}: nDCG@10 ${withRange(own.map(normalizedGain), mean)}, MRR ${withRange(own.map(reciprocalRank), mean)}`,
    );
  }
  const alone = ['words', 'meaning'].map((way) => gains.get(way) ?? []);
  const better = alone.toSorted((one, two) => mean(two) - mean(one))[0] ?? [];
  const lead = (gains.get('both') ?? []).map((gain, index) => gain - (better[index] ?? 0));
  console.log(`  both less the better of the two: ${withRange(lead, mean)}`);
  const judged = measured.flatMap((row) =>
    ranked(row, (scores, fusion) => 1 / (1 + Math.exp(-fuse(fusion, scores)))).map((score, index) => ({
      score,
      truth: (row.relevance[index] ?? 0) > 0,
      group: '',
    })),
  );
  const relevant = judged.filter(({ truth }) => truth);
  // As many of the others, evenly taken: 0.5 is to mean that both are as likely.
  const step = (judged.length - relevant.length) / Math.max(1, relevant.length);
  const others = judged.filter(({ truth }) => !truth).filter((_, index) => index % step < 1);
  const error = calibrationError([...relevant, ...others]);
  console.log(`  calibration error, as many relevant as not: ${error.toFixed(3)}`);
}

for (const [name, set] of rows) report(name, set);
const isAcross = (name: string) => name.includes('asks');
const pairs: Readonly<Record<string, (name: string) => boolean>> = {
  English: (name) => name.endsWith(', English') && !isAcross(name),
  Romanian: (name) => name.endsWith(', Romanian'),
  'across languages': isAcross,
};
for (const [pair, belongs] of Object.entries(pairs)) {
  const sets = [...rows].filter(([name]) => belongs(name));
  report(
    `all sets, ${pair}`,
    sets.flatMap(([, set]) => set),
  );
}
report('pages, English', inLongDocuments(claims.slice(0, LONG)).map(readRow));
for (const [from, to] of [
  ['en', 'en'],
  ['ro', 'ro'],
  ['en', 'ro'],
  ['ro', 'en'],
] as const)
  report(`topics of our own, ${from} asks ${to}`, topicQuestions(from, to).map(readRow), shipped);
