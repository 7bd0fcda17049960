import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldedWords } from '../src/services/analysis/engines/context/phrases.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { narrativesOf } from '../src/services/analysis/engines/narratives/engine.ts';
import {
  type FrameHit,
  frameHits,
  NARRATIVE_FAMILIES,
} from '../src/services/analysis/engines/narratives/frames.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { Positions } from '../src/text/positions.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import { type Language, readLines } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { rowsOf } from './judgement/sets.ts';
import { atThreshold, calibrationError, type Scored, withInterval } from './metrics.ts';
import {
  DiscriminantSums,
  discriminantScore,
  type Example,
  logisticLine,
} from './narratives/discriminant.ts';
import { tellingScore, trainTelling } from './narratives/telling.ts';
import { DATA_FOLDER, readRows } from './rows.ts';

// Fits models/narratives.json and models/narratives-vectors.json: npx tsx training/narratives.ts [data folder] [cache
// folder]; with --score the held-back texts too

const [folder = DATA_FOLDER, cache = join(tmpdir(), 'narratives')] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
/** Words that are spread over neighbouring sentences speak less loud. */
const PASSAGE_SHARE = 0.7;

interface Paraphrase {
  id: string;
  lang: Language;
  narrative: string;
  asserts: boolean;
  text: string;
}
interface Sample {
  text: string;
  lang: Language;
  family: string | null;
  /** Family whose topic a calm sentence shares. */
  near?: string;
  /** A calm passage of a register of its own. */
  register?: boolean;
  /** Both languages of a sentence stay in one fold. */
  fold?: number;
}

const FOLDS = 5;
const own = readFileSync('training/data/narratives/paraphrases.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Paraphrase)
  .map(
    ({ id, text, lang, narrative, asserts }): Sample => ({
      text,
      lang,
      family: asserts ? narrative : null,
      fold: Number(id.replace(/\D/gu, '')) % FOLDS,
      ...(!asserts && { near: narrative }),
    }),
  );

/** Every so many of a list, evenly. */
const thinned = <Row>(rows: readonly Row[], most: number) =>
  rows.filter(
    (_, at) => Math.floor((at * most) / rows.length) !== Math.floor(((at - 1) * most) / rows.length),
  );
const calmOf = (texts: readonly string[], lang: Language, most: number) =>
  thinned(texts, most).map((text): Sample => ({ text, lang, family: null }));
const parallel = readLines<{ en: string; ro: string }>(folder, 'parallel', 'train.jsonl.gz');
const named = readRows<{ lang: Language; tokens: string[] }>(folder, 'ner').filter(
  ({ lang }) => lang === 'ro',
);
const articles = readRows<{ text: string; label: string }>(folder, 'hyperpartisan')
  .filter(({ label }) => label === 'mainstream')
  .flatMap(({ text }) => sentencesOf(text).map((sentence) => sentence.text));
const calm = [
  ...calmOf(
    parallel.map(({ ro }) => ro),
    'ro',
    3500,
  ),
  ...calmOf(
    named.map(({ tokens }) => tokens.join(' ')),
    'ro',
    2500,
  ),
  ...calmOf(
    parallel.map(({ en }) => en),
    'en',
    1500,
  ),
  ...calmOf(
    readRows<{ text: string }>(folder, 'checkworthy').map(({ text }) => text),
    'en',
    1500,
  ),
  ...calmOf(articles, 'en', 3000),
];

/** Calm sentences of more registers: film dialogue, web pages, and the calm passages of our own. */
const pages = readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { gold?: { text?: string } }).gold?.text ?? '')
  .flatMap((text) => sentencesOf(text).slice(0, 12));
const dialogue = readRows<{ text: string; lang: Language }>(folder, 'emotion').filter(
  ({ lang }) => lang === 'ro',
);
const more = [
  ...calmOf(
    pages.map(({ text }) => text),
    'en',
    1500,
  ),
  ...calmOf(
    dialogue.map(({ text }) => text),
    'ro',
    1500,
  ),
  ...rowsOf('calm').flatMap(({ text, lang }) =>
    sentencesOf(text).map(
      (sentence): Sample => ({ text: sentence.text, lang, family: null, register: true }),
    ),
  ),
];
/** Phrases that any writer can add to any text prove nothing. */
const disclaimers = rowsOf('phrases').map(
  ({ text, lang }, at): Sample => ({
    text,
    lang,
    family: null,
    near: NARRATIVE_FAMILIES[at % 30]?.code ?? '',
  }),
);
const first = [...own, ...calm];
const read = [...first, ...more, ...disclaimers].map((sample) => {
  const hits = new Map<string, FrameHit>();
  for (const { hits: found } of frameHits(sentencesOf(sample.text), foldedWords(sample.text), sample.lang))
    for (const [family, hit] of found)
      if (hit === 'sentence') hits.set(NARRATIVE_FAMILIES[family]?.code ?? '', hit);
  return { ...sample, hits };
});

const families = Object.fromEntries(
  NARRATIVE_FAMILIES.map(({ code }) => {
    const share = (chosen: typeof read, prior: number) =>
      (chosen.filter(({ hits }) => hits.has(code)).length + prior) / (chosen.length + 2 * prior);
    const inside = read.filter(({ family }) => family === code);
    const outside = read.filter(({ family }) => family === null);
    return [code, Number(Math.log(share(inside, 1) / share(outside, 0.5)).toFixed(3))];
  }),
);

/** Vectors of samples, in their order. */
function vectorsOf(name: string, samples: readonly Sample[]): Float32Array[] {
  const vectors = new Array<Float32Array>(samples.length);
  for (const lang of ['en', 'ro'] as const) {
    const places = samples.flatMap((sample, at) => (sample.lang === lang ? [at] : []));
    const texts = places.map((at) => samples[at]?.text ?? '');
    const all = sentenceVectors(cache, `${name}-${lang}`, [texts], lang)[0] ?? new Float32Array();
    places.forEach((place, at) => {
      vectors[place] = vectorIn(all, at);
    });
  }
  return vectors;
}

const codes = NARRATIVE_FAMILIES.map(({ code }) => code);
const vectors = [
  ...vectorsOf('samples', first),
  ...vectorsOf('more', more),
  ...vectorsOf('phrases', disclaimers),
];
const examples = read.map(
  (sample, at): Example => ({
    vector: vectors[at] ?? new Float32Array(),
    family: sample.family === null ? -1 : codes.indexOf(sample.family),
    language: sample.lang === 'ro' ? 1 : 0,
    fold: sample.fold ?? at % FOLDS,
  }),
);
const sums = new DiscriminantSums(examples, codes.length);
const folds = Array.from({ length: FOLDS }, (_, fold) => sums.fit(fold));
/** Scores of a sample by models that did not see it. */
const heldScores = examples.map((example) =>
  codes.map((_, family) => {
    const model = folds[example.fold];
    return model === undefined ? 0 : discriminantScore(model, family, example);
  }),
);
const { means } = sums;
const tellingExamples = examples.map((example, at) => ({
  ...example,
  near: read[at]?.near !== undefined,
  register: read[at]?.register === true,
}));
const tellers = Array.from({ length: FOLDS }, (_, fold) => trainTelling(tellingExamples, means, fold));
/** Scores of a sample to tell any narrative, by models that did not see it. */
const heldTelling = examples.map((example) => {
  const model = tellers[example.fold];
  return model === undefined ? 0 : tellingScore(model, means, example);
});

/** A calm sentence on the topic of a family counts as often as this: topic alone must not pass for telling. */
const NEAR_COUNTS = { family: 100, telling: 20 };
const THINNED = 15;
const isNear = (at: number) => read[at]?.near !== undefined;
const familyLine = logisticLine(
  examples.flatMap(({ family }, at) => (family < 0 ? [] : [heldScores[at]?.[family] ?? 0])),
  examples.flatMap(({ family }, at) => {
    if (family >= 0) return [];
    const scores = heldScores[at] ?? [];
    if (isNear(at))
      return new Array<number>(NEAR_COUNTS.family).fill(scores[codes.indexOf(read[at]?.near ?? '')] ?? 0);
    return scores.filter((_, place) => (at + place) % THINNED === 0);
  }),
);
const tellingLine = logisticLine(
  examples.flatMap(({ family }, at) => (family < 0 ? [] : [heldTelling[at] ?? 0])),
  examples.flatMap(({ family }, at) => {
    if (family >= 0) return [];
    return new Array<number>(isNear(at) ? NEAR_COUNTS.telling : 1).fill(heldTelling[at] ?? 0);
  }),
);

/** One sentence of so many that are sent in is taken to speak of a given family; conventions, not measured. */
const PRIOR = 1 / 300;
/** With vectors the families share what a sentence may tell; chosen so that about one calm sentence of four hundred passes. */
const BIAS_WITH_VECTORS = -4.5;
const bias = Math.log(PRIOR / (1 - PRIOR));
const round = (value: number) => Number(value.toFixed(4));
const model = {
  name: 'limpede-narratives-2',
  version: '2.0.0',
  bias: round(bias),
  bias_with_vectors: BIAS_WITH_VECTORS,
  sentence: 1,
  passage: PASSAGE_SHARE,
  families,
};
writeFileSync('models/narratives.json', `${JSON.stringify(model, undefined, 2)}\n`);

/** A direction as signed bytes times a scale, with what each language adds. */
function packed(code: string, direction: readonly number[], biases: readonly number[]) {
  const scale = Math.max(...direction.map(Math.abs)) / 127;
  const [en = 0, ro = 0] = biases.map(round);
  return {
    code,
    scale: Number(scale.toPrecision(6)),
    en,
    ro,
    direction: direction.map((value) => Math.round(value / scale)),
  };
}

function packedVectors() {
  const { directions, biases } = sums.fit();
  const [familySlope, familyOffset] = familyLine;
  const ofFamilies = codes.map((code, family) =>
    packed(
      code,
      Array.from(directions[family] ?? [], (value) => familySlope * value),
      (biases[family] ?? []).map((value) => familySlope * value + familyOffset),
    ),
  );
  const [slope, offset] = tellingLine;
  const { weights, bias: own } = trainTelling(tellingExamples, means);
  const telling = Array.from(weights, (value) => slope * value);
  const added = means.map(
    (mean) =>
      slope * (own[0] ?? 0) + offset - telling.reduce((sum, value, at) => sum + value * (mean[at] ?? 0), 0),
  );
  return [packed('telling', telling, added), ...ofFamilies];
}
const lines = packedVectors().map((family) => JSON.stringify(family));
writeFileSync('models/narratives-vectors.json', `{"directions":[\n${lines.join(',\n')}\n]}\n`);

const onLine = ([slope, offset]: readonly [number, number], score: number) => slope * score + offset;
const logOdds = ({ hits }: (typeof read)[number], at: number, withVectors: boolean) =>
  codes.map((code, family) => {
    const words = hits.has(code) ? (families[code] ?? 0) : 0;
    const vector =
      onLine(familyLine, heldScores[at]?.[family] ?? 0) + onLine(tellingLine, heldTelling[at] ?? 0);
    return withVectors ? BIAS_WITH_VECTORS + words + vector : bias + words;
  });

for (const withVectors of [false, true])
  for (const lang of ['en', 'ro'] as const) {
    const rows = read.flatMap((sample, at): (Scored & { right: boolean })[] => {
      if (sample.lang !== lang) return [];
      const scores = logOdds(sample, at, withVectors);
      const margin = Math.max(...scores);
      // With vectors a sentence asserts one family at most: evidence for the others is evidence against each.
      const others = withVectors ? scores.reduce((sum, one) => sum + Math.exp(one), 0) - Math.exp(margin) : 0;
      return [
        {
          score: Math.exp(margin) / (1 + Math.exp(margin) + others),
          truth: sample.family !== null,
          group: String(at),
          right: codes[scores.indexOf(margin)] === sample.family,
        },
      ];
    });
    const point = atThreshold(rows, 0.5);
    const found = rows.filter(({ truth, score }) => truth && score >= 0.5);
    console.log(
      `${lang}, ${withVectors ? 'words and vectors (held back by fold)' : 'words'}: found ${point.recall.toFixed(3)}, right family of these ${(found.filter(({ right }) => right).length / found.length).toFixed(3)}, ` +
        `calm ones taken for one ${point.falsePositiveRate.toFixed(4)}, calibration error ${calibrationError(rows).toFixed(3)}`,
    );
  }

interface Told {
  id: string;
  lang: Language;
  narrative: string;
  stance: 'asserts' | 'debunks' | 'unrelated';
  text: string;
}
const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const found = ({ text, lang }: { text: string; lang: Language }) =>
  narrativesOf({
    sentences: sentencesOf(text),
    words: foldedWords(text),
    language: lang,
    positions: new Positions(text),
    encoding: process.argv.includes('--words') ? undefined : encodingOf(encoder, { text, language: lang }),
  });

/** What the shipped weights find in texts that they were not fitted on. */
function score(rows: readonly Told[]): void {
  for (const lang of ['en', 'ro'] as const)
    for (const stance of ['asserts', 'debunks', 'unrelated'] as const) {
      const part = rows.filter((row) => row.lang === lang && row.stance === stance);
      const share = (name: string, holds: (row: Told) => boolean) => {
        const scored = part.map((row): Scored => ({ score: holds(row) ? 1 : 0, truth: true, group: row.id }));
        const mean = (some: readonly Scored[]) => some.reduce((sum, one) => sum + one.score, 0) / some.length;
        console.log(`${lang}, ${stance} (${part.length}): ${name} ${withInterval(scored, mean)}`);
      };
      share('told, some family', (row) => found(row).some((one) => one.stance === 'asserts'));
      share('told, its family', (row) =>
        found(row).some((one) => one.stance === 'asserts' && one.code === row.narrative),
      );
      share('refuted', (row) => found(row).some((one) => one.stance === 'debunks'));
    }
}
if (process.argv.includes('--score')) {
  score(
    readFileSync('training/data/narratives/held-back.jsonl', 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Told),
  );
  const calmArticles = readRows<{ text: string; label: string }>(folder, 'hyperpartisan')
    .filter(({ label }) => label === 'mainstream')
    .map(({ text }) => found({ text, lang: 'en' }).some(({ stance }) => stance === 'asserts'));
  console.log(`mainstream articles: told ${calmArticles.filter(Boolean).length} of ${calmArticles.length}`);
}
