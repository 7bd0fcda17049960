// Makes models/relations-en.tsv from the files of WordNet: npx tsx training/relations.ts <folder with index.sense and data.*>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say where the files of WordNet are.');
const lines = (file: string) => readFileSync(join(folder, file), 'latin1').split('\n');

/** Parts of speech by the digit of a sense key; 5 are adjectives that stand near a head. */
const PARTS: Readonly<Record<string, string>> = { 1: 'noun', 2: 'verb', 3: 'adj', 4: 'adv', 5: 'adj' };
/** The shortest word; shorter ones have too many senses. */
const SHORTEST = 3;
const isPlain = (word: string) => /^[a-z]+$/.test(word) && word.length >= SHORTEST;

interface Sense {
  readonly word: string;
  readonly synset: string;
  readonly rank: number;
  readonly count: number;
}

function readSenses(): Sense[] {
  return lines('index.sense').flatMap((line) => {
    const [key, offset, rank, count] = line.split(' ');
    const [word, rest] = key?.split('%') ?? [];
    const part = PARTS[rest?.[0] ?? ''];
    if (word === undefined || part === undefined || !isPlain(word)) return [];
    return [{ word, synset: `${part}:${offset}`, rank: Number(rank), count: Number(count) }];
  });
}

/** Two words mean the same where the first sense of both is one synset, and texts were seen with it. */
function synonyms(senses: readonly Sense[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { word, synset, rank, count } of senses)
    if (rank === 1 && count > 0) groups.set(synset, [...(groups.get(synset) ?? []), word]);
  return [...groups.values()].flatMap((words) =>
    words.flatMap((one, index) => words.slice(index + 1).map((other) => `same\t${one}\t${other}`)),
  );
}

/** The pointer `!` leads from a word of a synset to a word of the opposite one. */
function opposites(): string[] {
  const synsets = new Map<string, { words: string[]; pointers: [string, number, number][] }>();
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    for (const line of lines(`data.${part}`)) {
      if (line.startsWith(' ') || line === '') continue;
      const [offset = '', , , size = '0', ...rest] = line.split(' ');
      const count = Number.parseInt(size, 16);
      const words = Array.from({ length: count }, (_, index) => rest[index * 2] ?? '');
      const pointers: [string, number, number][] = [];
      for (let at = count * 2 + 1; rest[at] !== '|' && at < rest.length; at++) {
        if (rest[at] !== '!') continue;
        const places = rest[at + 3] ?? '0000';
        pointers.push([
          `${part}:${rest[at + 1]}`,
          Number.parseInt(places.slice(0, 2), 16) - 1,
          Number.parseInt(places.slice(2), 16) - 1,
        ]);
      }
      synsets.set(`${part}:${offset}`, { words, pointers });
    }
  }
  const plain = (word: string | undefined) => word?.replace(/\(.*\)$/, '').toLowerCase() ?? '';
  return [...synsets.values()].flatMap(({ words, pointers }) =>
    pointers.flatMap(([target, from, to]) => {
      const pair = [plain(words[from]), plain(synsets.get(target)?.words[to])];
      return pair.every(isPlain) ? [`opposite\t${pair.sort().join('\t')}`] : [];
    }),
  );
}

const rows = [...new Set([...synonyms(readSenses()), ...opposites()])].sort();
const head = [
  '# English words that mean the same (first sense of both) and words that are opposites, parted by tabs. Made by training/relations.ts.',
  '# From WordNet 3.1, Copyright 2011 by Princeton University. All rights reserved. Its licence stands in NOTICE.',
];
writeFileSync('models/relations-en.tsv', `${[...head, ...rows].join('\n')}\n`);
console.log(`${rows.length} relations`);
