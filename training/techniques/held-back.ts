import { ruleCodesByToken } from '../../src/services/analysis/engines/techniques/engine.ts';
import { applyRules, loadRuleBooks } from '../../src/services/analysis/engines/techniques/rules.ts';
import type { WordTable } from '../../src/services/analysis/engines/techniques/word-table.ts';
import { articlesOf } from './articles.ts';
import { type Row, randomFrom, readRows, shuffled } from './rows.ts';
import type { Article } from './stages.ts';

/** Articles are told apart into so many folds by their place. */
export const FOLDS = 5;

/** The articles of the corpus, in the order by which they stand in folds. */
export function readArticles(folder: string, words: WordTable): Article[] {
  const book = loadRuleBooks().en;
  return shuffled(
    articlesOf(readRows<Row>(`${folder}/techniques/train.jsonl.gz`), words, (_, tokens, sentences) =>
      ruleCodesByToken(tokens.length, applyRules(book, tokens, sentences)),
    ),
    randomFrom(5),
  );
}
