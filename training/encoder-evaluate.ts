import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { glossText } from '../src/text/encoder/gloss.ts';
import { readList, readModelFile } from '../src/text/encoder/model-file.ts';
import { createTokenizer, vocabularySchema } from '../src/text/encoder/tokenizer.ts';
import { FeatureHasher } from '../src/text/features.ts';
import {
  firstHits,
  type Graded,
  type Language,
  readLines,
  spearman,
  uniquePairs,
  withRange,
} from './encoder/evaluation.ts';
import { englishWords, type Pair } from './encoder/gloss-table.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { DATA_FOLDER } from './rows.ts';

// Measures the encoder in both languages on the development parts: npx tsx training/encoder-evaluate.ts [data folder]

const folder = process.argv[2] ?? DATA_FOLDER;
const pairs = uniquePairs(readLines<Pair>(folder, 'parallel', 'dev.jsonl.gz'));
const graded = readLines<Graded>(folder, 'sts', 'dev.jsonl.gz');
const parts = readEncoderParts();
const encoder = createEncoder(shareEncoder(parts, 1), 0);

type Vector = ArrayLike<number>;
/** Turns texts of one language into vectors whose product is their nearness. */
type Method = (texts: readonly string[], language: Language) => readonly Vector[];

function dot(one: Vector, two: Vector): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (two[index] ?? 0);
  return sum;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

const english = (text: string, language: Language) =>
  language === 'en'
    ? text
    : glossText(parts.gloss, text)
        .map((part) => part.english)
        .join('');

const encoded: Method = (texts, language) =>
  encoder.encode(texts, language).map(({ vector }) => vector ?? new Float32Array(512));
/** Without the student: what it added is taken away again by encoding the English words. */
const glossed: Method = (texts, language) =>
  encoded(
    texts.map((text) => english(text, language)),
    'en',
  );
const hasher = new FeatureHasher(20);
/** Words and runs of 3 to 5 characters, hashed: places with their values. */
function hashed(texts: readonly string[], language: Language): Map<number, number>[] {
  return texts.map((text) => {
    const words = englishWords(english(text, language));
    hasher.countWords(words, 1, 1);
    hasher.countCharacters(` ${words.join(' ')} `, 3, 5);
    const { indices, values } = hasher.finish();
    return new Map([...indices].map((index, at) => [index, values[at] ?? 0]));
  });
}

/** Products of each vector with all others, by the places that they share. */
function sparseProducts(
  queries: readonly Map<number, number>[],
  others: readonly Map<number, number>[],
): Float64Array[] {
  const columns = new Map<number, [row: number, value: number][]>();
  others.forEach((vector, row) => {
    for (const [place, value] of vector) {
      const column = columns.get(place) ?? [];
      column.push([row, value]);
      columns.set(place, column);
    }
  });
  return queries.map((vector) => {
    const sums = new Float64Array(others.length);
    for (const [place, value] of vector) {
      for (const [row, other] of columns.get(place) ?? []) sums[row] = (sums[row] ?? 0) + value * other;
    }
    return sums;
  });
}

const file = readModelFile(parts.english, vocabularySchema);
const tokenizer = createTokenizer(file.header);
const table = new Int8Array(readList(file, 'pieces'));
const scales = new Float32Array(readList(file, 'piece_scales'));
/** The mean of the encoder's own piece vectors, before any layer. */
const averaged: Method = (texts, language) =>
  texts.map((text) => {
    const sum = new Float32Array(256);
    for (const { id } of tokenizer.tokenize(english(text, language), 128).pieces) {
      for (let at = 0; at < 256; at++)
        sum[at] = (sum[at] ?? 0) + (table[id * 256 + at] ?? 0) * (scales[id] ?? 0);
    }
    return unit(sum);
  });

/** BM25 (k1 1.2, b 0.75) of each query against all documents. */
function bm25(
  queries: readonly (readonly string[])[],
  documents: readonly (readonly string[])[],
): Float64Array[] {
  const places = new Map<string, Map<number, number>>();
  documents.forEach((words, document) => {
    for (const word of words) {
      const counts = places.get(word) ?? new Map<number, number>();
      counts.set(document, (counts.get(document) ?? 0) + 1);
      places.set(word, counts);
    }
  });
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  return queries.map((words) => {
    const scores = new Float64Array(documents.length);
    for (const word of words) {
      const counts = places.get(word);
      if (counts === undefined) continue;
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [document, count] of counts) {
        const length = 0.25 + (0.75 * (documents[document]?.length ?? 0)) / mean;
        scores[document] = (scores[document] ?? 0) + (rarity * count * 2.2) / (count + 1.2 * length);
      }
    }
    return scores;
  });
}

const share = (hits: readonly boolean[]) => hits.filter(Boolean).length / hits.length;
const grades = (rows: readonly { score: number; near: number }[]) =>
  spearman(
    rows.map(({ near }) => near),
    rows.map(({ score }) => score),
  );
/** English sentence by its Romanian translation, for the similarity across languages. */
const englishOf = new Map(readLines<Pair>(folder, 'parallel', 'dev.jsonl.gz').map(({ en, ro }) => [ro, en]));

interface Asked {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly languages: readonly [Language, Language];
  readonly scores: readonly number[];
}
function asked(language: Language): Asked {
  const rows = graded.filter(({ lang }) => lang === language);
  return {
    a: rows.map(({ a }) => a),
    b: rows.map(({ b }) => b),
    languages: [language, language],
    scores: rows.map(({ score }) => score),
  };
}
const across = graded.filter(({ lang, a }) => lang === 'ro' && englishOf.has(a));
const similarityTasks: Readonly<Record<string, Asked>> = {
  English: asked('en'),
  Romanian: asked('ro'),
  'English with Romanian': {
    a: across.map(({ a }) => englishOf.get(a) ?? ''),
    b: across.map(({ b }) => b),
    languages: ['en', 'ro'],
    scores: across.map(({ score }) => score),
  },
};
const groups = {
  'RO-STS': pairs.filter(({ source }) => source === 'RO-STS-parallel'),
  'news, encyclopedia, film': pairs.filter(({ source }) => source !== 'RO-STS-parallel'),
};

function report(
  name: string,
  similarity: (task: Asked) => readonly number[],
  scores: (
    queries: readonly string[],
    from: Language,
    documents: readonly string[],
    to: Language,
  ) => readonly Vector[],
): void {
  console.log(`\n${name}`);
  for (const [task, rows] of Object.entries(similarityTasks)) {
    const near = similarity(rows);
    const figure = withRange(
      rows.scores.map((score, index) => ({ score, near: near[index] ?? 0 })),
      grades,
    );
    console.log(`  similarity, ${task}, ${rows.scores.length} pairs: ${figure}`);
  }
  for (const [group, some] of Object.entries(groups)) {
    const [en, ro] = [some.map((pair) => pair.en), some.map((pair) => pair.ro)];
    const asks = firstHits(scores(en, 'en', ro, 'ro'));
    const answers = firstHits(scores(ro, 'ro', en, 'en'));
    console.log(
      `  first hit, ${group}, ${some.length}: English asked ${withRange(asks, share)}, Romanian asked ${withRange(answers, share)}`,
    );
  }
}

function reportVectors(name: string, method: Method): void {
  report(
    name,
    ({ a, b, languages }) => {
      const two = method(b, languages[1]);
      return method(a, languages[0]).map((vector, index) => dot(vector, two[index] ?? []));
    },
    (queries, from, documents, to) => {
      const others = method(documents, to);
      return method(queries, from).map((vector) => Float64Array.from(others, (other) => dot(vector, other)));
    },
  );
}

reportVectors('Encoder: gloss and student', encoded);
reportVectors('Encoder, gloss alone', glossed);
reportVectors('Averaged word vectors, over the gloss', averaged);
const words = (texts: readonly string[], language: Language) =>
  texts.map((text) => englishWords(english(text, language)));
report(
  'BM25, over the gloss',
  ({ a, b, languages }) =>
    bm25(words(a, languages[0]), words(b, languages[1])).map((row, index) => row[index] ?? 0),
  (queries, from, documents, to) => bm25(words(queries, from), words(documents, to)),
);
report(
  'Hashed words and characters, over the gloss',
  ({ a, b, languages }) =>
    sparseProducts(hashed(a, languages[0]), hashed(b, languages[1])).map((row, index) => row[index] ?? 0),
  (queries, from, documents, to) => sparseProducts(hashed(queries, from), hashed(documents, to)),
);
