/**
 * Fits models/whole-text.json: how the signs of sentences add up to whole texts. Usage:
 * npx tsx training/whole-text.ts [data folder]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { createTechniquesEngine } from '../src/services/analysis/engines/techniques/engine.ts';
import { type SentenceSigns, trimmedMean } from '../src/services/analysis/engines/techniques/whole-text.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import type { Language } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { rowsOf, wholeTexts } from './judgement/sets.ts';
import { areaUnderCurve, type Scored, withInterval } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';

const folder = process.argv[2] ?? DATA_FOLDER;
const FOLDS = 5;
const MOST_SENTENCES = 25;
const SHAPE = {
  most: { slant: 4, telling: 6 },
  ordinary: { slant: -1.5, telling: -2, times: 4 },
  calmest: 0.25,
  floor: 0.3,
  strength: 0.45,
  most_weight: 0.6,
} as const;

interface Text {
  readonly id: string;
  readonly lang: Language;
  readonly text: string;
  readonly loud: boolean;
}

const cut = (text: string) => text.slice(0, sentencesOf(text)[MOST_SENTENCES - 1]?.end ?? text.length);
const calm = (rows: readonly Omit<Text, 'loud'>[]) => rows.map((row): Text => ({ ...row, loud: false }));

function texts(): Text[] {
  const articles = readRows<{ id: string; text: string; label: string }>(folder, 'hyperpartisan').map(
    ({ id, text, label }): Text => ({ id, text: cut(text), lang: 'en', loud: label === 'hyperpartisan' }),
  );
  const pages = readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; gold?: { text?: string } })
    .map(({ id, gold }) => ({ id, lang: 'en' as const, text: cut(gold?.text ?? '') }))
    .filter(({ text }) => text.length > 600);
  // A text that may be of either kind teaches nothing.
  const whole = wholeTexts(undefined, folder).flatMap(({ id, lang, text, expected }): Text[] => {
    const accept = expected?.accept ?? [];
    const mixed = accept.includes('low') && accept.length > 1;
    return mixed ? [] : [{ id, lang, text: cut(text), loud: !accept.includes('low') }];
  });
  const part = <Row>(rows: readonly Row[]) => shuffled(rows, 7).slice(0, 60);
  return [
    ...calm(rowsOf('calm')),
    ...whole,
    ...part(articles.filter(({ loud }) => loud)),
    ...part(articles.filter(({ loud }) => !loud)),
    ...calm(part(pages)),
  ];
}

type Numbers = [slant: number, telling: number, told: number];
const { most, ordinary } = SHAPE;
const within = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value));

/** Each sign's mean as the model takes it: without the calmest quarter and the loudest, with a few ordinary sentences. */
function means(signs: readonly SentenceSigns[]): Numbers {
  const mean = (values: readonly number[], usual: number) =>
    trimmedMean(values, { calmest: SHAPE.calmest, ordinary: usual, times: ordinary.times });
  return [
    mean(
      signs.map(({ slant }) => within(slant, most.slant)),
      ordinary.slant,
    ),
    mean(
      signs.map(({ telling }) => within(telling, most.telling)),
      ordinary.telling,
    ),
    mean(
      signs.map(({ told }) => told),
      0,
    ),
  ];
}

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
const read = texts().flatMap((row) => {
  const { text, lang: language } = row;
  const signs = engine.signs(text, { language, encoding: encodingOf(encoder, { text, language }) });
  return signs.length === 0 ? [] : [{ ...row, numbers: means(signs) }];
});
type Read = (typeof read)[number];
interface Weights {
  slant: number;
  telling: number;
  told: number;
  bias: number;
}

const PULL = 1e-3;
const STEPS = 4000;

/** Logistic regression on standardised numbers. */
function fitted(rows: readonly Read[]): Weights {
  const spread = [0, 1, 2].map((at) => {
    const values = rows.map(({ numbers }) => numbers[at] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      mean,
      width: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length),
    };
  });
  const scaled = rows.map(({ numbers }) =>
    numbers.map((value, at) => (value - (spread[at]?.mean ?? 0)) / (spread[at]?.width || 1)),
  );
  const weights = [0, 0, 0, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = [0, 0, 0, 0];
    scaled.forEach((row, index) => {
      const score = row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), weights[3] ?? 0);
      const error = (1 / (1 + Math.exp(-score)) - (rows[index]?.loud ? 1 : 0)) / rows.length;
      [...row, 1].forEach((value, at) => {
        gradient[at] = (gradient[at] ?? 0) + error * value;
      });
    });
    gradient.forEach((value, at) => {
      weights[at] = (weights[at] ?? 0) - value - (at < 3 ? PULL * (weights[at] ?? 0) : 0);
    });
  }
  const raw = spread.map(({ width }, at) => (weights[at] ?? 0) / (width || 1));
  const bias = (weights[3] ?? 0) - raw.reduce((sum, value, at) => sum + value * (spread[at]?.mean ?? 0), 0);
  const [slant = 0, telling = 0, told = 0] = raw.map((value) => Number(value.toFixed(4)));
  return { slant, telling, told, bias: Number(bias.toFixed(4)) };
}

const scoreOf = ({ slant, telling, told, bias }: Weights, [one, two, three]: Numbers) =>
  slant * one + telling * two + told * three + bias;

for (const lang of ['en', 'ro'] as const) {
  const own = shuffled(
    read.filter((row) => row.lang === lang),
    3,
  );
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitted(own.filter((__, at) => at % FOLDS !== fold)),
  );
  const scored = own.flatMap((row, at): Scored[] => {
    const weights = folds[at % FOLDS];
    return weights === undefined
      ? []
      : [{ score: scoreOf(weights, row.numbers), truth: row.loud, group: row.id }];
  });
  console.log(
    `${lang}: ${own.length} texts, ${own.filter(({ loud }) => loud).length} loud; five folds: AUC ${withInterval(scored, areaUnderCurve)}; ` +
      [0, 0.5, 1]
        .map(
          (least) =>
            `above ${least}: loud ${share(scored, true, least)}, calm ${share(scored, false, least)}`,
        )
        .join('; '),
  );
}

function share(rows: readonly Scored[], truth: boolean, least: number): string {
  const own = rows.filter((row) => row.truth === truth);
  return (own.filter(({ score }) => score > least).length / own.length).toFixed(3);
}

const [en, ro] = (['en', 'ro'] as const).map((lang) => fitted(read.filter((row) => row.lang === lang)));
writeFileSync(
  'models/whole-text.json',
  `${JSON.stringify({ name: 'limpede-whole-text-1', version: '1.0.0', ...SHAPE, en, ro }, undefined, 2)}\n`,
);
