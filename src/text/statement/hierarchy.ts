import { englishStem } from './stems.ts';

/** Meanings of English words with what each is a kind, an instance or a part of, up to the most general ones. */
export interface Hierarchy {
  /** Meanings of a stem, the commonest first. */
  meanings(stem: string): readonly number[];
  /** A meaning and everything above it, with the number of steps up. */
  above(meaning: number): ReadonlyMap<number, number>;
}

/** Steps up from a meaning that are taken; the longest chain of the table is a little longer. */
const MOST_STEPS = 14;
/** Meanings whose way up is kept once it was followed, so that no text fills the memory. */
const MOST_KEPT = 4000;

/** The lines of the table: what each meaning is a kind of, and the meanings of each stem, the commonest first. */
function readLines(text: string) {
  const parents: (readonly number[])[] = [];
  const ranked = new Map<string, { readonly meaning: number; readonly rank: number }[]>();
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const [words = '', above = ''] = line.split('\t');
    const meaning = parents.length;
    parents.push(above === '' ? [] : above.split(' ').map((place) => Number.parseInt(place, 36)));
    for (const word of words === '' ? [] : words.split(' ')) {
      const [name = '', rank = '1'] = word.split(':');
      const stem = englishStem(name);
      ranked.set(stem, [...(ranked.get(stem) ?? []), { meaning, rank: Number(rank) }]);
    }
  }
  const byRank = [...ranked].map(([stem, list]) => {
    const sorted = list.sort((one, other) => one.rank - other.rank);
    return [stem, sorted.map(({ meaning }) => meaning)] as const;
  });
  return { parents, meanings: new Map(byRank) };
}

/**
 * Reads models/hierarchy-en.tsv: a line a meaning, with its words (behind a colon the rank of the meaning for the word, where it is not
 * the first), and after a tab the lines, from 0 and to base 36, of what it is a kind of; lines that begin with # are remarks.
 */
export function readHierarchy(text: string): Hierarchy {
  const { parents, meanings } = readLines(text);
  const cache = new Map<number, ReadonlyMap<number, number>>();
  return {
    meanings: (stem) => meanings.get(stem) ?? [],
    above: (meaning) => {
      const known = cache.get(meaning);
      if (known !== undefined) return known;
      const distances = new Map([[meaning, 0]]);
      let level = [meaning];
      for (let steps = 1; steps <= MOST_STEPS && level.length > 0; steps++) {
        level = level.flatMap((one) => parents[one] ?? []).filter((one) => !distances.has(one));
        for (const one of level) distances.set(one, steps);
      }
      if (cache.size >= MOST_KEPT) cache.clear();
      cache.set(meaning, distances);
      return distances;
    },
  };
}
