import { englishStem } from './stems.ts';

/** Which English words mean the same or the opposite; asked by their stems. */
export interface Relations {
  isSame(one: string, other: string): boolean;
  isOpposite(one: string, other: string): boolean;
}

/** Reads models/relations-en.tsv: kind (same, opposite) and two words, parted by tabs; lines that begin with # are remarks. */
export function readRelations(text: string): Relations {
  const tables = { same: new Set<string>(), opposite: new Set<string>() };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [kind, first, second] = line.split('\t');
    if (first === undefined || second === undefined || (kind !== 'same' && kind !== 'opposite'))
      throw new Error(`This is no line of a table of relations: ${line}`);
    const [one, other] = [englishStem(first), englishStem(second)];
    if (one !== other) tables[kind].add(`${one} ${other}`).add(`${other} ${one}`);
  }
  return {
    isSame: (one, other) => tables.same.has(`${one} ${other}`),
    isOpposite: (one, other) => tables.opposite.has(`${one} ${other}`),
  };
}
