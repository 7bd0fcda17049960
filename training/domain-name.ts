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
import { withoutLive } from '../src/services/domain-check/live/live.ts';
import { NAME_MODEL_BITS, NameFeatures } from '../src/services/domain-check/name/model.ts';
import { createWellKnownNames } from '../src/services/domain-check/name/well-known.ts';
import { readSite } from '../src/services/domain-check/site.ts';
import { type Features, hashText } from '../src/text/features.ts';
import { saveLinear, sigmoid } from '../src/text/linear.ts';

interface Example {
  host: string;
  domain: string;
  reliable: 0 | 1;
  weight: number;
  features: Features;
}

/** Chosen by cross-validation over epochs 2 to 30, rates 0.05 to 1 and list weights 0 to 0.6. */
const training = { epochs: 5, rate: 0.2, l2: 1e-4, listedWeight: 0.2, folds: 10, seed: 1 } as const;
const BOOTSTRAPS = 1000;

const data = join(process.argv[2] ?? '../shared/data', 'domains');
const reader = new NameFeatures();

function example(host: string, reliable: 0 | 1, weight: number): Example[] {
  const site = readSite(host);
  if (site === undefined || !('label' in site)) return [];
  return [{ host, domain: site.domain, reliable, weight, features: reader.read(site) }];
}

function lines(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split('\t'));
}

const table = (file: string) => lines(packageFile('data', 'domains', file));

function labelOf(): Map<string, string> {
  const [, ...rows] = readFileSync(join(data, 'reliability.csv'), 'utf8').trim().split(/\r?\n/);
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

/** Logistic regression by AdaGrad, stopped early. */
function fit(examples: readonly Example[]): Weights {
  const values = new Float32Array(2 ** NAME_MODEL_BITS);
  const squares = new Float32Array(values.length).fill(1e-6);
  let [bias, biasSquares] = [0, 1e-6];
  const next = random(training.seed);
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < training.epochs; epoch++) {
    shuffle(order, next);
    for (const position of order) {
      const item = examples[position];
      if (item === undefined) continue;
      const { indices, values: amounts } = item.features;
      const error = (sigmoid(margin({ values, bias }, item.features)) - item.reliable) * item.weight;
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

function margin(weights: Weights, features: Features): number {
  let sum = weights.bias;
  for (let k = 0; k < features.indices.length; k++) {
    sum += (weights.values[features.indices[k] ?? 0] ?? 0) * (features.values[k] ?? 0);
  }
  return sum;
}

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
const listed = listedNames();
const rated = [...labels].flatMap(([host, label]) =>
  label === 'high' ? example(host, 1, 1) : label === 'low' ? example(host, 0, 1) : [],
);
// Satire and mixed sites are neither: they teach nothing here, listed or not.
const known = new Set(['high', 'low', 'mixed', 'satire']);
const offenders = [...listed]
  .filter((host) => !known.has(labels.get(host) ?? ''))
  .flatMap((host) => example(host, 0, training.listedWeight));
const examples = [...rated, ...offenders];
// By registrable name, so that two hosts of one site never stand on both sides.
const foldOf = (item: Example) => (hashText(item.domain, 11) >>> 8) % training.folds;

const scored: Scored[] = [];
for (let fold = 0; fold < training.folds; fold++) {
  const weights = fit(examples.filter((item) => foldOf(item) !== fold));
  for (const item of rated.filter((candidate) => foldOf(candidate) === fold)) {
    scored.push({ host: item.host, reliable: item.reliable, margin: margin(weights, item.features) });
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

// The whole offline score, as if nobody had rated the site: lists and name only, each name judged by a model that has
// not seen it, and without the well-known names that were drawn from the ratings.
const knownNames = SortedTable.open(packageFile('data', 'domains', 'well-known-extra.tsv')).domains();
const lists = openPublishedLists(['mbfc', 'idiap', 'idiap-graph']);
const wellKnownNames = createWellKnownNames([...knownNames]);
const judged = scored.flatMap((item): Scored[] => {
  const site = readSite(item.host);
  if (site === undefined || !('domain' in site)) return [];
  const nameModel = { version: '', logOdds: () => slope * item.margin + intercept };
  const record = assess(
    site,
    { lists, wellKnown: wellKnownNames, nameModel },
    withoutLive('not_requested'),
    0,
  );
  return [{ ...item, margin: record.trust_score ?? 50 }];
});
report('trust_score without ratings and network', judged);
report(
  'of these on no offender list',
  judged.filter((item) => !listed.has(item.host)),
);

const final = fit(examples);
const bytes = saveLinear(
  {
    name: 'limpede-domain-name',
    version: '1.0.0',
    labels: ['reliable'],
    bits: NAME_MODEL_BITS,
    quantisation: 'int8',
    scales: [1],
    bias: [final.bias],
    calibration: { link: 'logistic', slope: [slope], intercept: [intercept] },
    thresholds: {},
    parameters: {},
  },
  final.values,
);
writeFileSync(packageFile('models', 'domain-name.bin'), bytes);
