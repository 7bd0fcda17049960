/**
 * Fits how what the pieces say is added to what the words say, measures it, and writes it into models/techniques.bin. Usage:
 * npx tsx training/techniques-close.ts FOLDER [data folder, default ../shared/data]; FOLDER holds what training/techniques/export-pieces.ts,
 * fold-models.ts and upper.py made.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import {
  type CombinationWeights,
  encoderScores,
} from '../src/services/analysis/engines/techniques/encoder-scores.ts';
import {
  readTechniquesModel,
  writeTechniquesModel,
} from '../src/services/analysis/engines/techniques/model-file.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { anyFigures, spanFigures } from './evaluate/tasks/techniques.ts';
import { type FittedWeights, fitClose, readArticle } from './techniques/close.ts';
import {
  endToEnd,
  figuresOf,
  fitCalibration,
  type HeldOut,
  heldOut,
  namedSpans,
} from './techniques/folds.ts';
import { FOLDS, readArticles } from './techniques/held-back.ts';
import { bestF1 } from './techniques/measure.ts';
import { heldBackPieces } from './techniques/pieces.ts';
import { sentenceGold } from './techniques/stages.ts';

/** Ways to cut spans that are tried. */
const [GAPS, THRESHOLDS] = [[2, 3], [0.24]];
const [folder = '', data = '../shared/data'] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);
const shipped = readTechniquesModel(readFileSync('models/techniques.bin'));
const { words, labels } = shipped.screening;
const articles = readArticles(data, words);
const models = Array.from(
  { length: FOLDS },
  (_, fold) => readTechniquesModel(readFileSync(join(folder, `words-${fold}.bin`))).screening,
);
const pieces = heldBackPieces(folder, articles.length);
const items = articles.flatMap((article, index) => {
  const model = models[index % FOLDS];
  const own = pieces[index];
  if (model === undefined || own === undefined) return [];
  const close = encoderScores(own, article.view.tokens, article.view.sentences, labels.length);
  return [readArticle(article, model, close)];
});
log(`${items.length} articles read`);
const tell = (name: string, held: readonly HeldOut[]) =>
  log(
    `${name}: ${Object.entries(figuresOf(held))
      .map(([key, value]) => `${key} ${value.toFixed(4)}`)
      .join(', ')}`,
  );
tell(
  'words alone',
  items.map(({ article, model }) => heldOut(article, model)),
);

const kept = join(folder, 'fits.json');
const fits: FittedWeights[] = existsSync(kept)
  ? (JSON.parse(readFileSync(kept, 'utf8')) as FittedWeights[])
  : Array.from({ length: FOLDS }, (_, fold) =>
      fitClose(
        items.filter((__, index) => index % FOLDS !== fold),
        labels,
      ),
    );
writeFileSync(kept, JSON.stringify(fits));

/** All articles read with weights of the other folds, spans cut in one way. */
const readBy = (cut: Pick<CombinationWeights, 'spanThreshold' | 'joinGap'>) =>
  items.flatMap(({ article, model, close }, index) => {
    const fit = fits[index % FOLDS];
    return fit === undefined ? [] : [heldOut(article, { ...model, combination: { ...fit, ...cut } }, close)];
  });
let best = { spanThreshold: 0, joinGap: 0, f1: 0 };
for (const joinGap of GAPS)
  for (const spanThreshold of THRESHOLDS) {
    const { spanF1, spanPrecision, spanRecall } = figuresOf(readBy({ spanThreshold, joinGap }));
    log(
      `gap ${joinGap}, from ${spanThreshold}: P ${spanPrecision.toFixed(4)} R ${spanRecall.toFixed(4)} F1 ${spanF1.toFixed(4)}`,
    );
    if (spanF1 > best.f1) best = { spanThreshold, joinGap, f1: spanF1 };
  }
const { f1: _, ...cut } = best;
const held = readBy(cut);
tell('words and pieces', held);
const calibration = fitCalibration(held, labels);
for (const threshold of [0.12, 0.15, 0.18, 0.2, 0.22, 0.25, 0.3, 0.4, 0.5]) {
  const { micro, macroF1 } = endToEnd(held, calibration, threshold);
  log(
    `end to end at ${threshold}: micro P ${micro.precision.toFixed(3)} R ${micro.recall.toFixed(3)} F1 ${micro.f1.toFixed(3)}, macro F1 ${macroF1.toFixed(3)}`,
  );
}
for (const [low, high] of [
  [0.2, 0.3],
  [0.3, 0.4],
  [0.4, 0.5],
  [0.5, 0.6],
  [0.6, 0.7],
  [0.7, 0.8],
  [0.8, 1],
] as const) {
  const bin = namedSpans(held, calibration).filter(
    ({ confidence }) => confidence >= low && confidence < high,
  );
  const right = bin.filter((one) => one.right).length / Math.max(1, bin.length);
  const mean = bin.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, bin.length);
  log(
    `confidence ${low} to ${high}: ${bin.length} spans, mean ${mean.toFixed(3)}, right ${right.toFixed(3)}`,
  );
}

/** The figures of articles that nothing in the models has seen, for docs/models.md. */
function record(): void {
  const chances = held.flatMap(({ article, screening }) => {
    const gold = sentenceGold(article);
    return [...screening.sentences].map((score, at) => ({
      score,
      truth: gold[at] === 1,
      group: article.doc,
    }));
  });
  const { threshold } = bestF1(
    chances.map(({ score }) => score),
    chances.map(({ truth }) => (truth ? 1 : 0)),
  );
  log(`best threshold for any technique: ${threshold.toFixed(3)}`);
  const figures = [...anyFigures('en', chances), ...spanFigures('en', held, calibration)];
  for (const { part, metric, value, low, high } of figures)
    log(`${part}, ${metric}: ${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`);
  recordFigures({ task: 'techniques', split: `five folds by article, ${articles.length} articles`, figures });
  const diagram = reliabilityDiagram('Any technique in a sentence', chances);
  writeFileSync(packageFile('models', 'techniques-any.svg'), diagram);
}

if (process.argv.includes('--write')) {
  record();
  const close = { ...fitClose(items, labels), ...cut };
  const bytes = writeTechniquesModel({
    ...shipped,
    screening: { ...shipped.screening, combination: close },
    combinationCalibration: calibration,
  });
  writeFileSync('models/techniques.bin', bytes);
  log(`models/techniques.bin: ${bytes.length} bytes`);
}
