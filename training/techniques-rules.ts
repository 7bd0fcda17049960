/**
 * Measures the English rules, or the frames, alone on the propaganda-techniques articles (rules: written without them, pruned
 * once on them; frames: written and pruned without them). Usage: npx tsx training/techniques-rules.ts [data folder, default
 * ../shared/data] [rules|frames]
 */
import meta from '../data/taxonomy/technique-meta.json' with { type: 'json' };
import { applyFrames, loadFrameBooks } from '../src/services/analysis/engines/techniques/frames.ts';
import { limits } from '../src/services/analysis/engines/techniques/limits.ts';
import { applyRules, loadRuleBooks } from '../src/services/analysis/engines/techniques/rules.ts';
import { WordTable } from '../src/services/analysis/engines/techniques/word-table.ts';
import { articlesOf } from './techniques/articles.ts';
import { type Row, readRows } from './techniques/rows.ts';
import { sentenceGold } from './techniques/stages.ts';

const [folder = '../shared/data', which = 'rules'] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);
const book = loadRuleBooks().en;
const frames = loadFrameBooks().en;
const noWords = new WordTable(new Uint32Array(), new Uint16Array(), new Uint8Array());
const rows = readRows<Row>(`${folder}/techniques/train.jsonl.gz`);
const labelsOfCode = (code: string) =>
  Object.entries(meta.label_to_codes.semeval2020).flatMap(([label, codes]) =>
    codes.includes(code) ? [label] : [],
  );

const tallies = new Map<string, { hits: number; any: number; same: number }>();
let [sentences, marked] = [0, 0];
for (const article of articlesOf(rows, noWords, (_, tokens) => new Uint8Array(tokens.length))) {
  const gold = sentenceGold(article);
  sentences += gold.length;
  marked += gold.reduce((sum, value) => sum + value, 0);
  const { tokens, sentences: ranges } = article.view;
  const hits = which === 'frames' ? applyFrames(frames, tokens, ranges) : applyRules(book, tokens, ranges);
  for (const hit of hits) {
    if (hit.confidence < limits.leastWeight) continue;
    const tally = tallies.get(hit.code) ?? { hits: 0, any: 0, same: 0 };
    const labels = labelsOfCode(hit.code);
    tally.hits += 1;
    tally.any += gold[hit.sentence] ?? 0;
    tally.same += article.spans.some((span) => span.sentence === hit.sentence && labels.includes(span.label))
      ? 1
      : 0;
    tallies.set(hit.code, tally);
  }
}
log(`${sentences} sentences, ${((100 * marked) / sentences).toFixed(0)} % with a technique`);
for (const [code, { hits, any, same }] of [...tallies].sort((a, b) => b[1].hits - a[1].hits)) {
  const comparable =
    labelsOfCode(code).length > 0 ? `${((100 * same) / hits).toFixed(0)} %` : 'not in the corpus';
  log(
    `${code}: ${hits} hits, ${((100 * any) / hits).toFixed(0)} % in a sentence with a technique, same technique ${comparable}`,
  );
}
const total = [...tallies.values()].reduce(
  (sum, tally) => ({ hits: sum.hits + tally.hits, any: sum.any + tally.any }),
  { hits: 0, any: 0 },
);
log(
  `all: ${total.hits} hits, ${((100 * total.any) / total.hits).toFixed(0)} % in a sentence with a technique`,
);
