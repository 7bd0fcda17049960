import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../src/text/folding.ts';
import { plainTextOf } from '../src/text/plain/plain-text.ts';
import { loadVocabulary, saveVocabulary } from '../src/text/vocabulary.ts';
import { DATA_FOLDER, readRows } from './rows.ts';

// Counts the words of models/vocabulary.bin: npx tsx training/vocabulary.ts [data folder]

interface Row {
  readonly text?: string;
  readonly title?: string;
  readonly claim?: string;
  readonly evidence?: string;
  readonly ro?: string;
  readonly tokens?: readonly string[];
  readonly label?: unknown;
  readonly lang?: string;
  readonly source?: string;
}

const folder = process.argv[2] ?? DATA_FOLDER;
type Language = 'en' | 'ro';
/** Words of fewer occurrences are mostly slips of the pen. Romanian has fewer rows and more forms of each word. */
const LEAST: Record<Language, number> = { en: 3, ro: 2 };
/** The only letters that are words by themselves. */
const ONE_LETTER: Record<Language, ReadonlySet<string>> = { en: new Set('ai'), ro: new Set('aeio') };

const isRomanian = ({ lang, label }: Row) => lang === 'ro' || label === 'ro';
const isEnglish = ({ lang, label }: Row) => lang === 'en' || label === 'en';

/** What each task gives to each language: rows that people wrote. */
const SOURCES: readonly (readonly [task: string, language: Language, keep: (row: Row) => boolean])[] = [
  ['ai_text', 'en', ({ label }) => label === 'human'],
  ['techniques', 'en', () => true],
  ['hyperpartisan', 'en', () => true],
  ['checkworthy', 'en', () => true],
  ['clickbait', 'en', () => true],
  ['sentiment', 'en', () => true],
  ['fallacy_climate', 'en', () => true],
  ['fallacy_comments', 'en', () => true],
  ['emotion', 'en', isEnglish],
  ['langid', 'en', isEnglish],
  ['emotion', 'ro', isRomanian],
  ['langid', 'ro', isRomanian],
  ['toxicity', 'ro', isRomanian],
  ['ner', 'ro', isRomanian],
  ['parallel', 'ro', () => true],
];

function textOf(row: Row, task: string): string {
  if (task === 'parallel') return row.ro ?? '';
  return [row.title, row.text, row.claim, row.evidence, row.tokens?.join(' ')].filter(Boolean).join(' ');
}

const counts: Record<Language, Map<string, number>> = { en: new Map(), ro: new Map() };

function countWords(text: string, language: Language, amount = 1): void {
  for (const word of fold(text, 'strip').text.match(/(?<![\w@#])[a-z]+(?![\w@])/g) ?? []) {
    if (word.length === 1 && !ONE_LETTER[language].has(word)) continue;
    counts[language].set(word, (counts[language].get(word) ?? 0) + amount);
  }
}

for (const [task, language, keep] of SOURCES)
  for (const row of readRows<Row>(folder, task)) if (keep(row)) countWords(textOf(row, task), language);

/** Whole words of our own rules: those that a disguise is meant for. Stems, which end in a star, are no words. */
function ownWords(path: string, language: Language): void {
  const whole = /(?<!\p{L})\p{L}{3,}(?![\p{L}*])/gu;
  for (const [word] of readFileSync(path, 'utf8').matchAll(whole))
    countWords(word, language, LEAST[language]);
}
const rules = 'src/services/analysis/engines/techniques/rules';
for (const file of readdirSync(rules)) {
  if (file.startsWith('en')) ownWords(join(rules, file), 'en');
  if (file.startsWith('ro')) ownWords(join(rules, file), 'ro');
}

/** The larger of the two shares: a word of either language is a word. */
const shares = new Map<string, number>();
for (const language of ['en', 'ro'] as const) {
  const all = [...counts[language].values()].reduce((sum, count) => sum + count, 0);
  let kept = 0;
  for (const [word, count] of counts[language]) {
    if (count < LEAST[language]) continue;
    kept += 1;
    shares.set(word, Math.max(shares.get(word) ?? 0, count / all));
  }
  console.log(`${language}: ${all} words, ${counts[language].size} forms, ${kept} kept`);
}
const bytes = saveVocabulary(shares);
writeFileSync('models/vocabulary.bin', bytes);
console.log(`${shares.size} words, ${bytes.length} bytes`);

/** Rows of calm or neutral writing, most of them without disguises: how many of them are read in another spelling. */
const CALM: readonly (readonly [task: string, keep: (row: Row) => boolean])[] = [
  ['ai_text', ({ label }) => label === 'human'],
  ['techniques', () => true],
  ['hyperpartisan', ({ label }) => label === 'mainstream'],
  ['checkworthy', () => true],
  ['clickbait', ({ label }) => label === 'news'],
  ['claim_evidence', () => true],
  ['parallel', () => true],
];
const vocabulary = loadVocabulary(bytes);
for (const [task, keep] of CALM) {
  const rows = readRows<Row>(folder, task).filter(keep);
  const read = rows.map((row) => plainTextOf(textOf(row, task), vocabulary).disguises);
  const words = read.flat().filter(({ kind }) => kind !== 'invisible_characters' && kind !== 'markup').length;
  console.log(
    `${task}: ${rows.length} rows, ${read.filter((all) => all.length > 0).length} with a disguise, ${words} words respelled`,
  );
}
