import { createTextView } from '../../src/services/analysis/engines/techniques/features.ts';
import {
  type Token,
  type TokenRange,
  tokenise,
} from '../../src/services/analysis/engines/techniques/tokens.ts';
import type { WordTable } from '../../src/services/analysis/engines/techniques/word-table.ts';
import type { Row } from './rows.ts';
import type { Article, GoldSpan } from './stages.ts';

/** Marks the tokens that rules match: 1 + index of the code, 0 for none. */
export type MarkRules = (
  text: string,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
) => Uint8Array;

/** Joins the rows of each article, one line each, and carries the gold spans over. */
export function articlesOf(rows: readonly Row[], words: WordTable, markRules: MarkRules): Article[] {
  const docs = new Map<string, Row[]>();
  for (const row of rows) docs.set(row.doc, [...(docs.get(row.doc) ?? []), row]);
  return [...docs].map(([doc, lines]) =>
    articleOf(
      doc,
      lines.sort((a, b) => a.offset - b.offset),
      words,
      markRules,
    ),
  );
}

function articleOf(doc: string, lines: readonly Row[], words: WordTable, markRules: MarkRules): Article {
  const text = lines.map((line) => line.text).join('\n');
  const tokens = tokenise(text);
  const sentences: TokenRange[] = [];
  const spans: GoldSpan[] = [];
  let [offset, from] = [0, 0];
  lines.forEach((line, sentence) => {
    const end = offset + line.text.length;
    let to = from;
    while (to < tokens.length && (tokens[to]?.start ?? 0) < end) to += 1;
    sentences.push({ from, to });
    for (const span of goldOf(line, offset, sentence, tokens, { from, to })) spans.push(span);
    from = to < tokens.length && tokens[to]?.form === '\n' ? to + 1 : to;
    offset = end + 1;
  });
  return {
    doc,
    text,
    view: createTextView(tokens, sentences, words, markRules(text, tokens, sentences)),
    spans,
  };
}

function goldOf(
  line: Row,
  offset: number,
  sentence: number,
  tokens: readonly Token[],
  range: TokenRange,
): GoldSpan[] {
  const points = Array.from(line.text);
  const utf16 = (count: number) => points.slice(0, count).join('').length;
  return line.spans.map(([start, end, label]) => {
    const [startUtf16, endUtf16] = [offset + utf16(start), offset + utf16(end)];
    let from = range.from;
    while (from < range.to && (tokens[from]?.end ?? 0) <= startUtf16) from += 1;
    let to = from;
    while (to < range.to && (tokens[to]?.start ?? 0) < endUtf16) to += 1;
    return { from, to, label, sentence, startUtf16, endUtf16 };
  });
}
