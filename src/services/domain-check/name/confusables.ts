import { z } from 'zod';
import table from '../../../../data/domains/confusables.json' with { type: 'json' };

const map = z.record(z.string(), z.string());
const LETTERS = map.parse(table.letters);
const DIGITS = map.parse(table.digits);
const PAIRS = Object.entries(map.parse(table.pairs));

const SCRIPTS = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['armenian', /\p{Script=Armenian}/u],
] as const;

/** What a name reads like in plain Latin letters: marks dropped, look-alike letters replaced. */
export function toPlainLatin(name: string): string {
  const bare = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(bare, (letter) => LETTERS[letter] ?? letter).join('');
}

/** One form for all names that look alike at a glance, digits for letters and joined letters included. */
export function skeleton(name: string): string {
  const plain = Array.from(toPlainLatin(name), (letter) => DIGITS[letter] ?? letter).join('');
  // i and l look alike in most fonts of address bars.
  return PAIRS.reduce((text, [pair, letter]) => text.replaceAll(pair, letter), plain).replaceAll('i', 'l');
}

/** True when one label mixes alphabets whose letters can be taken for each other. */
export function mixesScripts(label: string): boolean {
  return SCRIPTS.filter(([, pattern]) => pattern.test(label)).length > 1;
}
