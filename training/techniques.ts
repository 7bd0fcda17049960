/**
 * Trains and measures models/techniques.bin. Usage: npx tsx training/techniques.ts [data folder, default ../shared/data].
 * Deterministic; about three minutes on one core. Figures are of articles that the measured model did not see.
 */
import { writeFileSync } from 'node:fs';
import meta from '../data/taxonomy/technique-meta.json' with { type: 'json' };
import { ruleCodesByToken } from '../src/services/analysis/engines/techniques/engine.ts';
import {
  type TechniquesModel,
  writeTechniquesModel,
} from '../src/services/analysis/engines/techniques/model-file.ts';
import { applyRules, loadRuleBooks } from '../src/services/analysis/engines/techniques/rules.ts';
import { articlesOf } from './techniques/articles.ts';
import {
  endToEnd,
  type Figures,
  figuresOf,
  fitCalibration,
  foldModels,
  type HeldOut,
  heldOut,
  heldOutScreenings,
  namedSpans,
  roundedModel,
} from './techniques/folds.ts';
import { type Row, randomFrom, readRows, shuffled } from './techniques/rows.ts';
import { trainScreening } from './techniques/stages.ts';
import { learnWords } from './techniques/word-vectors.ts';

const folds = 5;
const version = '1.0.0';
/** Chosen on the folds: the third look's weights, and the token threshold with the best span score. */
const settings = { blend: [0, 0.55, 0.5], spanThreshold: 0.2 };

const [folder = '../shared/data'] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);

const rows = readRows<Row>(`${folder}/techniques/train.jsonl.gz`);
const labels = Object.keys(meta.label_to_codes.semeval2020).sort();
const words = learnWords(folder, log);
const book = loadRuleBooks().en;
const articles = shuffled(
  articlesOf(rows, words, (_, tokens, sentences) =>
    ruleCodesByToken(tokens.length, applyRules(book, tokens, sentences)),
  ),
  randomFrom(5),
);
const models = foldModels(articles, words, labels, folds, settings, log);
const held = heldOutScreenings(articles, models);
reportFigures(held);

const calibration = fitCalibration(held, labels);
reportConfidence(held);
const final = { ...roundedModel(trainScreening(articles, words, labels)), ...settings };
const model: TechniquesModel = { name: 'limpede-techniques-1', version, screening: final, calibration };
const bytes = writeTechniquesModel(model);
writeFileSync('models/techniques.bin', bytes);
const seen = articles.slice(0, 40).map((article) => heldOut(article, final));
log(
  `models/techniques.bin: ${bytes.length} bytes; on 40 articles it was trained on, span F1 ${figuresOf(seen).spanF1.toFixed(3)}`,
);

/** Figures over all articles, each with a 95 % interval from resampling articles. */
function reportFigures(items: readonly HeldOut[]): void {
  const random = randomFrom(23);
  const draws = Array.from({ length: 200 }, () =>
    figuresOf(Array.from(items, () => items[Math.floor(random() * items.length)] as HeldOut)),
  );
  const all = figuresOf(items);
  for (const key of Object.keys(all) as (keyof Figures)[]) {
    const sorted = draws.map((draw) => draw[key]).sort((a, b) => a - b);
    log(
      `${key}: ${all[key].toFixed(3)} (${(sorted[5] ?? 0).toFixed(3)} to ${(sorted[194] ?? 0).toFixed(3)})`,
    );
  }
}

function reportConfidence(items: readonly HeldOut[]): void {
  const named = namedSpans(items, calibration);
  for (const [low, high] of [
    [0.1, 0.2],
    [0.2, 0.3],
    [0.3, 0.4],
    [0.4, 0.5],
    [0.5, 0.6],
    [0.6, 0.7],
    [0.7, 1],
  ] as const) {
    const bin = named.filter(({ confidence }) => confidence >= low && confidence < high);
    const right = bin.filter((item) => item.right).length / Math.max(1, bin.length);
    const mean = bin.reduce((sum, item) => sum + item.confidence, 0) / Math.max(1, bin.length);
    log(
      `confidence ${low} to ${high}: ${bin.length} spans, mean ${mean.toFixed(2)}, right ${right.toFixed(2)}`,
    );
  }
  for (const threshold of [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5]) {
    const { micro, macroF1 } = endToEnd(items, calibration, threshold);
    log(
      `end to end at ${threshold}: micro P ${micro.precision.toFixed(3)} R ${micro.recall.toFixed(3)} F1 ${micro.f1.toFixed(3)}, macro F1 ${macroF1.toFixed(3)}`,
    );
  }
  for (const threshold of [0.25, 0.5]) {
    for (const [label, score] of endToEnd(items, calibration, threshold).perLabel) {
      log(
        `at ${threshold} ${label}: P ${score.precision.toFixed(2)} R ${score.recall.toFixed(2)} F1 ${score.f1.toFixed(2)}`,
      );
    }
  }
}
