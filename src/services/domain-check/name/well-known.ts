import { packageFile } from '../../../foundation/files.ts';
import { SortedTable } from '../lists/table.ts';
import { readSite, type Site } from '../site.ts';
import { skeleton, toPlainLatin } from './confusables.ts';
import { nameRules } from './rules.ts';

/** How a name imitates a well-known one. */
export type Imitation =
  /** Looks the same, letter by letter, and is another name. */
  | { kind: 'confusable'; of: string }
  /** The well-known name under a suffix that reads like the real one, or under a cheap one. */
  | { kind: 'suffix'; of: string }
  /** One letter added, dropped, changed or swapped. */
  | { kind: 'typo'; of: string }
  /** The well-known name with one more word. */
  | { kind: 'extra_word'; of: string };

/** Well-known names, arranged for looking up their imitations. */
export interface WellKnownNames {
  has(domain: string): boolean;
  imitation(site: Site): Imitation | undefined;
}

interface Index {
  domains: ReadonlySet<string>;
  byLabel: ReadonlyMap<string, string>;
  bySkeleton: ReadonlyMap<string, string>;
  /** Generic words included; for names in foreign letters, where a match is no coincidence. */
  byAnySkeleton: ReadonlyMap<string, string>;
  /** Labels by every form of them with one letter left out (Garbe's symmetric deletion). */
  byDeletion: ReadonlyMap<string, string[]>;
}

/** Opens the well-known names that ship with the product. */
export function openWellKnownNames(): WellKnownNames {
  const files = ['well-known.tsv', 'well-known-extra.tsv'];
  return createWellKnownNames(
    files.flatMap((file) => [...SortedTable.open(packageFile('data', 'domains', file)).domains()]),
  );
}

/** Arranges a list of well-known domains. */
export function createWellKnownNames(domains: readonly string[]): WellKnownNames {
  const index = buildIndex(domains);
  return {
    has: (domain) => index.domains.has(domain),
    imitation(site) {
      if (index.domains.has(site.domain)) return undefined;
      return (
        confusable(site, index) ?? otherSuffix(site, index) ?? typo(site, index) ?? extraWord(site, index)
      );
    },
  };
}

function buildIndex(domains: readonly string[]): Index {
  const byLabel = new Map<string, string>();
  const bySkeleton = new Map<string, string>();
  const byAnySkeleton = new Map<string, string>();
  const byDeletion = new Map<string, string[]>();
  for (const domain of domains) {
    const site = readSite(domain);
    // The label of a section on another's name (news.example.com) is not the section's own.
    if (site === undefined || !('label' in site) || site.domain !== domain || byLabel.has(site.label))
      continue;
    byAnySkeleton.set(skeleton(site.label), domain);
    if (nameRules.generic_names.has(site.label)) continue;
    byLabel.set(site.label, domain);
    bySkeleton.set(skeleton(site.label), domain);
    if (site.label.length < nameRules.limits.typo_shortest_label) continue;
    for (const form of deletions(site.label))
      byDeletion.set(form, [...(byDeletion.get(form) ?? []), site.label]);
  }
  return { domains: new Set(domains), byLabel, bySkeleton, byAnySkeleton, byDeletion };
}

function confusable(site: Site, index: Index): Imitation | undefined {
  if (index.byLabel.has(site.label)) return undefined;
  const form = skeleton(site.labelUnicode);
  const foreign = toPlainLatin(site.labelUnicode) !== site.labelUnicode;
  if (foreign) return imitationBy('confusable', index.byAnySkeleton.get(form));
  // Short names match by coincidence once digits and joined letters count as alike.
  if (site.label.length < nameRules.limits.joined_brand_shortest_label) return undefined;
  return imitationBy('confusable', index.bySkeleton.get(form));
}

function imitationBy(kind: Imitation['kind'], of: string | undefined): Imitation | undefined {
  return of === undefined ? undefined : { kind, of };
}

function otherSuffix(site: Site, index: Index): Imitation | undefined {
  const of = index.byLabel.get(site.label);
  const misleading =
    nameRules.imitating_suffixes.has(site.suffix) || nameRules.cheap_suffixes.has(site.suffix);
  return of !== undefined && misleading ? { kind: 'suffix', of } : undefined;
}

function typo(site: Site, index: Index): Imitation | undefined {
  const { label } = site;
  if (label.length < nameRules.limits.typo_shortest_label || index.byLabel.has(label)) return undefined;
  for (const form of deletions(label)) {
    const near = index.byDeletion.get(form)?.find((known) => isOneEditAway(label, known));
    if (near !== undefined) return { kind: 'typo', of: index.byLabel.get(near) ?? near };
  }
  return undefined;
}

function extraWord(site: Site, index: Index): Imitation | undefined {
  const parts = site.label.split('-').filter((part) => part !== '');
  if (parts.length > 1) {
    for (const run of runs(parts)) {
      const rest = parts.filter((part) => !run.includes(part));
      const of = index.byLabel.get(run.join('')) ?? index.byLabel.get(run.join('-'));
      if (of !== undefined && rest.some((part) => nameRules.extra_words.has(part)))
        return { kind: 'extra_word', of };
    }
  }
  return joinedWord(site.label, index);
}

function joinedWord(label: string, index: Index): Imitation | undefined {
  if (index.byLabel.has(label)) return undefined;
  let longest = '';
  for (let cut = 2; cut <= label.length - 2; cut++) {
    const [head, tail] = [label.slice(0, cut), label.slice(cut)];
    const known = nameRules.extra_words.has(tail) ? head : nameRules.extra_words.has(head) ? tail : '';
    if (known.length > longest.length && index.byLabel.has(known)) longest = known;
  }
  if (longest.length < nameRules.limits.joined_brand_shortest_label) return undefined;
  return imitationBy('extra_word', index.byLabel.get(longest));
}

/** Every run of neighbouring parts that leaves at least one part out. */
function runs(parts: readonly string[]): string[][] {
  const result: string[][] = [];
  for (let start = 0; start < parts.length; start++) {
    for (let end = start + 1; end <= parts.length; end++) {
      if (end - start < parts.length) result.push(parts.slice(start, end));
    }
  }
  return result;
}

function deletions(label: string): string[] {
  return [label, ...Array.from(label, (_, index) => label.slice(0, index) + label.slice(index + 1))];
}

/** Damerau-Levenshtein distance 1: one letter added, dropped or changed, or two neighbours swapped. */
export function isOneEditAway(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let head = 0;
  while (head < left.length && left[head] === right[head]) head++;
  let tail = 0;
  const shorter = Math.min(left.length, right.length);
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const [inLeft, inRight] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)];
  if (inLeft.length <= 1 && inRight.length <= 1) return true;
  return inLeft.length === 2 && inRight.length === 2 && inLeft[0] === inRight[1] && inLeft[1] === inRight[0];
}
