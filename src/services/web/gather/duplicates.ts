import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashText } from '../../../text/features.ts';
import { termsOf } from '../../../text/terms.ts';
import { pageKey } from '../search/canonical-url.ts';
import type { Source } from './source.ts';

/** Words of a shingle, and of the part of a text that is compared. */
const SHINGLE = { words: 5, of: 3000 };
/** A text is a copy when so much of the shorter one stands in the other. */
const COPY_SHARE = 0.6;
/** Shorter texts are copies only when they are equal. */
const LEAST_SHINGLES = 12;

/** Hashes of all runs of five words, as a set; copies of an article share most of them. */
export function shinglesOf(text: string): ReadonlySet<number> {
  const terms = termsOf(text.slice(0, SHINGLE.of * 10)).slice(0, SHINGLE.of);
  const shingles = new Set<number>();
  for (let from = 0; from + SHINGLE.words <= terms.length; from++)
    shingles.add(hashText(terms.slice(from, from + SHINGLE.words).join(' ')));
  return shingles;
}

/** Whether most of the shorter text stands in the other. */
export function isCopy(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  const [small, large] = one.size <= other.size ? [one, other] : [other, one];
  if (small.size < LEAST_SHINGLES) return false;
  let shared = 0;
  for (const shingle of small) if (large.has(shingle)) shared += 1;
  return shared >= COPY_SHARE * small.size;
}

/** The page whose claim is checked. */
export interface AnalysedPage {
  readonly url: string | null | undefined;
  readonly text: string | null | undefined;
}

/** Removes the analysed page and its copies: a page is no evidence for its own claims. */
export async function withoutAnalysedPage(
  sources: readonly Source[],
  { url, text }: AnalysedPage,
): Promise<Source[]> {
  const key = url == null ? undefined : pageKey(url);
  const shingles = text == null ? undefined : shinglesOf(text);
  const others: Source[] = [];
  for (const source of sources) {
    await nextTurn();
    const keys = [source.url, ...(source.canonicalUrl === null ? [] : [source.canonicalUrl])].map(pageKey);
    if (key !== undefined && keys.includes(key)) continue;
    if (shingles === undefined || !isCopy(shingles, shinglesOf(source.text))) others.push(source);
  }
  return others;
}

/** Sources in groups: copies of one text, and two addresses of one page, are one voice. Reviews of a claim stay apart. */
export async function groupCopies<Item extends { readonly source: Source }>(
  sources: readonly Item[],
): Promise<Item[][]> {
  const groups: { members: Item[]; shingles: ReadonlySet<number>; keys: Set<string> }[] = [];
  for (const item of sources) {
    await nextTurn();
    const { source } = item;
    const shingles = shinglesOf(source.text);
    const keys = [source.url, source.canonicalUrl ?? source.url].map(pageKey);
    const group = groups.find(
      ({ members, shingles: known, keys: places }) =>
        keys.some((key) => places.has(key)) ||
        members.some((member) => member.source.textHash === source.textHash) ||
        isCopy(known, shingles),
    );
    if (group === undefined) groups.push({ members: [item], shingles, keys: new Set(keys) });
    else {
      group.members.push(item);
      for (const key of keys) group.keys.add(key);
    }
  }
  return groups.map(({ members }) => members);
}
