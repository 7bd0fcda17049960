import { englishStem } from './stems.ts';

/** Which English words mean the same or the opposite; asked by their stems. */
export interface Relations {
  isSame(one: string, other: string): boolean;
  isOpposite(one: string, other: string): boolean;
}

/** Reads models/relations-en.tsv: kind (same, opposite) and two words, parted by tabs; lines that begin with # are remarks. */
export function readRelations(text: string): Relations {
  const tables = { same: new Map<string, Set<string>>(), opposite: new Map<string, Set<string>>() };
  const add = (table: Map<string, Set<string>>, one: string, other: string) =>
    table.set(one, (table.get(one) ?? new Set()).add(other));
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [kind, first, second] = line.split('\t');
    if (first === undefined || second === undefined || (kind !== 'same' && kind !== 'opposite'))
      throw new Error(`This is no line of a table of relations: ${line}`);
    const [one, other] = [englishStem(first), englishStem(second)];
    if (one === other) continue;
    add(tables[kind], one, other);
    add(tables[kind], other, one);
  }
  return {
    isSame: (one, other) => tables.same.get(one)?.has(other) ?? false,
    isOpposite: (one, other) => tables.opposite.get(one)?.has(other) ?? false,
  };
}
