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

/** Runs of five words, without order: what two copies of an article have in common. */
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

/** The page that is being judged. */
export interface Judged {
  readonly url: string | null | undefined;
  readonly text: string | null | undefined;
}

/** Sources without the judged page and its mirrors. */
export async function withoutJudged(sources: readonly Source[], { url, text }: Judged): Promise<Source[]> {
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
export async function groupCopies<Kept extends { readonly source: Source }>(
  sources: readonly Kept[],
): Promise<Kept[][]> {
  const groups: { members: Kept[]; shingles: ReadonlySet<number>; keys: Set<string> }[] = [];
  for (const kept of sources) {
    await nextTurn();
    const { source } = kept;
    const shingles = shinglesOf(source.text);
    const keys = [source.url, source.canonicalUrl ?? source.url].map(pageKey);
    const group = groups.find(
      ({ members, shingles: known, keys: places }) =>
        keys.some((key) => places.has(key)) ||
        members.some((member) => member.source.textHash === source.textHash) ||
        isCopy(known, shingles),
    );
    if (group === undefined) groups.push({ members: [kept], shingles, keys: new Set(keys) });
    else {
      group.members.push(kept);
      for (const key of keys) group.keys.add(key);
    }
  }
  return groups.map(({ members }) => members);
}
