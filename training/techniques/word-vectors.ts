import { tokenise } from '../../src/services/analysis/engines/techniques/tokens.ts';
import { WordTable } from '../../src/services/analysis/engines/techniques/word-table.ts';
import { hashText } from '../../src/text/features.ts';
import { randomFrom, readRows } from './rows.ts';

const dimensions = 48;
const leastCount = 6;
const largestVocabulary = 20_000;
const window = 4;
const negatives = 5;
const epochs = 3;
const clusterCount = 500;

interface TextRow {
  readonly id: string;
  readonly text: string;
  readonly title?: string;
  readonly label?: unknown;
  readonly labels?: readonly string[];
  readonly lang?: string;
  readonly score?: number;
}

/** One lexicon: how strongly a word goes with texts of a kind, as texts with a yes or no. */
interface Lexicon {
  readonly name: string;
  readonly texts: readonly { readonly words: readonly string[]; readonly yes: boolean }[];
}

/** Learns word clusters and word scores from unlabelled text and from neighbouring tasks. */
export function learnWords(folder: string, log: (line: string) => void): WordTable {
  const read = (name: string) =>
    readRows<TextRow>(`${folder}/${name}/train.jsonl.gz`).filter((row) => (row.lang ?? 'en') === 'en');
  const sets = [
    'techniques',
    'hyperpartisan',
    'toxicity',
    'emotion',
    'sentiment',
    'clickbait',
    'ai_text',
    'checkworthy',
    'fallacy_climate',
    'fallacy_comments',
  ];
  const data = new Map(sets.map((name) => [name, read(name).map((row) => ({ row, words: wordsOf(row) }))]));
  const sentences = [...data.values()].flat().map(({ words }) => words);
  const vocabulary = vocabularyOf(sentences);
  log(`words: ${vocabulary.length} of ${sentences.reduce((sum, words) => sum + words.length, 0)} tokens`);
  const vectors = skipGram(sentences, vocabulary);
  const clusters = kMeans(vectors, vocabulary.length);
  showClusters(vocabulary, clusters, log);
  const lexicons = lexiconsFrom((name) => data.get(name) ?? []);
  const steps = new Uint8Array(vocabulary.length * lexicons.length);
  lexicons.forEach((lexicon, column) => {
    const scores = scoreWords(lexicon, vocabulary);
    log(`lexicon ${lexicon.name}: ${extremes(vocabulary, scores)}`);
    scores.forEach((score, row) => {
      steps[row * lexicons.length + column] = Math.max(1, Math.min(7, Math.round(score / 1.5) + 4));
    });
  });
  return new WordTable(
    Uint32Array.from(vocabulary, (word) => hashText(word)),
    clusters,
    steps,
  );
}

function wordsOf(row: TextRow): string[] {
  return tokenise(`${row.title ?? ''} ${row.text}`).flatMap((token) =>
    token.form === '\n' ? [] : [token.form],
  );
}

type Read = (name: string) => readonly { readonly row: TextRow; readonly words: readonly string[] }[];

function lexiconsFrom(read: Read): Lexicon[] {
  const from = (name: string, set: string, yes: (row: TextRow) => boolean | undefined): Lexicon => ({
    name,
    texts: read(set).flatMap(({ row, words }) => {
      const answer = yes(row);
      return answer === undefined ? [] : [{ words, yes: answer }];
    }),
  });
  const feels =
    (...names: string[]) =>
    (row: TextRow) =>
      names.some((name) => row.labels?.includes(name) ?? false);
  return [
    from('negative', 'sentiment', (row) => (row.score === undefined ? undefined : row.score < 0)),
    from('anger or disgust', 'emotion', feels('anger', 'disgust')),
    from('fear', 'emotion', feels('fear')),
    from('offence', 'toxicity', (row) => row.label !== 'neither'),
    from(
      'hyperpartisan',
      'hyperpartisan',
      (row) => row.label === true || row.label === 1 || row.label === 'hyperpartisan' || row.label === 'true',
    ),
    from('clickbait', 'clickbait', (row) => row.label === 'clickbait'),
  ];
}

/** Log-odds with an informative prior, as z scores (Monroe, Colaresi, Quinn 2008). */
function scoreWords(lexicon: Lexicon, vocabulary: readonly string[]): Float64Array {
  const counts = [new Map<string, number>(), new Map<string, number>()];
  const totals = [0, 0];
  for (const text of lexicon.texts) {
    const side = text.yes ? 1 : 0;
    for (const word of new Set(text.words)) {
      counts[side]?.set(word, (counts[side]?.get(word) ?? 0) + 1);
      totals[side] = (totals[side] ?? 0) + 1;
    }
  }
  const [no = 0, yes = 0] = totals;
  return Float64Array.from(vocabulary, (word) => {
    const [n, y] = [counts[0]?.get(word) ?? 0, counts[1]?.get(word) ?? 0];
    const prior = (10 * (n + y + 0.5)) / (no + yes);
    const delta =
      Math.log((y + prior) / (yes + 10 - y - prior)) - Math.log((n + prior) / (no + 10 - n - prior));
    return n + y === 0 ? 0 : delta / Math.sqrt(1 / (y + prior + 0.5) + 1 / (n + prior + 0.5));
  });
}

function extremes(vocabulary: readonly string[], scores: Float64Array): string {
  const order = Array.from(scores.keys()).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return order
    .slice(0, 15)
    .map((row) => vocabulary[row])
    .join(' ');
}

function vocabularyOf(sentences: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const words of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= leastCount)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, largestVocabulary)
    .map(([word]) => word);
}

/** Skip-gram with negative sampling (Mikolov et al. 2013), one pass after another, no threads. */
function skipGram(sentences: readonly (readonly string[])[], vocabulary: readonly string[]): Float32Array {
  const random = randomFrom(7);
  const rows = new Map(vocabulary.map((word, row) => [word, row]));
  const counts = new Float64Array(vocabulary.length);
  const encoded = sentences.map((words) => Int32Array.from(words.flatMap((word) => rows.get(word) ?? [])));
  for (const words of encoded) for (const row of words) counts[row] = (counts[row] ?? 0) + 1;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const noise = noiseTable(counts);
  const vectors = Float32Array.from(
    { length: vocabulary.length * dimensions },
    () => (random() - 0.5) / dimensions,
  );
  const contexts = new Float32Array(vocabulary.length * dimensions);
  const keep = counts.map((count) => Math.min(1, Math.sqrt((1e-4 * total) / count)));
  let seen = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (const words of encoded) {
      const rate = 0.05 * Math.max(0.02, 1 - seen / (epochs * total));
      seen += words.length;
      const kept = words.filter((row) => random() < (keep[row] ?? 1));
      trainWindow(kept, vectors, contexts, noise, rate, random);
    }
  }
  return vectors;
}

function noiseTable(counts: Float64Array): Int32Array {
  const size = 1 << 20;
  const table = new Int32Array(size);
  const powers = counts.map((count) => count ** 0.75);
  const total = powers.reduce((sum, power) => sum + power, 0);
  let [row, reached] = [0, (powers[0] ?? 0) / total];
  for (let index = 0; index < size; index += 1) {
    table[index] = row;
    if (index / size > reached && row < counts.length - 1) reached += (powers[++row] ?? 0) / total;
  }
  return table;
}

function trainWindow(
  words: Int32Array,
  vectors: Float32Array,
  contexts: Float32Array,
  noise: Int32Array,
  rate: number,
  random: () => number,
): void {
  const change = new Float32Array(dimensions);
  for (let index = 0; index < words.length; index += 1) {
    const reach = 1 + Math.floor(random() * window);
    for (
      let other = Math.max(0, index - reach);
      other <= Math.min(words.length - 1, index + reach);
      other += 1
    ) {
      if (other === index) continue;
      const base = (words[other] ?? 0) * dimensions;
      change.fill(0);
      for (let draw = 0; draw <= negatives; draw += 1) {
        const target = draw === 0 ? (words[index] ?? 0) : (noise[Math.floor(random() * noise.length)] ?? 0);
        step(vectors, base, contexts, target * dimensions, draw === 0 ? 1 : 0, rate, change);
      }
      for (let d = 0; d < dimensions; d += 1) vectors[base + d] = (vectors[base + d] ?? 0) + (change[d] ?? 0);
    }
  }
}

function step(
  vectors: Float32Array,
  base: number,
  contexts: Float32Array,
  target: number,
  label: number,
  rate: number,
  change: Float32Array,
): void {
  let dot = 0;
  for (let d = 0; d < dimensions; d += 1)
    dot += (vectors[base + d] as number) * (contexts[target + d] as number);
  const gradient = rate * (label - 1 / (1 + Math.exp(-dot)));
  for (let d = 0; d < dimensions; d += 1) {
    change[d] = (change[d] as number) + gradient * (contexts[target + d] as number);
    contexts[target + d] = (contexts[target + d] as number) + gradient * (vectors[base + d] as number);
  }
}

/** Spherical k-means; starts at evenly spaced words of the vocabulary, which is sorted by frequency. */
function kMeans(vectors: Float32Array, count: number): Uint16Array {
  normalise(vectors, count);
  const centres = new Float32Array(clusterCount * dimensions);
  const spread = Math.min(count, 10 * clusterCount);
  for (let cluster = 0; cluster < clusterCount; cluster += 1) {
    const row = Math.floor((cluster * spread) / clusterCount);
    centres.set(vectors.subarray(row * dimensions, (row + 1) * dimensions), cluster * dimensions);
  }
  const clusters = new Uint16Array(count);
  for (let round = 0; round < 12; round += 1) {
    for (let row = 0; row < count; row += 1) clusters[row] = nearest(vectors, row, centres);
    centres.fill(0);
    for (let row = 0; row < count; row += 1) {
      const base = (clusters[row] ?? 0) * dimensions;
      for (let d = 0; d < dimensions; d += 1)
        centres[base + d] = (centres[base + d] as number) + (vectors[row * dimensions + d] as number);
    }
    normalise(centres, clusterCount);
  }
  return clusters;
}

function normalise(vectors: Float32Array, count: number): void {
  for (let row = 0; row < count; row += 1) {
    const part = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const length = Math.sqrt(part.reduce((sum, value) => sum + value * value, 0)) || 1;
    for (let d = 0; d < dimensions; d += 1) part[d] = (part[d] ?? 0) / length;
  }
}

function nearest(vectors: Float32Array, row: number, centres: Float32Array): number {
  let [best, bestDot] = [0, Number.NEGATIVE_INFINITY];
  const base = row * dimensions;
  for (let cluster = 0; cluster < clusterCount; cluster += 1) {
    let dot = 0;
    const centre = cluster * dimensions;
    for (let d = 0; d < dimensions; d += 1)
      dot += (vectors[base + d] as number) * (centres[centre + d] as number);
    if (dot > bestDot) [best, bestDot] = [cluster, dot];
  }
  return best;
}

function showClusters(
  vocabulary: readonly string[],
  clusters: Uint16Array,
  log: (line: string) => void,
): void {
  for (const word of ['terrible', 'corrupt', 'elites', 'invasion', 'traitor', 'said', 'never']) {
    const row = vocabulary.indexOf(word);
    const mates = vocabulary.filter((_, other) => clusters[other] === clusters[row]).slice(0, 12);
    log(`cluster of ${word}: ${mates.join(' ')}`);
  }
}
