import { writeFileSync } from 'node:fs';
import { stemOf } from '../src/text/encoder/gloss.ts';
import { readLines } from './encoder/evaluation.ts';
import {
  bestOf,
  type Candidates,
  collectCandidates,
  type DictionaryEntry,
  type Pair,
  stemCandidates,
} from './encoder/gloss-table.ts';
import { DATA_FOLDER } from './rows.ts';

// Writes models/gloss-ro.tsv, the English words for Romanian ones: npx tsx training/encoder-gloss.ts [data folder]

const HEAD = `# English words for Romanian words, phrases and stems; Romanian without diacritics, in lower case.
# Columns, parted by tabs: kind (phrase, word, stem), Romanian, English. Used by src/text/encoder/gloss.ts.
#
# Licence of this file: CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/ (the rest of the product is under Apache-2.0).
# Made by training/encoder-gloss.ts from:
#   Wiktionary contributors, by way of Matthias Buchmeier's dictionary of 2015 (open-dsl-dict/wiktionary-dict), CC BY-SA 3.0 / GFDL
#   RO-STS-parallel, Dumitrescu et al. 2021 (dumitrescustefan/RO-STS), CC BY-SA 4.0
#   XQuAD, Artetxe et al. 2020 (google-deepmind/xquad), CC BY-SA 4.0
#   NTREX-128, Federmann et al. 2022 (MicrosoftTranslator/NTREX), CC BY-SA 4.0
#   FLORES-200, NLLB team 2022, as in SIB-200, Adelani et al. 2023 (dadelani/sib-200), CC BY-SA 4.0
#   XED, Öhman et al. 2020 (Helsinki-NLP/XED), CC BY 4.0
# Changed: words were aligned statistically (IBM model 1, by word and by stem) and one English word was kept for each Romanian one.
`;

const folder = process.argv[2] ?? DATA_FOLDER;
const pairs = readLines<Pair>(folder, 'parallel', 'train.jsonl.gz');
const dictionary = readLines<DictionaryEntry>(folder, 'parallel', 'dictionary.jsonl.gz');
const { words, phrases } = collectCandidates(pairs, dictionary);

/** Stems whose words have different English words: of the others the reader finds out by itself. */
function ambiguousStems(): Candidates {
  const english = new Map<string, Set<string>>();
  for (const [word, candidates] of words) {
    const stem = stemOf(word);
    english.set(stem, (english.get(stem) ?? new Set()).add(bestOf(candidates)));
  }
  return new Map([...stemCandidates(words)].filter(([stem]) => (english.get(stem)?.size ?? 0) > 1));
}

function lines(kind: string, table: Candidates): string[] {
  const sorted = [...table].toSorted(([one], [two]) => (one < two ? -1 : 1));
  return sorted.map(([romanian, candidates]) => `${kind}\t${romanian}\t${bestOf(candidates)}\n`);
}

const tables = { phrase: phrases, word: words, stem: ambiguousStems() };
const rows = Object.entries(tables).flatMap(([kind, table]) => lines(kind, table));
writeFileSync('models/gloss-ro.tsv', HEAD + rows.join(''));
for (const [kind, table] of Object.entries(tables)) console.log(`${kind}: ${table.size}`);
