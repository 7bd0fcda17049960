import type { Token, TokenRange } from './tokens.ts';
import type { WordTable } from './word-table.ts';

/** A tokenised text with everything that the features look at, one entry per token. */
export interface TextView {
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  /** Row of each token in the word table, -1 when unknown. */
  readonly rows: Int32Array;
  /** 1 where the token lies between quotation marks. */
  readonly quoted: Uint8Array;
  /** How often the word returns in the text, in steps 1, 2, 3 to 4, 5 and more (0 for short words and marks). */
  readonly recurrence: Uint8Array;
  /** 1 + index of the code whose rule matched at the token, 0 for none. */
  readonly ruleCodes: Uint8Array;
}

/** Collects hashed features; `bits` is the size of the weight table in powers of two. */
export class FeatureSink {
  readonly ids: Int32Array;
  count = 0;
  private readonly shift: number;

  constructor(bits: number, capacity = 4096) {
    this.shift = 32 - bits;
    this.ids = new Int32Array(capacity);
  }

  /** Forgets what was collected. */
  clear(): void {
    this.count = 0;
  }

  /** Adds the feature of a template with one or two values. */
  add(template: number, first: number, second = 0): void {
    if (this.count >= this.ids.length) return;
    let hash = Math.imul(first ^ Math.imul(template, 0x9e3779b1), 0x85ebca6b);
    hash = Math.imul((hash ^ (hash >>> 15)) + second, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
    this.ids[this.count] = (hash ^ (hash >>> 16)) >>> this.shift;
    this.count += 1;
  }
}

const EDGE_HASH = 0x5bd1e995;
const kindCode = { lower: 1, title: 2, caps: 3, number: 4, mark: 5 } as const;

/** Prepares a text for the feature functions. */
export function createTextView(
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  words: WordTable | undefined,
  ruleCodes: Uint8Array,
): TextView {
  const rows = Int32Array.from(tokens, (token) => words?.rowOf(token.hash) ?? -1);
  return {
    tokens,
    sentences,
    rows,
    quoted: quotedTokens(tokens, sentences),
    recurrence: recurrenceOf(tokens),
    ruleCodes,
  };
}

/** 1 where a token lies between quotation marks. */
export function quotedTokens(tokens: readonly Token[], sentences: readonly TokenRange[]): Uint8Array {
  const quoted = new Uint8Array(tokens.length);
  let open = false;
  for (const sentence of sentences) {
    // A straight mark that was never closed must not quote the rest of the text.
    if (open && !hasMark(tokens, sentence, closers)) open = false;
    for (let index = sentence.from; index < sentence.to; index += 1) {
      const form = tokens[index]?.form ?? '';
      if (openers.has(form)) open = true;
      else if (form === '"' || form === '“') open = !open;
      else if (closers.has(form)) open = false;
      if (open) quoted[index] = 1;
    }
  }
  return quoted;
}

const openers = new Set(['„', '«']);
// “ opens in English and closes in Romanian print.
const closers = new Set(['”', '»', '"', '“']);

function hasMark(tokens: readonly Token[], range: TokenRange, marks: ReadonlySet<string>): boolean {
  for (let index = range.from; index < range.to; index += 1) {
    if (marks.has(tokens[index]?.form ?? '')) return true;
  }
  return false;
}

const SHORT_WORD = 4;

function recurrenceOf(tokens: readonly Token[]): Uint8Array {
  const counts = new Map<string, number>();
  for (const { form } of tokens) counts.set(form, (counts.get(form) ?? 0) + 1);
  return Uint8Array.from(tokens, ({ form }) => {
    const count = counts.get(form) ?? 0;
    if (form.length < SHORT_WORD) return 0;
    return count >= 5 ? 4 : Math.min(count, 3);
  });
}

/** Quantised scores of the first stage for a sentence and its text; part of the tagger's features. */
export interface SentenceSignal {
  readonly own: number;
  readonly around: number;
}

/** Features of one token for the span tagger. */
export function tokenFeatures(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  signal: SentenceSignal,
  index: number,
  sink: FeatureSink,
): void {
  const inside = (at: number) => at >= sentence.from && at < sentence.to;
  const hash = (at: number) => (inside(at) ? (view.tokens[at]?.hash ?? EDGE_HASH) : EDGE_HASH);
  const cluster = (at: number) => (inside(at) ? words.clusterOf(view.rows[at] ?? -1, hash(at)) : EDGE_HASH);
  const own = hash(index);
  const [before, after] = [hash(index - 1), hash(index + 1)];
  sink.add(1, own);
  sink.add(2, before);
  sink.add(3, after);
  sink.add(4, hash(index - 2));
  sink.add(5, hash(index + 2));
  sink.add(6, before, own);
  sink.add(7, own, after);
  sink.add(8, before, after);
  addForm(view.tokens[index], sink);
  const [c0, c1, c2] = [cluster(index), cluster(index - 1), cluster(index + 1)];
  sink.add(13, c0);
  sink.add(14, c1);
  sink.add(15, c2);
  sink.add(16, c1, c0);
  sink.add(17, c0, c2);
  sink.add(18, cluster(index - 2));
  sink.add(19, cluster(index + 2));
  addScores(view, words, sentence, index, sink);
  sink.add(30, view.quoted[index] ?? 0);
  sink.add(31, view.ruleCodes[index] ?? 0);
  sink.add(32, view.recurrence[index] ?? 0);
  sink.add(33, signal.own);
  sink.add(34, signal.around);
  sink.add(35, signal.own, c0);
  sink.add(36, Math.min(5, (sentence.to - sentence.from) >> 3));
  sink.add(37, lastMark(view, sentence));
}

function addForm(token: Token | undefined, sink: FeatureSink): void {
  if (token === undefined) return;
  sink.add(9, hashPart(token.form, 0, 4));
  sink.add(10, hashPart(token.form, Math.max(0, token.form.length - 3), token.form.length));
  sink.add(11, kindCode[token.kind]);
  sink.add(
    12,
    hashPart(token.form, Math.max(0, token.form.length - 4), token.form.length),
    kindCode[token.kind],
  );
}

function hashPart(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let index = from; index < Math.min(to, text.length); index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** The highest step of a lexicon among the words of a range. */
function highestStep(view: TextView, words: WordTable, { from, to }: TokenRange, lexicon: number): number {
  let highest = 0;
  for (let index = from; index < to; index += 1)
    highest = Math.max(highest, words.stepOf(view.rows[index] ?? -1, lexicon));
  return highest;
}

/**
 * Words and clusters of a range, alone and in pairs, by four templates from `template` on; `addOwn` adds what else is said of each
 * word.
 */
function addWords(
  view: TextView,
  words: WordTable,
  range: TokenRange,
  { template, sink }: { readonly template: number; readonly sink: FeatureSink },
  addOwn: (token: Token, index: number) => void,
): void {
  let [previous, previousCluster] = [EDGE_HASH, EDGE_HASH];
  for (let index = range.from; index < range.to; index += 1) {
    const token = view.tokens[index];
    if (token === undefined) continue;
    const cluster = words.clusterOf(view.rows[index] ?? -1, token.hash);
    sink.add(template, token.hash);
    sink.add(template + 1, previous, token.hash);
    sink.add(template + 2, cluster);
    sink.add(template + 3, previousCluster, cluster);
    addOwn(token, index);
    previous = token.hash;
    previousCluster = cluster;
  }
}

function addScores(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  index: number,
  sink: FeatureSink,
): void {
  for (let lexicon = 0; lexicon < words.lexicons; lexicon += 1) {
    sink.add(20 + lexicon, words.stepOf(view.rows[index] ?? -1, lexicon));
    const near = { from: Math.max(sentence.from, index - 3), to: Math.min(sentence.to, index + 4) };
    sink.add(40 + lexicon, highestStep(view, words, near, lexicon));
  }
}

function lastMark(view: TextView, sentence: TokenRange): number {
  for (let index = sentence.to - 1; index >= Math.max(sentence.from, sentence.to - 3); index -= 1) {
    const form = view.tokens[index]?.form;
    if (form === '!' || form === '?') return form === '!' ? 1 : 2;
  }
  return 0;
}

/** Features of a whole sentence: words, pairs, clusters, word scores, shape, rules. */
export function sentenceFeatures(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  sink: FeatureSink,
): void {
  let caps = 0;
  addWords(view, words, sentence, { template: 51, sink }, (token, index) => {
    if (token.form.length > 5) sink.add(55, hashPart(token.form, 0, 5));
    if (view.ruleCodes[index] !== 0) sink.add(56, view.ruleCodes[index] ?? 0);
    if (token.kind === 'caps') caps += 1;
  });
  sink.add(57, Math.min(8, (sentence.to - sentence.from) >> 2));
  sink.add(58, lastMark(view, sentence));
  sink.add(59, Math.min(3, caps));
  addSentenceScores(view, words, sentence, sink);
}

function addSentenceScores(view: TextView, words: WordTable, sentence: TokenRange, sink: FeatureSink): void {
  for (let lexicon = 0; lexicon < words.lexicons; lexicon += 1) {
    let [highest, high] = [0, 0];
    for (let index = sentence.from; index < sentence.to; index += 1) {
      const step = words.stepOf(view.rows[index] ?? -1, lexicon);
      highest = Math.max(highest, step);
      if (step >= 5) high += 1;
    }
    sink.add(60 + lexicon, highest);
    sink.add(70 + lexicon, Math.min(4, high));
  }
}

/** Features of a span for naming its technique. */
export function spanFeatures(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  span: TokenRange,
  sink: FeatureSink,
): void {
  let [returns, caps] = [0, 0];
  addWords(view, words, span, { template: 101, sink }, (token, index) => {
    sink.add(105, hashPart(token.form, 0, 4));
    sink.add(106, hashPart(token.form, Math.max(0, token.form.length - 4), token.form.length));
    if (view.ruleCodes[index] !== 0) sink.add(107, view.ruleCodes[index] ?? 0);
    returns = Math.max(returns, view.recurrence[index] ?? 0);
    if (token.kind === 'caps' || token.kind === 'title') caps += 1;
  });
  addSpanShape(view, sentence, span, returns, caps, sink);
  addSpanContext(view, words, sentence, span, sink);
}

function addSpanShape(
  view: TextView,
  sentence: TokenRange,
  span: TokenRange,
  returns: number,
  caps: number,
  sink: FeatureSink,
): void {
  const length = span.to - span.from;
  const size = length <= 6 ? length : Math.min(12, 6 + ((length - 6) >> 2));
  sink.add(110, size);
  sink.add(111, size, returns);
  sink.add(112, returns);
  sink.add(113, Math.min(3, caps), Math.min(size, 6));
  sink.add(114, Math.min(4, Math.floor((5 * length) / Math.max(1, sentence.to - sentence.from))));
  sink.add(115, lastMark(view, sentence));
  sink.add(116, view.tokens[span.from]?.hash ?? EDGE_HASH);
  sink.add(117, view.tokens[span.to - 1]?.hash ?? EDGE_HASH);
  sink.add(118, view.quoted[span.from] ?? 0, size);
  sink.add(119, span.from === sentence.from ? 1 : 0, span.to >= sentence.to - 1 ? 1 : 0);
}

function addSpanContext(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  span: TokenRange,
  sink: FeatureSink,
): void {
  const at = (index: number) =>
    index >= sentence.from && index < sentence.to ? (view.tokens[index]?.hash ?? EDGE_HASH) : EDGE_HASH;
  for (let distance = 1; distance <= 2; distance += 1) {
    sink.add(120 + distance, at(span.from - distance));
    sink.add(125 + distance, at(span.to + distance - 1));
  }
  for (let index = sentence.from; index < sentence.to; index += 1) {
    if (index >= span.from && index < span.to) continue;
    sink.add(130, words.clusterOf(view.rows[index] ?? -1, at(index)));
  }
  for (let lexicon = 0; lexicon < words.lexicons; lexicon += 1) {
    sink.add(140 + lexicon, highestStep(view, words, span, lexicon));
  }
}
