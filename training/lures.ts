/**
 * Trains and measures models/lures-weights.json, which recognises messages that lure by their meaning. Usage: npx tsx training/lures.ts
 * [data folder, default ../shared/data] [--record]. A minute of CPU.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { readable } from '../src/services/analysis/engines/plain-text.ts';
import {
  ANY_LURE,
  type LureScores,
  type LureWeights,
  lureProbability,
  lureScores,
  meanVector,
  NO_LURE,
} from '../src/services/analysis/engines/scam/lure-model.ts';
import { findScam, likeliestKind, scamSigns } from '../src/services/analysis/engines/scam/scam.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { TermReader } from '../src/text/term-weights.ts';
import { trainDenseModel } from './diffuse/dense.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { languageOf, type RawRow, textOf } from './evaluate/rows.ts';
import { tableOf } from './evaluate/table.ts';
import { packagedEncoder } from './evaluate/task.ts';
import { rowsOf } from './judgement/sets.ts';
import { calibrationError } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { asBytes, fitSparse, fitTerms } from './terms/fit.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** From this probability on a message is called a lure, as the product does. */
const CALLED = 0.8;
/** How often a written message is seen beside the ordinary texts. */
const TIMES = 3;
/** What an ordinary text counts beside a message where words are weighed. */
const ORDINARY_COUNTS = 0.3;
/** Chosen on the set of another hand (training/data/hands/d). */
const recipe = { epochs: 20, rate: 0.02, decay: 5e-3 };
const TERMS = { least: 2, penalty: 0.12 } as const;

/** Kinds as others name them by the codes of data/scam/kinds.json. */
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
  tax_refund: 'refund',
  family_emergency: 'relative_in_need',
  crypto_giveaway: 'investment',
};

/** Ordinary texts of others: how many of each set and language, drawn at random. */
const ORDINARY: readonly (readonly [string, string, number])[] = [
  ['sentiment', 'en', 300],
  ['toxicity', 'ro', 300],
  ['emotion', 'ro', 300],
  ['checkworthy', 'en', 150],
  ['techniques', 'en', 150],
];

/** Who wrote a message: what one hand wrote is read by weights that saw nothing of it. */
const HANDS = ['lures', 'hands/c', 'written', 'hands/g'] as const;

interface Example {
  readonly text: string;
  readonly lang: string;
  readonly kind: string;
  readonly group: string;
  /** Place in HANDS; ordinary texts are shared among them. */
  readonly hand: number;
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
  const ruled = (findScam(plain, lang)?.confidence ?? 0) >= CALLED;
  return { text: plain.text, lang, ...rest, mean, signs: scamSigns(plain.text, lang), ruled };
}

/** Messages of a set with one line of JSON each. */
function messagesOf(path: string, hand: number): Example[] {
  const lines = readFileSync(packageFile('training', 'data', ...path.split('/')), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const { id, lang, kind, scam, text } = JSON.parse(line) as Record<string, string> & { scam: boolean };
    return exampleOf({
      text: text ?? '',
      lang: lang ?? '',
      kind: scam ? (KINDS_OF_OTHERS[kind ?? ''] ?? kind ?? '') : NO_LURE,
      group: id ?? '',
      hand,
      own: true,
    });
  });
}

function writtenMessages(): Example[] {
  const lines = readFileSync('training/data/lures/messages.tsv', 'utf8').trim().split('\n');
  const first = lines.map((line, at) => {
    const [lang = '', kind = '', text = ''] = line.split('\t');
    return exampleOf({ text, lang, kind, group: String(at), hand: 0, own: true });
  });
  return [
    ...first,
    ...messagesOf('hands/c/lures.jsonl', 1),
    ...messagesOf('written/scams.jsonl', 2),
    ...messagesOf('hands/g/lures.jsonl', 3),
  ];
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
    exampleOf({ text, lang, kind: NO_LURE, group: id, hand: index % HANDS.length, own: false }),
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
  return {
    bias: short(weights.at(-1) ?? 0),
    vector: short(weights[0] ?? 0),
    words: short(weights[1] ?? 0),
    // A sign of a lure never speaks against one.
    signs: Object.fromEntries(SIGNS.map((sign, at) => [sign, short(Math.max(0, weights[at + 2] ?? 0))])),
  };
}

function readBy(examples: readonly Example[], model: Pick<LureWeights, 'directions' | 'terms'>): Read[] {
  const reader = new TermReader(model.terms);
  return examples.map((example) => ({
    example,
    meaning: lureScores(example, { directions: model.directions, reader }),
  }));
}

const read = HANDS.flatMap((_, hand) => {
  const others = all.filter((one) => one.hand !== hand);
  return readBy(
    all.filter((one) => one.hand === hand),
    { directions: directionsOf(others), terms: termsOf(others) },
  );
});

type Judged = Example & { score: number; truth: boolean; code: string };
function judged(rows: readonly Read[], odds: LureWeights['odds']): Judged[] {
  return rows.map(({ example, meaning }) => ({
    ...example,
    score: lureProbability(meaning, example.signs, odds),
    truth: isLure(example),
    code: likeliestKind(meaning, example.signs).code,
  }));
}
/** The odds of a hand are fitted without it, too. */
const heldOut = HANDS.flatMap((_, hand) =>
  judged(
    read.filter(({ example }) => example.hand === hand),
    oddsOf(read.filter(({ example }) => example.hand !== hand)),
  ),
);
const weights: LureWeights = {
  version: '3',
  directions: directionsOf(all),
  terms: termsOf(all),
  odds: oddsOf(read),
};
const other = judged(readBy(messagesOf('hands/d/lures.jsonl', -1), weights), weights.odds);

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
  ...HANDS.map((name, hand) => ({ name, rows: heldOut.filter((row) => row.own && row.hand === hand) })),
  { name: 'hands/d, which nothing learned from', rows: other },
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
        'false alarms': { of: shares(false).of, baseline: baseline(false) },
      });
    }),
  ),
  ...figuresOf<Judged>(
    'ordinary texts',
    heldOut.filter(({ own }) => !own),
    { 'false alarms': shares(false) },
  ),
];
log(tableOf([{ task: 'lures', report: { figures, notes: [] } }]));
for (const { name, rows } of tables) {
  const named = rows.filter((row) => row.truth && row.score >= CALLED);
  const right = named.filter(({ code, kind }) => code === kind).length;
  log(
    `${name}: right kind ${right} of ${named.length} called by meaning; calibration error ${calibrationError(rows.map(({ score, truth, group }) => ({ score, truth, group }))).toFixed(3)}`,
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
