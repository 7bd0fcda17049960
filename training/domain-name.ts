/**
 * Trains and scores the model that judges the name of a news site: models/domain-name.bin.
 * Usage: tsx training/domain-name.ts [data folder, default ../shared/data]
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { assess } from '../src/services/domain-check/judgement/check.ts';
import { openPublishedLists } from '../src/services/domain-check/lists/published-lists.ts';
import { SortedTable } from '../src/services/domain-check/lists/table.ts';
import { missingLiveEvidence } from '../src/services/domain-check/live/live.ts';
import {
  loadNameVocabulary,
  NAME_MODEL_BITS,
  type NameBlocks,
  NameFeatures,
} from '../src/services/domain-check/name/model.ts';
import { createWellKnownNames } from '../src/services/domain-check/name/well-known.ts';
import { readSite, type Site } from '../src/services/domain-check/site.ts';
import { type Features, hashText } from '../src/text/features.ts';
import { saveLinear } from '../src/text/linear.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { fitRegisters } from './domain-registers.ts';

interface Example {
  host: string;
  domain: string;
  reliable: 0 | 1;
  weight: number;
  blocks: NameBlocks;
}

/** Letters and words are learnt apart and added, which did better than one model over both. */
type Block = keyof NameBlocks;
const BLOCKS: readonly Block[] = ['letters', 'words'];

/** Chosen by cross-validation over epochs 2 to 30, rates 0.05 to 1 and list weights 0 to 0.6. */
const training = {
  epochs: { letters: 5, words: 12 },
  rate: 0.2,
  l2: 1e-4,
  listedWeight: 0.2,
  folds: 10,
  seed: 1,
} as const;
const BOOTSTRAPS = 1000;
/** Models of resampled sites. */
const RESAMPLED = 12;
/** Share of sites of the other class that a verdict on an unrated site may take in. */
const ERROR_RATE = 0.05;

const data = join(process.argv[2] ?? '../shared/data', 'domains');
const reader = new NameFeatures(loadNameVocabulary());

function example(host: string, reliable: 0 | 1, weight: number): Example[] {
  const site = readSite(host);
  if (site === undefined || !('label' in site)) return [];
  return [{ host, domain: site.domain, reliable, weight, blocks: reader.blocks(site) }];
}

function lines(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split('\t'));
}

const table = (file: string) => lines(packageFile('data', 'domains', file));

function labelOf(...path: string[]): Map<string, string> {
  const [, ...rows] = readFileSync(join(data, ...path, 'reliability.csv'), 'utf8')
    .trim()
    .split(/\r?\n/);
  return new Map(rows.map((row) => row.split(',')).map(([host = '', label = '']) => [host, label]));
}

/** Names on offender lists, beside the rated ones. Networks that pose as local papers would teach that towns are bad. */
function listedNames(): Set<string> {
  const offence = new Set(['fake', 'conspiracy', 'junksci', 'hate', 'unreliable', 'bias', 'rumor', 'state']);
  const opensources = table('opensources.tsv').filter(([, type = '']) => offence.has(type));
  const others = [
    'fakenews-hosts.tsv',
    'wikipedia-fake-news.tsv',
    'viginum-portal-kombat.tsv',
    'rt-mirrors.tsv',
  ];
  const posing = new Set(table('pink-slime.tsv').map(([host = '']) => host));
  const hosts = [...opensources, ...others.flatMap(table)].map(([host = '']) => host);
  return new Set(hosts.filter((host) => !posing.has(host)));
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Weights {
  values: Float32Array;
  bias: number;
}

/** Logistic regression over one block by AdaGrad, stopped early. */
function fitBlock(examples: readonly Example[], block: Block): Weights {
  const values = new Float32Array(2 ** (NAME_MODEL_BITS - 1));
  const squares = new Float32Array(values.length).fill(1e-6);
  let [bias, biasSquares] = [0, 1e-6];
  const next = random(training.seed);
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < training.epochs[block]; epoch++) {
    shuffle(order, next);
    for (const position of order) {
      const item = examples[position];
      if (item === undefined) continue;
      const { indices, values: amounts } = item.blocks[block];
      const error =
        (sigmoid(blockMargin({ values, bias }, item.blocks[block])) - item.reliable) * item.weight;
      biasSquares += error * error;
      bias -= (training.rate * error) / Math.sqrt(biasSquares);
      for (let k = 0; k < indices.length; k++) {
        const index = indices[k] ?? 0;
        const slope = error * (amounts[k] ?? 0) + training.l2 * (values[index] ?? 0);
        squares[index] = (squares[index] ?? 0) + slope * slope;
        values[index] = (values[index] ?? 0) - (training.rate * slope) / Math.sqrt(squares[index] ?? 1);
      }
    }
  }
  return { values, bias };
}

function shuffle(order: number[], next: () => number): void {
  for (let index = order.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
  }
}

function blockMargin(weights: Weights, features: Features): number {
  let sum = weights.bias;
  for (let k = 0; k < features.indices.length; k++) {
    sum += (weights.values[features.indices[k] ?? 0] ?? 0) * (features.values[k] ?? 0);
  }
  return sum;
}

/** The weights of all blocks. */
type NameWeights = Record<Block, Weights>;

/** Both blocks, each scaled so that its margins on the examples have a standard deviation of 1. */
function fit(examples: readonly Example[]): NameWeights {
  const scaled = (block: Block): Weights => {
    const { values, bias } = fitBlock(examples, block);
    const margins = examples.map(({ blocks }) => blockMargin({ values, bias }, blocks[block]));
    const mean = margins.reduce((sum, value) => sum + value, 0) / margins.length;
    const variance = margins.reduce((sum, value) => sum + (value - mean) ** 2, 0) / margins.length;
    const scale = 1 / Math.sqrt(variance);
    return { values: values.map((value) => value * scale), bias: bias * scale };
  };
  return { letters: scaled('letters'), words: scaled('words') };
}

const margin = (weights: NameWeights, { blocks }: Example) =>
  BLOCKS.reduce((sum, block) => sum + blockMargin(weights[block], blocks[block]), 0);

interface Scored {
  host: string;
  reliable: 0 | 1;
  margin: number;
}

/** Area under the ROC curve: the share of (reliable, unreliable) pairs in the right order; ties count half. */
function areaUnderCurve(scored: readonly Scored[]): number {
  const sorted = [...scored].sort((a, b) => a.margin - b.margin);
  let [ranks, positives] = [0, 0];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.margin === sorted[start]?.margin) end++;
    const share = sorted.slice(start, end).filter((item) => item.reliable === 1).length;
    ranks += share * ((start + 1 + end) / 2);
    positives += share;
    start = end;
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (sorted.length - positives));
}

function interval(scored: readonly Scored[]): [number, number] {
  const next = random(7);
  const areas = Array.from({ length: BOOTSTRAPS }, () =>
    areaUnderCurve(scored.flatMap(() => scored[Math.floor(next() * scored.length)] ?? [])),
  ).sort((a, b) => a - b);
  return [areas[Math.floor(BOOTSTRAPS * 0.025)] ?? 0, areas[Math.floor(BOOTSTRAPS * 0.975)] ?? 0];
}

/** Slope and intercept of the log-odds at even prior odds (Platt, both classes weighing the same), by Newton steps. */
function calibrate(scored: readonly Scored[]): { slope: number; intercept: number } {
  const positives = scored.filter((item) => item.reliable === 1).length;
  const weightOf = (item: Scored) => 0.5 / (item.reliable === 1 ? positives : scored.length - positives);
  let [slope, intercept] = [1, 0];
  for (let step = 0; step < 50; step++) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9];
    for (const item of scored) {
      const p = sigmoid(slope * item.margin + intercept);
      const weight = weightOf(item);
      const [error, curve] = [weight * (p - item.reliable), weight * p * (1 - p)];
      g0 += error;
      g1 += error * item.margin;
      h00 += curve;
      h01 += curve * item.margin;
      h11 += curve * item.margin * item.margin;
    }
    const determinant = h00 * h11 - h01 * h01;
    intercept -= (h11 * g0 - h01 * g1) / determinant;
    slope -= (h00 * g1 - h01 * g0) / determinant;
  }
  return { slope, intercept };
}

const labels = labelOf();
/** The third that others measure on; its sites are not learnt from either where a list names them. */
const keptAside = new Set(labelOf('third').keys());
const listed = listedNames();
const rated = [...labels].flatMap(([host, label]) =>
  label === 'high' ? example(host, 1, 1) : label === 'low' ? example(host, 0, 1) : [],
);
// Satire and mixed sites are neither: they teach nothing here, listed or not.
const known = new Set(['high', 'low', 'mixed', 'satire']);
const offenders = [...listed]
  .filter((host) => !known.has(labels.get(host) ?? '') && !keptAside.has(host))
  .flatMap((host) => example(host, 0, training.listedWeight));
const examples = [...rated, ...offenders];
// By registrable name, so that two hosts of one site never stand on both sides.
const foldOf = (item: Example) => (hashText(item.domain, 11) >>> 8) % training.folds;

const scored: Scored[] = [];
for (let fold = 0; fold < training.folds; fold++) {
  const weights = fit(examples.filter((item) => foldOf(item) !== fold));
  for (const item of rated.filter((candidate) => foldOf(candidate) === fold)) {
    scored.push({ host: item.host, reliable: item.reliable, margin: margin(weights, item) });
  }
}
const { slope, intercept } = calibrate(scored);
const report = (name: string, part: readonly Scored[]) =>
  console.log(
    name,
    part.length,
    areaUnderCurve(part).toFixed(4),
    interval(part).map((value) => value.toFixed(4)),
  );
report('rated sites, cross-validated: count, AUC, 95 % interval', scored);
report(
  'of these on no offender list',
  scored.filter((item) => !listed.has(item.host)),
);
console.log('examples', { rated: rated.length, offenders: offenders.length }, { slope, intercept });
for (const [low, high] of [
  [-9, -3],
  [-3, -2],
  [-2, -1],
  [-1, 0],
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 9],
] as const) {
  const part = scored.filter(
    (item) => slope * item.margin + intercept >= low && slope * item.margin + intercept < high,
  );
  console.log(
    `log-odds ${low} to ${high}: ${part.length} sites, reliable ${part.filter((item) => item.reliable).length}`,
  );
}

// The whole offline score, as if the site were not rated: lists, neutral registers and name, each name judged by a
// model that has not seen it, and without the well-known names that were drawn from the ratings. Of the link graph only
// that it has the site counts: its estimates were made from these very ratings.
const knownNames = SortedTable.open(packageFile('data', 'domains', 'well-known-extra.tsv')).domains();
const published = openPublishedLists(['mbfc', 'idiap']);
const lists = {
  ...published,
  lookUp: (site: Site) =>
    published.lookUp(site).map((hit) => (hit.source.kind === 'estimate' ? { ...hit, cells: ['0'] } : hit)),
};
const wellKnownNames = createWellKnownNames([...knownNames]);
const judged = scored.flatMap((item) => {
  const site = readSite(item.host);
  if (site === undefined || !('domain' in site)) return [];
  const logOdds = slope * item.margin + intercept;
  const nameModel = { version: '', logOdds: () => logOdds };
  const record = assess(
    site,
    { lists, wellKnown: wellKnownNames, nameModel },
    missingLiveEvidence('not_requested'),
    0,
  );
  const kinds = new Set(lists.lookUp(site).map((hit) => hit.source.kind));
  const registers = { crawl: kinds.has('estimate'), wikidata: kinds.has('register') };
  return [{ ...item, ...registers, logOdds, margin: record.trust_score ?? 50 }];
});
report('trust_score without ratings, estimates and network', judged);
const unlisted = judged.filter((item) => !listed.has(item.host));
report('of these on no offender list', unlisted);
const unseen = unlisted.filter((item) => !item.crawl);
report('of these in no news crawl', unseen);
report(
  'of these in no register either',
  unseen.filter((item) => !item.wikidata),
);
console.log('registers, in log-odds of the name', fitRegisters(unlisted));

/** The score that at most ERROR_RATE of a class lies beyond, and the share of the other class that does. */
function boundary(scores: readonly Scored[], verdict: 'suspicious' | 'reliable'): void {
  const isWrong = ({ reliable }: Scored) => reliable === (verdict === 'suspicious' ? 1 : 0);
  const sign = verdict === 'suspicious' ? 1 : -1;
  const wrong = scores.filter(isWrong).map((item) => sign * item.margin);
  const bound = wrong.sort((a, b) => a - b)[Math.floor(wrong.length * ERROR_RATE)] ?? 0;
  const beyond = (part: readonly Scored[]) =>
    part.filter((item) => sign * item.margin < bound).length / part.length;
  const right = scores.filter((item) => !isWrong(item));
  console.log(
    verdict,
    'beyond',
    sign * bound,
    'errors',
    beyond(scores.filter(isWrong)),
    'found',
    beyond(right),
  );
}
// The bounds serve sites whose verdict rests on the name: those of the crawl have an estimate.
boundary(unseen, 'suspicious');
boundary(unseen, 'reliable');
// Calibration of trust_score itself, both classes weighing the same.
for (let low = 0; low < 100; low += 10) {
  const part = unseen.filter(({ margin: score }) => score >= low && score < low + 10);
  const weight = (reliable: 0 | 1) => 1 / unseen.filter((item) => item.reliable === reliable).length;
  const [good, bad] = ([1, 0] as const).map(
    (reliable) => part.filter((item) => item.reliable === reliable).length * weight(reliable),
  );
  console.log(
    `trust_score ${low} to ${low + 10}: ${part.length} sites, reliable ${((good ?? 0) / ((good ?? 0) + (bad ?? 0))).toFixed(3)}`,
  );
}

/** Half of the range in log-odds that nine of ten models, each of resampled sites, give a site which none of them has seen. */
function spread(): number {
  const next = random(3);
  const [seen, unseen] = [
    examples.filter((item) => foldOf(item) !== 0),
    rated.filter((item) => foldOf(item) === 0),
  ];
  const models = Array.from({ length: RESAMPLED }, () =>
    fit(seen.flatMap(() => seen[Math.floor(next() * seen.length)] ?? [])),
  );
  const deviations = unseen.map((item) => {
    const odds = models.map((weights) => slope * margin(weights, item) + intercept);
    const mean = odds.reduce((sum, value) => sum + value, 0) / odds.length;
    return Math.sqrt(odds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / odds.length);
  });
  return 1.645 * (deviations.reduce((sum, value) => sum + value, 0) / deviations.length);
}
console.log('half-width of the range', spread());

function joined(one: Float32Array, other: Float32Array): Float32Array {
  const all = new Float32Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

const final = fit(examples);
const bytes = saveLinear(
  {
    name: 'limpede-domain-name',
    version: '2.0.0',
    labels: ['reliable'],
    bits: NAME_MODEL_BITS,
    quantisation: 'int8',
    scales: [1],
    bias: [final.letters.bias + final.words.bias],
    calibration: { link: 'logistic', slope: [slope], intercept: [intercept] },
    thresholds: {},
    parameters: {},
  },
  joined(final.letters.values, final.words.values),
);
writeFileSync(packageFile('models', 'domain-name.bin'), bytes);
