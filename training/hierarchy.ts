// Makes models/hierarchy-en.tsv from the files of WordNet: npx tsx training/hierarchy.ts <folder with index.sense and data.*>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { loadVocabulary } from '../src/text/vocabulary.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say where the files of WordNet are.');
const lines = (file: string) => readFileSync(join(folder, file), 'latin1').split('\n');
const vocabulary = loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));

/** Parts of speech that have a hierarchy, by the digit of a sense key, with the meanings of a word that are kept. */
const PARTS: Readonly<Record<string, { readonly part: string; readonly most: number }>> = {
  1: { part: 'noun', most: 3 },
  2: { part: 'verb', most: 2 },
};
/** Pointers to what a meaning is a kind, an instance or a part of. */
const UPWARD: ReadonlySet<string> = new Set(['@', '@i', '#p']);
/** The pointer from an adjective to the noun that it is made of: "French", "France". */
const PERTAINING = '\\';
const LETTERS: Readonly<Record<string, string>> = { n: 'noun', v: 'verb' };

interface Sense {
  readonly word: string;
  readonly meaning: string;
  readonly rank: number;
}
interface Pointer {
  readonly symbol: string;
  readonly target: string;
  /** Number of the word in its line, from 1; 0 for all of them. */
  readonly from: number;
}

/** Words that are compared: plain, of three letters and more, and known to the vocabulary or seen in the texts of WordNet. */
const isKnown = (word: string, count = 0) =>
  /^[a-z]{3,}$/.test(word) && (count > 0 || vocabulary.surprise(word) !== undefined);

/** The first meanings of known words; later ones only where texts were seen with them. */
function readSenses(): Sense[] {
  return lines('index.sense').flatMap((line) => {
    const [key, offset, rank, count] = line.split(' ');
    const [word = '', rest] = key?.split('%') ?? [];
    const kept = PARTS[rest?.[0] ?? ''];
    if (kept === undefined || !isKnown(word, Number(count)) || Number(rank) > kept.most) return [];
    if (Number(rank) > 1 && Number(count) === 0) return [];
    return [{ word, meaning: `${kept.part}:${offset}`, rank: Number(rank) }];
  });
}

/** The words of each line of a file of WordNet, and where it points. */
function readLines(part: string): { offset: string; words: string[]; pointers: Pointer[] }[] {
  return lines(`data.${part}`).flatMap((line) => {
    if (line.startsWith(' ') || line === '') return [];
    const fields = line.split(' ');
    const size = Number.parseInt(fields[3] ?? '0', 16);
    const words = Array.from({ length: size }, (_, index) => fields[4 + 2 * index] ?? '');
    const start = 5 + 2 * size;
    const count = Number(fields[start - 1]);
    const pointers = Array.from({ length: count }, (_, index) => {
      const [symbol = '', offset = '', letter = '', places = ''] = fields.slice(start + 4 * index);
      return {
        symbol,
        target: `${LETTERS[letter] ?? letter}:${offset}`,
        from: Number.parseInt(places.slice(0, 2), 16),
      };
    });
    return [{ offset: fields[0] ?? '', words, pointers }];
  });
}

const parents = new Map<string, string[]>();
const names = new Map<string, string>();
for (const { part } of Object.values(PARTS)) {
  for (const { offset, words, pointers } of readLines(part)) {
    const up = pointers.filter(({ symbol, target }) => UPWARD.has(symbol) && target.startsWith(part));
    parents.set(`${part}:${offset}`, [...new Set(up.map(({ target }) => target))]);
    names.set(`${part}:${offset}`, words[0] ?? '');
  }
}

/** Adjectives of places and peoples with the noun that they are made of. */
const adjectives: Sense[] = readLines('adj').flatMap(({ words, pointers }) =>
  pointers.flatMap(({ symbol, target, from }) => {
    const word = (words[from - 1] ?? '').replace(/\(.*\)$/, '').toLowerCase();
    const isName = /^[A-Z]/.test(names.get(target) ?? '');
    return symbol === PERTAINING && isName && isKnown(word) ? [{ word, meaning: target, rank: 1 }] : [];
  }),
);
const senses = [...readSenses(), ...adjectives];

/** Meanings of known words and all above them, in a lasting order. */
const kept = new Set<string>();
const waiting = senses.map(({ meaning }) => meaning);
for (let meaning = waiting.pop(); meaning !== undefined; meaning = waiting.pop()) {
  if (kept.has(meaning)) continue;
  kept.add(meaning);
  waiting.push(...(parents.get(meaning) ?? []));
}
const order = [...kept].sort();
const places = new Map(order.map((meaning, place) => [meaning, place.toString(36)]));
const words = new Map<string, Set<string>>();
for (const { word, meaning, rank } of senses) {
  const list = words.get(meaning) ?? new Set();
  words.set(meaning, list.add(rank === 1 ? word : `${word}:${rank}`));
}
const rows = order.map((meaning) => {
  const above = (parents.get(meaning) ?? []).map((parent) => places.get(parent));
  return `${[...(words.get(meaning) ?? [])].join(' ')}\t${above.join(' ')}`;
});
const head = [
  '# Meanings of English words, a line each, and after a tab the lines (from 0, to base 36) of what each is a kind, an instance or a part of.',
  '# Behind a colon stands which meaning of the word it is, where it is not the first. Made by training/hierarchy.ts.',
  '# From WordNet 3.1, Copyright 2011 by Princeton University. All rights reserved. Its licence stands in NOTICE.',
];
writeFileSync(packageFile('models', 'hierarchy-en.tsv'), `${[...head, ...rows].join('\n')}\n`);
console.log(`${rows.length} meanings, ${senses.length} words`);
