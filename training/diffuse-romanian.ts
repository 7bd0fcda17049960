/**
 * Adds the Romanian part to models/diffuse-evidence-weights.json and measures it. Usage: npx tsx training/diffuse-romanian.ts
 * [data folder, default ../shared/data] [folder for vectors, default .cache/vectors]. Twenty seconds of CPU.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { type DenseModel, denseScore, trainDenseModel } from './diffuse/dense.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import { areaUnderCurve, calibrationError, type Scored, withInterval } from './metrics.ts';
import { readRows, shuffled } from './rows.ts';
import { trainDense } from './techniques/stages.ts';

const [data = '../shared/data', cache = '.cache/vectors'] = process.argv.slice(2);
const file = 'models/diffuse-evidence-weights.json';
const log = (line: string) => process.stdout.write(`${line}\n`);
const recipe = { epochs: 10, rate: 0.01, decay: 0.2 };
/** Sentences that stand for calm text, by source, every fourth held back: news, and film dialogue for the spoken registers. */
const CALM = { news: 400, XED: 900, 'NTREX-128': 300, 'RO-STS-parallel': 200, XQuAD: 200 } as const;
const INNER = 5;
const LEAST_WORDS = 5;

interface Weights {
  readonly floor: number;
  readonly bias: number;
  readonly vector: readonly number[];
}
interface OwnRow {
  readonly id: string;
  readonly text: string;
  readonly label: boolean;
  readonly held: boolean;
}
interface Example {
  readonly id: string;
  readonly vector: Float32Array;
  readonly loud: boolean;
  readonly held: boolean;
  readonly own: boolean;
}

const weights = JSON.parse(readFileSync(file, 'utf8')) as Weights;
const rows = readFileSync('training/data/diffuse/romanian.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as OwnRow);
const news = readRows<{ text?: string; tokens?: string[]; lang?: string }>(data, 'ner')
  .filter(({ lang }) => lang === 'ro')
  .slice(0, CALM.news)
  .map(({ text, tokens }) => text ?? (tokens ?? []).join(' '));
const pairs = shuffled(readRows<{ ro: string; source: string }>(data, 'parallel'), 7);
const others = (Object.keys(CALM) as (keyof typeof CALM)[]).flatMap((name) =>
  pairs
    .filter(({ source, ro }) => source === name && ro.split(' ').length >= LEAST_WORDS)
    .slice(0, CALM[name])
    .map(({ ro }) => ro),
);
const vectorsOf = (name: string, texts: readonly string[]) =>
  sentenceVectors(cache, name, [texts], 'ro')[0] ?? new Float32Array();
const ownVectors = vectorsOf(
  'romanian',
  rows.map(({ text }) => text),
);
const newsVectors = vectorsOf('news-ro', news);
const otherVectors = vectorsOf('calm-ro', others);
const examples: Example[] = [
  ...rows.map(({ id, label, held }, index) => ({
    ...{ id, loud: label, held, own: true },
    vector: vectorIn(ownVectors, index),
  })),
  ...news.map((_, index) => ({
    ...{ id: `news-${index}`, loud: false, held: index % 4 === 3, own: false },
    vector: vectorIn(newsVectors, index),
  })),
  ...others.map((_, index) => ({
    ...{ id: `calm-${index}`, loud: false, held: index % 4 === 3, own: false },
    vector: vectorIn(otherVectors, index),
  })),
];
const known = examples.filter(({ held }) => !held);

function train(some: readonly Example[]): DenseModel {
  return trainDenseModel({
    count: some.length,
    width: DIMENSIONS,
    row: (index, out) => out.set(some[index]?.vector ?? []),
    targets: some.map(({ loud }) => [loud ? 1 : 0]),
    outputs: 1,
    link: 'logistic',
    ...recipe,
  });
}
const english = (vector: Float32Array) =>
  weights.vector.reduce((sum, weight, index) => sum + weight * (vector[index] ?? 0), weights.bias);

const foldHeads = Array.from({ length: INNER }, (_, fold) =>
  train(known.filter((_, index) => index % INNER !== fold)),
);
const heldOut = known.map(({ vector }, index) =>
  denseScore(foldHeads[index % INNER] as DenseModel, 0, vector),
);
const sum = trainDense(
  known.map(({ vector }, index) => Float64Array.of(1, english(vector), heldOut[index] ?? 0)),
  known.map(({ loud }) => (loud ? 1 : 0)),
);
const [constant = 0, transferred = 0, own = 0] = sum;
log(`sum of English and Romanian: ${sum.map((weight) => weight.toFixed(2)).join(' ')}`);
const head = train(known);
const round = (value: number) => Number(value.toPrecision(5));
const vector = weights.vector.map((weight, index) =>
  round(transferred * weight + own * (head.weights[index] ?? 0)),
);
const bias = round(constant + transferred * weights.bias + own * (head.bias[0] ?? 0));
writeFileSync(file, `${JSON.stringify({ ...weights, romanian: { bias, vector } })}\n`);

const chance = (numbers: Float32Array) =>
  sigmoid(vector.reduce((total, weight, index) => total + weight * (numbers[index] ?? 0), bias));
const scored = (some: readonly Example[], score: (example: Example) => number): Scored[] =>
  some.map((example) => ({ score: score(example), truth: example.loud, group: example.id }));
const held = examples.filter((example) => example.held);
const report = (name: string, some: readonly Example[]) => {
  const both = scored(some, ({ vector: numbers }) => chance(numbers));
  const alone = scored(some, ({ vector: numbers }) => sigmoid(english(numbers)));
  log(
    `${name} (${some.length}): AUC ${withInterval(both, areaUnderCurve)}, calibration error ${calibrationError(both).toFixed(3)}; the English head alone AUC ${withInterval(alone, areaUnderCurve)}`,
  );
};
report(
  'our sentences, held back',
  held.filter((example) => example.own),
);
report('held back with calm text of others', held);
const above = (some: readonly Example[]) =>
  `${some.filter((example) => chance(example.vector) > weights.floor).length} of ${some.length}`;
log(
  `above the floor, held back: loud ${above(held.filter(({ loud }) => loud))}, calm ${above(held.filter((example) => example.own && !example.loud))}, calm text of others ${above(held.filter((example) => !example.own))}`,
);
writeFileSync(
  'models/diffuse-romanian.svg',
  reliabilityDiagram(
    'A sentence is loud (Romanian, held back)',
    scored(held, (example) => chance(example.vector)),
  ),
);
