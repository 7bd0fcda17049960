import type { TokenRow } from './inference.ts';
import type { OnnxTokenizer } from './runtime.ts';

/** Share of the tokens that a query may take; the rest is for the document. */
const QUERY_SHARE = 0.5;

const plain = { add_special_tokens: false };

/** Number of special tokens that a tokenizer appends to a text. */
function endMarks(tokenizer: OnnxTokenizer, text: string, whole: readonly number[]): number {
  const bare = tokenizer.encode(text, plain).ids;
  const last = bare.at(-1);
  if (last === undefined) return whole.length;
  return whole.length - 1 - whole.lastIndexOf(last);
}

/** The first tokens of a row, with its closing special tokens. */
function cutRow(ids: readonly number[], marks: number, most: number): number[] {
  if (ids.length <= most) return [...ids];
  return [...ids.slice(0, most - marks), ...ids.slice(ids.length - marks)];
}

/** The tokens of a text, at most so many, its marks among them. */
export function truncateText(tokenizer: OnnxTokenizer, text: string, most: number): number[] {
  const { ids } = tokenizer.encode(text);
  return ids.length <= most ? ids : cutRow(ids, endMarks(tokenizer, text, ids), most);
}

/** The query, or its beginning where it is longer than its share. */
function shortQuery(tokenizer: OnnxTokenizer, query: string, most: number): string {
  let text = query;
  const share = Math.floor(most * QUERY_SHARE);
  for (let tokens = count(tokenizer, text); tokens > share; tokens = count(tokenizer, text)) {
    text = text.slice(0, Math.floor((text.length * share) / tokens));
  }
  return text;
}

const count = (tokenizer: OnnxTokenizer, text: string) => tokenizer.encode(text, plain).ids.length;

/** The tokens of a query with a text, at most so many: the text is cut. */
export function truncatePair(tokenizer: OnnxTokenizer, query: string, text: string, most: number): TokenRow {
  const pair = { text_pair: text, return_token_type_ids: true };
  const { ids, token_type_ids: types = [] } = tokenizer.encode(shortQuery(tokenizer, query, most), pair);
  const marks = ids.length <= most ? 0 : endMarks(tokenizer, text, ids);
  return { ids: cutRow(ids, marks, most), types: cutRow(types, marks, most) };
}

/** A text, or its halves and their halves, cut between words, until each fits beside the query. */
export function windowsOf(tokenizer: OnnxTokenizer, query: string, text: string, most: number): string[] {
  const shortenedQuery = shortQuery(tokenizer, query, most);
  const marks = tokenizer.encode('', { text_pair: '' }).ids.length;
  const room = Math.max(1, most - count(tokenizer, shortenedQuery) - marks);
  const halve = (part: string): string[] => {
    const words = part.split(/\s+/);
    if (words.length < 2 || count(tokenizer, part) <= room) return [part];
    const middle = Math.ceil(words.length / 2);
    return [...halve(words.slice(0, middle).join(' ')), ...halve(words.slice(middle).join(' '))];
  };
  return halve(text);
}
