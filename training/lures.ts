/**
 * Trains and measures models/lures-weights.json, which recognises messages that lure by their meaning. Usage: npx tsx training/lures.ts
 * [data folder, default ../shared/data] [--record]. Minutes of CPU.
 */
import { writeFileSync } from 'node:fs';
import {
  ANY_LURE,
  type LureScores,
  type LureWeights,
  lureProbability,
  lureScores,
  NO_LURE,
} from '../src/services/analysis/engines/scam/lure-model.ts';
import { likeliestKind } from '../src/services/analysis/engines/scam/scam.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { logit } from '../src/text/logistic.ts';
import { TfIdfModel } from '../src/text/term-weights.ts';
import { trainDenseModel } from './diffuse/dense.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import {
  CALLED,
  type Example,
  HANDS,
  KINDS,
  learnedExamples,
  messagesOf,
  OTHER_LURE,
  wholeTexts,
} from './lures/examples.ts';
import { calibrationError } from './metrics.ts';
import { DATA_FOLDER } from './rows.ts';
import { asBytes, fitSparse, fitTerms } from './terms/fit.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** The share of honest messages of hands left out that may be called. */
const MOST_FALSE_ALARMS = 0.02;
/** The share of ordinary texts of others that may be called. */
const MOST_ORDINARY_CALLED = 0.012;
/**
 * What the layer for whole texts is worth: chosen on the pairs and on `hands/d`, of which it saw nothing. It learned from most of the other
 * messages, so that a fit on them would trust it too much.
 */
const LAYER = { layer: 0.3, most_layer: 3 };
/** How often a written message is seen beside the ordinary texts. */
const TIMES = 3;
/** What an ordinary text counts beside a message where words are weighed: an honest message that looks like a lure teaches more. */
const ORDINARY_COUNTS = 0.05;
/** Chosen on the set of another hand (training/data/hands/d). */
const recipe = { epochs: 20, rate: 0.02, decay: 5e-3 };
/** Chosen on hands left out. A kind is told from the other kinds; whether it is a lure at all is the first output's. */
const TERMS = {
  least: 2,
  penalty: 0.01,
  among: (code: string, labels: ReadonlySet<string>) => code === ANY_LURE || labels.has(ANY_LURE),
} as const;

const short = (value: number) => Number(value.toPrecision(4));
const all = learnedExamples(folder);
const kinds = [...KINDS, NO_LURE].sort();
const isLure = ({ kind }: Example) => kind !== NO_LURE;
log(
  `${all.filter(({ own }) => own).length} messages, ${all.filter(({ own }) => !own).length} ordinary texts`,
);

/** A direction for each kind, in signed bytes. */
function directionsOf(examples: readonly Example[]): LureWeights['directions'] {
  const seen = examples
    .filter(({ kind }) => kind !== OTHER_LURE)
    .flatMap((one) => new Array<Example>(one.own ? TIMES : 1).fill(one));
  const model = trainDenseModel({
    count: seen.length,
    width: DIMENSIONS,
    row: (index, out) => out.set(seen[index]?.mean ?? []),
    targets: seen.map(({ kind }) => kinds.map((other) => (other === kind ? 1 : 0))),
    outputs: kinds.length,
    link: 'softmax',
    ...recipe,
  });
  // Kinds are taken to be equally frequent: how many messages of one were written says nothing.
  const counts = kinds.map((code) => seen.filter(({ kind }) => kind === code).length);
  const usual = counts
    .filter((_, at) => kinds[at] !== NO_LURE)
    .reduce((sum, count, _, all) => sum + count / all.length, 0);
  const shift = (at: number) => (kinds[at] === NO_LURE ? 0 : Math.log(usual / Math.max(1, counts[at] ?? 1)));
  return kinds.map((code, output) => {
    const { scale, bytes } = asBytes(model.weights.subarray(output * DIMENSIONS, (output + 1) * DIMENSIONS));
    return { code, scale, bias: short((model.bias[output] ?? 0) + shift(output)), direction: bytes };
  });
}

/** Words and pairs that tell a lure, whichever, and those of each kind. */
function termsOf(examples: readonly Example[]): LureWeights['terms'] {
  return fitTerms(
    examples.map(({ text, kind, own }) => ({
      text,
      labels: new Set(kind === NO_LURE ? [] : [ANY_LURE, kind]),
      weight: own ? 1 : ORDINARY_COUNTS,
    })),
    [ANY_LURE, ...kinds.filter((kind) => kind !== NO_LURE)],
    TERMS,
  );
}

const SIGNS = [...new Set(all.flatMap(({ signs }) => [...signs]))].sort();

/** An example as weights read it that did not see its hand. */
interface Read {
  readonly example: Example;
  readonly meaning: LureScores;
}

/** What meaning, words and signs are worth together; lures and honest messages that look like them are taken to be equally frequent. */
function oddsOf(read: readonly Read[]): LureWeights['odds'] {
  const [lures, honest] = [true, false].map(
    (truth) => read.filter(({ example }) => example.own && isLure(example) === truth).length,
  ) as [number, number];
  const weightOf = (example: Example) => {
    if (!example.own) return 1;
    return isLure(example) ? TIMES : (TIMES * lures) / honest;
  };
  const weights = fitSparse(
    read.map(({ example, meaning }) => {
      const signs = SIGNS.flatMap((sign, at) => (example.signs.has(sign) ? [at + 2] : []));
      return {
        places: [0, 1, ...signs],
        values: [meaning.logOdds, meaning.words, ...signs.map(() => 1)],
        truth: isLure(example),
        weight: weightOf(example),
      };
    }),
    SIGNS.length + 2,
    { penalty: 1, balanced: false },
  );
  const odds = {
    bias: short(weights.at(-1) ?? 0),
    vector: short(weights[0] ?? 0),
    words: short(weights[1] ?? 0),
    ...LAYER,
    // A sign of a lure never speaks against one.
    signs: Object.fromEntries(SIGNS.map((sign, at) => [sign, short(Math.max(0, weights[at + 2] ?? 0))])),
  };
  return { ...odds, bias: short(odds.bias + shiftOf(read, odds)) };
}

/**
 * What is added to the log-odds so that the bound of the product leaves no more false alarms than may be, among honest messages and among
 * ordinary texts of others.
 */
function shiftOf(read: readonly Read[], odds: LureWeights['odds']): number {
  const boundOf = (most: number, isOne: (example: Example) => boolean) => {
    const scores = read
      .filter(({ example }) => isOne(example))
      .map((one) => probabilityOf(one, odds))
      .sort((one, two) => two - one);
    return scores[Math.floor(most * scores.length)] ?? CALLED;
  };
  const bound = Math.max(
    boundOf(MOST_FALSE_ALARMS, (example) => example.own && !isLure(example)),
    boundOf(MOST_ORDINARY_CALLED, ({ foreign }) => foreign),
  );
  return logit(CALLED) - logit(bound);
}

const probabilityOf = ({ example, meaning }: Read, odds: LureWeights['odds']) =>
  lureProbability({ ...meaning, layer: example.layer }, example.signs, odds);

function readBy(examples: readonly Example[], model: Pick<LureWeights, 'directions' | 'terms'>): Read[] {
  const reader = new TfIdfModel(model.terms);
  return examples.map((example) => ({
    example,
    meaning: lureScores(example, { directions: model.directions, reader }),
  }));
}

const read = HANDS.flatMap((hand) => {
  const others = all.filter((one) => one.hand !== hand);
  return readBy(
    all.filter((one) => one.hand === hand),
    { directions: directionsOf(others), terms: termsOf(others) },
  );
});

type Judged = Example & { score: number; truth: boolean; code: string };
function judged(rows: readonly Read[], odds: LureWeights['odds']): Judged[] {
  return rows.map((row) => ({
    ...row.example,
    score: probabilityOf(row, odds),
    truth: isLure(row.example),
    code: likeliestKind(row.meaning, row.example.signs).code,
  }));
}
/** The odds of a hand are fitted without it, too. */
const heldOut = HANDS.flatMap((hand) =>
  judged(
    read.filter(({ example }) => example.hand === hand),
    oddsOf(read.filter(({ example }) => example.hand !== hand)),
  ),
);
const weights: LureWeights = {
  version: '6',
  directions: directionsOf(all),
  terms: termsOf(all),
  odds: oddsOf(read),
};
/** What nothing learned from: messages of one hand, whole texts of another. */
const judgeOnly = (examples: readonly Example[]) => judged(readBy(examples, weights), weights.odds);
const other = judgeOnly(messagesOf('hands/d/lures', undefined));
const another = judgeOnly(messagesOf('hands/ec/messages', undefined));
const otherCalm = judgeOnly(wholeTexts('hands/b/whole', undefined).filter(({ own }) => !own));

const called = ({ score, ruled }: Judged) => ruled || score >= CALLED;
const share = (rows: readonly Judged[], truth: boolean, of: (row: Judged) => boolean) => {
  const chosen = rows.filter((row) => row.truth === truth);
  return chosen.filter(of).length / chosen.length;
};
const shares = (truth: boolean) => ({
  of: (some: readonly Judged[]) => share(some, truth, called),
  baseline: null,
});
const tables = [
  ...HANDS.map((name) => ({ name, rows: heldOut.filter((row) => row.own && row.hand === name) })),
  { name: 'hands/d, which nothing learned from', rows: other },
  { name: 'hands/ec, which nothing learned from', rows: another },
];
const ordinary = heldOut.filter(({ own }) => !own);
const ordinaryTables = [
  { name: 'calm texts and passages of hands left out', rows: ordinary.filter(({ foreign }) => !foreign) },
  { name: 'ordinary texts of others', rows: ordinary.filter(({ foreign }) => foreign) },
  { name: 'calm whole texts of hands/b, which nothing learned from', rows: otherCalm },
];
const figures = [
  ...tables.flatMap(({ name, rows }) =>
    ['en', 'ro'].flatMap((lang) => {
      const own = rows.filter((row) => row.lang === lang);
      const baseline = (truth: boolean) => ({
        name: 'signs of a kind alone',
        value: share(own, truth, ({ ruled }) => ruled),
      });
      return figuresOf<Judged>(`${lang}, ${name}`, own, {
        'lures found': { of: shares(true).of, baseline: baseline(true) },
        ...(own.every(({ truth }) => truth)
          ? {}
          : { 'false alarms': { of: shares(false).of, baseline: baseline(false) } }),
      });
    }),
  ),
  ...ordinaryTables.flatMap(({ name, rows }) =>
    figuresOf<Judged>(name, rows, { 'false alarms': shares(false) }),
  ),
];
log(tableOf([{ task: 'lures', report: { figures, notes: [] } }]));
for (const { name, rows } of tables) {
  const named = rows.filter((row) => row.truth && row.score >= CALLED);
  const ofKind = named.filter(({ kind }) => kind !== OTHER_LURE);
  const right = ofKind.filter(({ code, kind }) => code === kind).length;
  log(
    `${name}: right kind ${right} of ${ofKind.length} called by meaning; calibration error ${calibrationError(rows.map(({ score, truth, group }) => ({ score, truth, group }))).toFixed(3)}`,
  );
  for (const bound of [0.5, 0.65, 0.8, 0.9])
    log(
      `  from ${bound}: found ${share(rows, true, ({ score }) => score >= bound).toFixed(3)}, false alarms ${share(rows, false, ({ score }) => score >= bound).toFixed(3)}; only with a sign ${share(rows, true, ({ score, signs }) => score >= bound && signs.size > 0).toFixed(3)}`,
    );
}
if (process.argv.includes('--record')) {
  recordFigures({
    task: 'lures',
    split: 'by hand: what one writer wrote is read by weights that saw nothing of it',
    figures,
  });
  writeFileSync('models/lures.svg', reliabilityDiagram('A message lures (both languages)', heldOut));
  writeFileSync('models/lures-weights.json', `${JSON.stringify(weights)}\n`);
  log('models/lures-weights.json written');
}
