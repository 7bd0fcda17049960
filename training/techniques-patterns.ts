/**
 * Counts in how many loud and in how many calm texts of all hands each pattern of the rules and frames stands, and prints those that
 * are no more frequent in loud ones. Usage: npx tsx training/techniques-patterns.ts [data folder, default ../shared/data] [least calm
 * texts, default 4]
 */
import { readFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import {
  applyRules,
  parseRuleBook,
  type RuleBook,
} from '../src/services/analysis/engines/techniques/rules.ts';
import { sentenceRanges, tokenise } from '../src/services/analysis/engines/techniques/tokens.ts';
import { readingRows } from './reading/rows.ts';
import { DATA_FOLDER } from './rows.ts';

type RuleFile = Parameters<typeof parseRuleBook>[0];

const [folder = DATA_FOLDER, least = '4'] = process.argv.slice(2);

interface Tally {
  readonly book: string;
  readonly code: string;
  readonly pattern: string;
  loud: number;
  calm: number;
}
const tallies: Tally[] = [];

/** A book in which each pattern is a rule of its own, named by its place among the tallies. */
function bookOf(book: string): RuleBook {
  const path = packageFile('src', 'services', 'analysis', 'engines', 'techniques', 'rules', `${book}.json`);
  const { lists, rules } = JSON.parse(readFileSync(path, 'utf8')) as RuleFile;
  const single = rules.flatMap((rule) =>
    rule.patterns.map((pattern) => {
      tallies.push({ book, code: rule.code, pattern, loud: 0, calm: 0 });
      return { ...rule, code: String(tallies.length - 1), patterns: [pattern] };
    }),
  );
  return parseRuleBook({ lists, rules: single, reporting: [], studying: [] });
}

const books = {
  en: ['en', 'en-frames'].map(bookOf),
  ro: ['ro', 'ro-frames'].map(bookOf),
};
for (const { text, lang, loud } of readingRows(folder)) {
  if (loud === null) continue;
  const plain = toPlainText(text).text;
  const tokens = tokenise(plain);
  const sentences = sentenceRanges(plain, tokens);
  const found = books[lang].flatMap((book) => applyRules(book, tokens, sentences).map(({ code }) => code));
  for (const code of new Set(found)) {
    const tally = tallies[Number(code)];
    if (tally !== undefined) tally[loud ? 'loud' : 'calm'] += 1;
  }
}
const doubtful = tallies
  .filter(({ loud, calm }) => calm >= Number(least) && loud <= calm)
  .sort((one, two) => two.calm - two.loud - (one.calm - one.loud));
process.stdout.write(`${tallies.length} patterns, ${doubtful.length} in no more loud texts than calm ones\n`);
for (const { book, code, pattern, loud, calm } of doubtful)
  process.stdout.write(`${book} ${code}: ${loud} loud, ${calm} calm: ${pattern}\n`);
