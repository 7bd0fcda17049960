/**
 * Trains and measures models/lures-weights.json, which tells messages that lure by their meaning. Usage: npx tsx training/lures.ts
 * [data folder, default ../shared/data] [--record]. A minute of CPU.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { readable } from '../src/services/analysis/engines/plain-text.ts';
import {
  type LureWeights,
  lureByMeaning,
  lureChance,
  meanVector,
  NO_LURE,
} from '../src/services/analysis/engines/scam/lure-model.ts';
import { likeliestKind, scamIn, scamSigns } from '../src/services/analysis/engines/scam/scam.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { trainDenseModel } from './diffuse/dense.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { languageOf, type RawRow, textOf } from './evaluate/rows.ts';
import { tableOf } from './evaluate/table.ts';
import { packagedEncoder } from './evaluate/task.ts';
import { rowsOf } from './judgement/sets.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { trainDense } from './techniques/stages.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

const FOLDS = 5;
/** From this probability on a message is called a lure, as the product does. */
const CALLED = 0.8;
/** How often a written message is seen beside the ordinary texts. */
const TIMES = 3;
/** Chosen on the folds. */
const recipe = { epochs: 20, rate: 0.02, decay: 5e-3 };

/** Kinds of the messages of training/data/written by the codes of data/scam/kinds.json. */
const KINDS_OF_OTHERS: Readonly<Record<string, string>> = {
  card: 'bank_data',
  account: 'bank_data',
  miracle: 'miracle_cure',
  advance_fee: 'advance_fee',
  rental: 'advance_fee',
  prize: 'prize',
  investment: 'investment',
  parcel: 'parcel_fee',
  tax: 'false_official',
};

/** Ordinary texts of others: how many of each set and language, drawn at random. */
const ORDINARY: readonly (readonly [string, string, number])[] = [
  ['sentiment', 'en', 300],
  ['toxicity', 'ro', 300],
  ['emotion', 'ro', 300],
  ['checkworthy', 'en', 150],
  ['techniques', 'en', 150],
];

interface Example {
  readonly text: string;
  readonly lang: string;
  readonly kind: string;
  readonly group: string;
  readonly fold: number;
  readonly mean: Float32Array;
  readonly signs: ReadonlySet<string>;
  /** Whether it is one of the written messages. */
  readonly own: boolean;
  /** The rules of a kind recognise it without its meaning. */
  readonly ruled: boolean;
}

function exampleOf({ text, lang, ...rest }: Omit<Example, 'mean' | 'signs' | 'ruled'>): Example {
  const plain = readable(text);
  const mean =
    meanVector(encodingOf(packagedEncoder(), { text, language: lang })) ?? new Float32Array(DIMENSIONS);
  const ruled = (scamIn(plain, lang)?.confidence ?? 0) >= CALLED;
  return { text, lang, ...rest, mean, signs: scamSigns(plain.text, lang), ruled };
}

function writtenMessages(): Example[] {
  const places = new Map<string, number>();
  const lines = readFileSync('training/data/lures/messages.tsv', 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [lang = '', kind = '', text = ''] = line.split('\t');
    // A message and its counterpart in the other language stand in one fold: they have the same place in their kind.
    const place = places.get(`${lang} ${kind}`) ?? 0;
    places.set(`${lang} ${kind}`, place + 1);
    return exampleOf({ text, lang, kind, group: `${kind} ${place}`, fold: place % FOLDS, own: true });
  });
}

function ordinaryTexts(): Example[] {
  const foreign = ORDINARY.flatMap(([task, lang, count]) => {
    const rows = readRows<RawRow>(folder, task).filter(
      (row) => languageOf(row) === lang && (textOf(row, 'text')?.length ?? 0) >= 30,
    );
    return shuffled(rows, 6)
      .slice(0, count)
      .map((row, index) => ({ id: `${task} ${lang} ${index}`, text: textOf(row, 'text') ?? '', lang }));
  });
  return [...foreign, ...rowsOf('calm')].map(({ id, text, lang }, index) =>
    exampleOf({ text, lang, kind: NO_LURE, group: id, fold: index % FOLDS, own: false }),
  );
}

const short = (value: number) => Number(value.toPrecision(4));
const all = [...writtenMessages(), ...ordinaryTexts()];
const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
const isLure = ({ kind }: Example) => kind !== NO_LURE;
log(
  `${all.filter(({ own }) => own).length} messages, ${all.filter(({ own }) => !own).length} ordinary texts`,
);

/** A direction for each kind, in signed bytes. */
function directionsOf(examples: readonly Example[]): LureWeights['directions'] {
  const seen = examples.flatMap((one) => new Array<Example>(one.own ? TIMES : 1).fill(one));
  const model = trainDenseModel({
    count: seen.length,
    width: DIMENSIONS,
    row: (index, out) => out.set(seen[index]?.mean ?? []),
    targets: seen.map(({ kind }) => kinds.map((other) => (other === kind ? 1 : 0))),
    outputs: kinds.length,
    link: 'softmax',
    ...recipe,
  });
  return kinds.map((code, output) => {
    const weights = model.weights.subarray(output * DIMENSIONS, (output + 1) * DIMENSIONS);
    const scale = Math.max(...weights.map(Math.abs)) / 127;
    return {
      code,
      scale: short(scale),
      bias: short(model.bias[output] ?? 0),
      direction: Array.from(weights, (weight) => Math.round(weight / scale)),
    };
  });
}

const SIGNS = [...new Set(all.flatMap(({ signs }) => [...signs]))].sort();

/** What meaning and signs are worth together, fitted on examples whose meaning was read by directions that had not seen them. */
function oddsOf(given: readonly { example: Example; logOdds: number }[]): LureWeights['odds'] {
  const read = given.flatMap((one) => new Array<typeof one>(one.example.own ? TIMES : 1).fill(one));
  const weights = trainDense(
    read.map(({ example, logOdds }) =>
      Float64Array.from([1, logOdds, ...SIGNS.map((sign) => (example.signs.has(sign) ? 1 : 0))]),
    ),
    read.map(({ example }) => (isLure(example) ? 1 : 0)),
    1e-3,
  );
  return {
    bias: short(weights[0] ?? 0),
    vector: short(weights[1] ?? 0),
    // A sign of a lure never speaks against one.
    signs: Object.fromEntries(SIGNS.map((sign, at) => [sign, short(Math.max(0, weights[at + 2] ?? 0))])),
  };
}

const read = Array.from({ length: FOLDS }, (_, fold) => {
  const directions = directionsOf(all.filter((one) => one.fold !== fold));
  return all
    .filter((one) => one.fold === fold)
    .map((example) => {
      const meaning = lureByMeaning(example.mean, directions);
      return { example, logOdds: meaning.logOdds, code: likeliestKind(meaning, example.signs).code };
    });
}).flat();

const heldOut = Array.from({ length: FOLDS }, (_, fold) => {
  const odds = oddsOf(read.filter(({ example }) => example.fold !== fold));
  return read
    .filter(({ example }) => example.fold === fold)
    .map(({ example, logOdds, code }) => ({
      ...example,
      score: lureChance(logOdds, example.signs, odds),
      truth: isLure(example),
      code,
    }));
}).flat();

type Judged = Example & { score: number; truth: boolean };
const called = ({ score, ruled, signs }: Judged) => ruled || (score >= CALLED && signs.size > 0);
const share = (rows: readonly Judged[], truth: boolean, of: (row: Judged) => boolean) => {
  const chosen = rows.filter((row) => row.truth === truth);
  return chosen.filter(of).length / chosen.length;
};
const shares = (truth: boolean) => ({
  of: (some: readonly Judged[]) => share(some, truth, called),
  baseline: null,
});
const figures = [
  ...['en', 'ro'].flatMap((lang) => {
    const own = heldOut.filter((row) => row.own && row.lang === lang);
    return figuresOf<Judged>(`${lang}, messages`, own, {
      'lures found': {
        of: shares(true).of,
        baseline: { name: 'signs of a kind alone', value: share(own, true, ({ ruled }) => ruled) },
      },
      'false alarms': {
        of: shares(false).of,
        baseline: { name: 'signs of a kind alone', value: share(own, false, ({ ruled }) => ruled) },
      },
    });
  }),
  ...figuresOf<Judged>(
    'ordinary texts',
    heldOut.filter(({ own }) => !own),
    { 'false alarms': shares(false) },
  ),
];
log(tableOf([{ task: 'lures', report: { figures, notes: [] } }]));
const named = heldOut.filter((row) => row.truth && row.score >= CALLED);
log(
  `right kind of those called: ${(named.filter(({ code, kind }) => code === kind).length / named.length).toFixed(3)}`,
);
for (const bound of [0.5, 0.65, 0.8, 0.9])
  log(
    `from ${bound}: found ${share(heldOut, true, ({ score }) => score >= bound).toFixed(3)}, with a sign ${share(heldOut, true, ({ score, signs }) => score >= bound && signs.size > 0).toFixed(3)}; false alarms in messages ${share(
      heldOut.filter(({ own }) => own),
      false,
      ({ score, signs }) => score >= bound && signs.size > 0,
    ).toFixed(3)}, elsewhere ${share(
      heldOut.filter(({ own }) => !own),
      false,
      ({ score, signs }) => score >= bound && signs.size > 0,
    ).toFixed(4)}`,
  );

const odds = oddsOf(read);
const transferred = directionsOf(all);
const others: Example[] = [];
for (const lang of ['en', 'ro']) {
  const rows = rowsOf('scams')
    .filter((row) => row.lang === lang)
    .map((row): Judged => {
      const kind = row.scam === true ? (KINDS_OF_OTHERS[row.kind ?? ''] ?? '') : NO_LURE;
      const example = exampleOf({ text: row.text, lang, kind, group: row.id, fold: 0, own: true });
      if (kind !== '') others.push(example);
      const meaning = lureByMeaning(example.mean, transferred);
      const score = lureChance(meaning.logOdds, example.signs, odds);
      return { ...example, score, truth: row.scam === true };
    });
  // Measured before the shipped weights learn from this set, too.
  const byMeaning = ({ score, signs }: Judged) => score >= CALLED && signs.size > 0;
  log(
    `training/data/written, ${lang}: by meaning alone found ${share(rows, true, byMeaning).toFixed(3)}, false alarms ${share(rows, false, byMeaning).toFixed(3)}; with the rules ${share(rows, true, called).toFixed(3)}, ${share(rows, false, called).toFixed(3)}`,
  );
  for (const row of rows.filter((one) => !one.truth && byMeaning(one)))
    log(`  ${row.score.toFixed(2)} ${row.text.slice(0, 90)}`);
}
const weights: LureWeights = { version: '1', directions: directionsOf([...all, ...others]), odds };
if (process.argv.includes('--record')) {
  recordFigures({
    task: 'lures',
    split: `${FOLDS} folds, a message and its counterpart in the other language in one`,
    figures,
  });
  writeFileSync('models/lures.svg', reliabilityDiagram('A message lures (both languages)', heldOut));
  writeFileSync('models/lures-weights.json', `${JSON.stringify(weights)}\n`);
  log('models/lures-weights.json written');
}
