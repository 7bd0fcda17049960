/** The messages and texts that models/lures-weights.json learns from, and whose hand each is. */
import { readFileSync } from 'node:fs';
import kindData from '../../data/scam/kinds.json' with { type: 'json' };
import { packageFile } from '../../src/foundation/files.ts';
import { encodingOf } from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../../src/services/analysis/engines/plain-text.ts';
import { meanLayer, meanVector, NO_LURE } from '../../src/services/analysis/engines/scam/lure-model.ts';
import { findScam, scamSigns } from '../../src/services/analysis/engines/scam/scam.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { languageOf, type RawRow, textOf } from '../evaluate/rows.ts';
import { packagedEncoder } from '../evaluate/task.ts';
import { readRows, shuffled } from '../rows.ts';

/** From this probability on a message is called a lure, as the product does. */
export const CALLED = 0.8;

/** Kinds as others name them by the codes of data/scam/kinds.json; texts of another name are lures without a kind. */
const KINDS_OF_OTHERS: Readonly<Record<string, string>> = {
  card: 'bank_data',
  account: 'bank_data',
  'bank-card-blocked': 'bank_data',
  'account-takeover': 'bank_data',
  miracle: 'miracle_cure',
  'miracle-cure': 'miracle_cure',
  'miracle-device': 'miracle_cure',
  health_quackery: 'miracle_cure',
  'advance-fee': 'advance_fee',
  'loan-without-checks': 'advance_fee',
  rental: 'advance_fee',
  'rental-deposit': 'advance_fee',
  recovery: 'advance_fee',
  'prize-or-survey': 'prize',
  'celebrity-investment': 'investment',
  'pension-topup': 'investment',
  pyramid: 'investment',
  parcel: 'parcel_fee',
  'parcel-fee': 'parcel_fee',
  'toll-or-parking': 'parcel_fee',
  tax: 'false_official',
  'fake-authority': 'false_official',
  extortion: 'false_official',
  tax_refund: 'refund',
  'tax-refund': 'refund',
  'relief-or-grant': 'refund',
  family_emergency: 'relative_in_need',
  'family-emergency': 'relative_in_need',
  crypto_giveaway: 'investment',
  'job-offer': 'job_offer',
  'tech-support': 'tech_support',
  'subscription-renewal': 'tech_support',
  'fake-charity': 'charity_fraud',
  'parcel-customs': 'parcel_fee',
  'bank-card': 'bank_data',
  'sim-account': 'bank_data',
  'prize-lottery': 'prize',
  'investment-crypto': 'investment',
  'job-task': 'job_offer',
  'family-trouble': 'relative_in_need',
  'tax-fine': 'false_official',
  'fake-police': 'false_official',
  'rent-sale': 'advance_fee',
  subscription: 'tech_support',
  'charity-fraud': 'charity_fraud',
  bank_card: 'bank_data',
  account_locked: 'bank_data',
  account_phishing: 'bank_data',
  crypto: 'investment',
  job: 'job_offer',
  charity: 'charity_fraud',
  rent: 'advance_fee',
  rent_deposit: 'advance_fee',
  loan: 'advance_fee',
  weight_loss: 'miracle_cure',
  authority_threat: 'false_official',
};
/** A lure of no kind of data/scam/kinds.json: it teaches what a lure is, and nothing about kinds. */
export const OTHER_LURE = 'other';
/** Codes of data/scam/kinds.json. */
export const KINDS = new Set(kindData.kinds.map(({ code }) => code));

/** Ordinary texts of others: how many of each set and language, drawn at random. */
const ORDINARY: readonly (readonly [string, string, number])[] = [
  ['sentiment', 'en', 300],
  ['toxicity', 'ro', 300],
  ['emotion', 'ro', 300],
  ['checkworthy', 'en', 150],
  ['techniques', 'en', 150],
];

/** Who wrote a message: what one hand wrote is read by weights that saw nothing of it. */
export const HANDS = [
  'lures',
  'hands/c',
  'written',
  'hands/g',
  'hands/l',
  'lures, pairs',
  'hands/e',
  'hands/u',
  'hands/ah',
  'hands/ar',
  'hands/as',
  'hands/ax',
  'hands/ay',
  'hands/ea',
  'hands/eb',
  'hands/a, f, i, j, k',
  'hands/n, o, q, r, s, t, v, x',
  'hands/ap, aq',
] as const;
/** Who wrote a message. */
type Hand = (typeof HANDS)[number];

/** Whole texts and passages, and whose hand they are. Those that lure are named by their kind, calm ones must not be called. */
const WHOLE: readonly (readonly [string, Hand])[] = [
  ['hands/a/whole', 'hands/a, f, i, j, k'],
  ['hands/e/short', 'hands/e'],
  ['hands/f/whole', 'hands/a, f, i, j, k'],
  ['hands/g/whole', 'hands/g'],
  ['hands/i/whole', 'hands/a, f, i, j, k'],
  ['hands/j/whole', 'hands/a, f, i, j, k'],
  ['hands/k/whole', 'hands/a, f, i, j, k'],
  ['hands/l/calm', 'hands/l'],
  ['hands/ea/calm', 'hands/ea'],
  ...['n', 'o', 'q', 'r', 's', 't', 'v', 'x'].map(
    (name) => [`hands/${name}/whole`, 'hands/n, o, q, r, s, t, v, x'] as const,
  ),
  ...['ap', 'aq'].map((name) => [`hands/${name}/calm`, 'hands/ap, aq'] as const),
  ['written/calm', 'written'],
  ['written/whole', 'written'],
];
/** Kinds of whole texts that are lures. */
const LURING = new Set(['scam', 'health_quackery']);

/** A text to learn from or to judge by. */
export interface Example {
  readonly text: string;
  readonly lang: string;
  readonly kind: string;
  readonly group: string;
  /** Undefined where nothing learns from it. */
  readonly hand: Hand | undefined;
  readonly mean: Float32Array;
  /** Mean log-odds of its sentences by the layer that reads whole texts. */
  readonly layer: number;
  readonly signs: ReadonlySet<string>;
  /** Whether it is a message or lures, and no ordinary text. */
  readonly own: boolean;
  /** Whether it is an ordinary text of others. */
  readonly foreign: boolean;
  /** The rules of a kind recognise it without its meaning. */
  readonly ruled: boolean;
}

function exampleOf({ text, lang, ...rest }: Omit<Example, 'mean' | 'layer' | 'signs' | 'ruled'>): Example {
  const plain = toPlainText(text);
  const encoding = encodingOf(packagedEncoder(), { text, language: lang });
  const mean = meanVector(encoding) ?? new Float32Array(DIMENSIONS);
  const ruled = (findScam(plain, lang)?.confidence ?? 0) >= CALLED;
  const signs = scamSigns(plain.text, lang);
  return { text: plain.text, lang, ...rest, mean, layer: meanLayer(encoding), signs, ruled };
}

function kindOf(name: string): string {
  const kind = KINDS_OF_OTHERS[name] ?? name;
  return KINDS.has(kind) ? kind : OTHER_LURE;
}

/** Rows of a file of JSON lines. */
function linesOf(path: string): WholeRow[] {
  return readFileSync(packageFile('training', 'data', ...`${path}.jsonl`.split('/')), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WholeRow);
}

interface WholeRow {
  readonly id: string;
  readonly lang: string;
  readonly text: string;
  readonly kind?: string;
  readonly scam?: boolean;
  readonly loud?: boolean;
  readonly expected?: { readonly accept: readonly string[] };
}

/** Messages of a set with one line of JSON each. */
export function messagesOf(path: string, hand: Hand | undefined): Example[] {
  return linesOf(path).map(({ id, lang, kind = '', scam, text }) =>
    exampleOf({
      text,
      lang,
      kind: scam ? kindOf(kind) : NO_LURE,
      group: id,
      hand,
      own: true,
      foreign: false,
    }),
  );
}

/** Messages of a table of language, kind and text. */
function tableMessages(name: string, hand: Hand): Example[] {
  const lines = readFileSync(packageFile('training', 'data', 'lures', name), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line, at) => {
    const [lang = '', kind = '', text = ''] = line.split('\t');
    return exampleOf({ text, lang, kind, group: `${name} ${at}`, hand, own: true, foreign: false });
  });
}

function writtenMessages(): Example[] {
  return [
    ...tableMessages('messages.tsv', 'lures'),
    ...tableMessages('pairs.tsv', 'lures, pairs'),
    ...messagesOf('hands/c/lures', 'hands/c'),
    ...messagesOf('written/scams', 'written'),
    ...messagesOf('hands/g/lures', 'hands/g'),
    ...messagesOf('hands/l/messages', 'hands/l'),
    ...(['u', 'ah', 'ar', 'as', 'ax', 'ay', 'ea', 'eb'] as const).flatMap((name) =>
      messagesOf(`hands/${name}/messages`, `hands/${name}`),
    ),
  ];
}

/** Whole texts that lure and calm ones; loud ones of other kinds are neither. */
export function wholeTexts(path: string, hand: Hand | undefined): Example[] {
  return linesOf(path).flatMap(({ id, lang, text, kind = '', loud, expected }) => {
    const lures = LURING.has(kind);
    const isCalm = !(loud ?? (expected !== undefined && expected.accept.join() !== 'low'));
    if (!lures && !isCalm) return [];
    const named = lures ? kindOf(kind) : NO_LURE;
    return [exampleOf({ text, lang, kind: named, group: id, hand, own: lures, foreign: false })];
  });
}

/** Texts of others, shared out among the hands. */
function ordinaryTexts(folder: string): Example[] {
  const foreign = ORDINARY.flatMap(([task, lang, count]) => {
    const rows = readRows<RawRow>(folder, task).filter(
      (row) => languageOf(row) === lang && (textOf(row, 'text')?.length ?? 0) >= 30,
    );
    return shuffled(rows, 6)
      .slice(0, count)
      .map((row, index) => ({ id: `${task} ${lang} ${index}`, text: textOf(row, 'text') ?? '', lang }));
  });
  return foreign.map(({ id, text, lang }, index) =>
    exampleOf({
      text,
      lang,
      kind: NO_LURE,
      group: id,
      hand: HANDS[index % HANDS.length],
      own: false,
      foreign: true,
    }),
  );
}

/** All that the weights learn from; `folder` holds the texts of others. */
export function learnedExamples(folder: string): Example[] {
  return [
    ...writtenMessages(),
    ...WHOLE.flatMap(([path, hand]) => wholeTexts(path, hand)),
    ...ordinaryTexts(folder),
  ];
}
