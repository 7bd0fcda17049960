import { randomStream } from '../rows.ts';

/** A way to write the same text otherwise, as people do to pass a filter, or out of habit. */
export interface Edit {
  readonly name: string;
  apply(text: string, random: () => number): string;
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  i: 'і',
  o: 'о',
  p: 'р',
  x: 'х',
  y: 'у',
};
const DIGITS: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5' };
const CEDILLAS: Readonly<Record<string, string>> = { ș: 'ş', ț: 'ţ', Ș: 'Ş', Ț: 'Ţ' };
const EMOJI = ['😡', '🔥', '❗', '👀', '💀', '🙏'] as const;
const HIDDEN = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad'] as const;

const pick = <Item>(items: readonly Item[], random: () => number) =>
  items[Math.floor(random() * items.length)] as Item;

/** Changes words of four letters and more, each with the given chance. */
const inWords = (text: string, share: number, random: () => number, change: (word: string) => string) =>
  text.replace(/\p{L}{4,}/gu, (word) => (random() < share ? change(word) : word));

const swapped = (word: string, table: Readonly<Record<string, string>>) =>
  [...word].map((letter) => table[letter] ?? letter).join('');

/** The edits; spans of words that a text is made of stay readable for people in all of them. */
export const EDITS: readonly Edit[] = [
  {
    name: 'homoglyphs',
    apply: (text, random) => inWords(text, 0.5, random, (word) => swapped(word, LOOK_ALIKES)),
  },
  {
    name: 'zero-width',
    apply: (text, random) =>
      inWords(text, 0.5, random, (word) => {
        const at = 1 + Math.floor(random() * (word.length - 1));
        return word.slice(0, at) + pick(HIDDEN, random) + word.slice(at);
      }),
  },
  {
    name: 'leetspeak',
    apply: (text, random) => inWords(text, 0.3, random, (word) => swapped(word, DIGITS)),
  },
  {
    name: 'spacing',
    apply: (text, random) =>
      inWords(text, 0.1, random, (word) => [...word].join(' ')).replaceAll(' ', () =>
        random() < 0.2 ? pick(['  ', '\u00a0', '\u2009'], random) : ' ',
      ),
  },
  {
    name: 'casing',
    apply: (text, random) => {
      const kind = random();
      if (kind < 0.5) return text.toLowerCase();
      return [...text]
        .map((letter, at) => (at % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase()))
        .join('');
    },
  },
  {
    name: 'emoji',
    apply: (text, random) =>
      text.replace(/(?<=[.!?,]) /gu, () => (random() < 0.5 ? ` ${pick(EMOJI, random)} ` : ' ')),
  },
  { name: 'no diacritics', apply: (text) => text.normalize('NFD').replace(/\p{M}/gu, '') },
  { name: 'cedillas', apply: (text) => swapped(text, CEDILLAS) },
];

/** So many edited texts, drawn evenly from texts and edits (each twice), the same for a seed; edits that change nothing are left out. */
export function editedTexts<Row extends { readonly text: string }>(
  rows: readonly Row[],
  count: number,
  seed = 1,
) {
  const random = randomStream(seed);
  const all = [...rows, ...rows].flatMap((row) =>
    EDITS.flatMap((edit) => {
      const text = edit.apply(row.text, random);
      return text === row.text ? [] : [{ row, edit: edit.name, text, key: random() }];
    }),
  );
  return all.toSorted((one, two) => one.key - two.key).slice(0, count);
}
