import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type Gloss, glossText, readGloss } from '../../../text/encoder/gloss.ts';

/** Longest query that providers take. */
const LONGEST_QUERY = 300;
/** Letters that only Romanian has among the languages that are read here, and its most frequent words. */
const ROMANIAN = /[ăâîșțşţ]|\b(este|sunt|din|pentru|care|nu|și|si|că)\b/iu;

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

/** A query, and the language that its words are in: ISO 639-1, or auto. */
export interface GatherQuery {
  readonly query: string;
  readonly language: string;
}

/** What is asked for a claim: its own words, and for a Romanian one its words in English too. Nothing of it is left out. */
export function queriesFor(claim: string): GatherQuery[] {
  const own = claim.replace(/\s+/g, ' ').trim();
  if (!ROMANIAN.test(own)) return [{ query: cut(own), language: 'auto' }];
  const [romanian, english] = [cut(own), cut(englishWords(own))];
  const first = { query: romanian, language: 'ro' };
  return english === '' || english === romanian ? [first] : [first, { query: english, language: 'en' }];
}
