import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type Gloss, glossText, readGloss } from '../../../text/encoder/gloss.ts';
import type { SearchQuery } from '../search/provider.ts';
import { keyWords, longestName } from './key-words.ts';

/** Longest query that providers take. */
const LONGEST_QUERY = 300;
/** Letters that only Romanian has among the languages that are read here, and its most frequent words. */
const ROMANIAN = /[ăâîșțşţ]|\b(este|sunt|din|pentru|care|nu|și|si|că)\b/iu;
/**
 * Words of a query: of the key words, and of those that matter most. Search that wants every word of a query on a page finds the more
 * the fewer there are, and fewer than these find pages on something else (docs/decisions/0083-angles-of-a-claim.md).
 */
const WORDS = { key: 5, core: 3 };
/** What fact-checkers write on their pages, in both languages. */
const REVIEW_WORDS = 'fact check';

let gloss: Gloss | undefined;

/** The English words of a Romanian sentence, one by one: not grammar, but what a search engine needs. */
function englishWords(claim: string): string {
  gloss ??= readGloss(readFileSync(packageFile('models', 'gloss-ro.tsv'), 'utf8'));
  return glossText(gloss, claim)
    .map(({ english }) => english)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A sentence cut between words. */
function cut(text: string): string {
  if (text.length <= LONGEST_QUERY) return text;
  const space = text.lastIndexOf(' ', LONGEST_QUERY);
  return text.slice(0, space > 0 ? space : LONGEST_QUERY);
}

/** Marks in front of a word by which search servers leave pages out, change the engine or the language, or want a phrase. */
const LEADING_MARKS = /(?<![^\s])(?:[!?:+~^|&*<>=@#"“”„«»()[\]{}\\/]|-(?!\d))+/gu;
/** "site:", "intitle:" and the like; times of the day and addresses' ports are numbers. */
const FIELD = /(?<=\p{L}):(?=\S)/gu;
const CONNECTIVES = /(?<!\S)(?:AND|OR|NOT|NEAR)(?!\S)/g;

/**
 * A claim as words and nothing else. Its writer may be hostile, and evidence that was gathered once serves others who say the same: a
 * claim must not tell a search server what to leave out or where to look.
 */
function asWords(claim: string): string {
  return claim
    .replace(FIELD, ' ')
    .replace(/["“”„«»]/gu, ' ')
    .replace(LEADING_MARKS, '')
    .replace(CONNECTIVES, (word) => word.toLowerCase())
    .replace(/\s+/g, ' ')
    .trim();
}

/** Queries are the same when they differ only in marks and capitals. */
const sameness = (query: string) =>
  query
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * What is asked for a claim, from several angles: its own words, of a Romanian one the same in English, its key words, the few of them that
 * matter most (in English), its name, and its key words with what fact-checkers write. Each query once.
 */
export function queriesFor(claim: string): SearchQuery[] {
  const own = asWords(claim);
  const isRomanian = ROMANIAN.test(own);
  const [language, words] = isRomanian ? (['ro', 'ro'] as const) : (['auto', 'en'] as const);
  const english = isRomanian ? englishWords(own) : own;
  const key = keyWords(own, words, WORDS.key).join(' ');
  const core = keyWords(english, 'en', WORDS.core).join(' ');
  const queries: SearchQuery[] = [
    { query: cut(own), language, angle: 'sentence' },
    { query: cut(english), language: 'en', angle: 'translation' },
    { query: cut(key), language, angle: 'key_words' },
    { query: cut(core), language: isRomanian ? 'en' : 'auto', angle: 'core' },
    { query: cut(longestName(own, words) ?? ''), language, angle: 'name' },
    { query: cut(key === '' ? '' : `${key} ${REVIEW_WORDS}`), language, angle: 'fact_check' },
  ];
  const seen = new Set(['']);
  return queries.filter(({ query }) => {
    const key = sameness(query);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
