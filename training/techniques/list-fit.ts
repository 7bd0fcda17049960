import {
  type ListWeights,
  listedPassages,
  type ScoringMode,
  type ScoringModeWeights,
  techniqueChance,
  techniqueInputs,
} from '../../src/services/analysis/engines/techniques/listing.ts';
import { conjugateGradients } from '../conjugate-gradients.ts';
import { groupedBy } from '../evaluate/figures.ts';
import { codesOfLabel, LABELLED, type ListDocument, type ListRow } from './list-reading.ts';

type Head = ScoringModeWeights['counted'];

/** An example of what a head says, and how much it counts. */
export interface Example {
  readonly code: string;
  readonly inputs: readonly number[];
  readonly right: boolean;
  readonly count: number;
}

/** Quadratic penalties: techniques differ little where little is known of them. */
const PENALTY = { bias: 1e-6, weight: 0.5, code: 4 } as const;
const STEPS = 12;
/** A passage, or technique, of a marked article counts so often beside one of a text that nobody marked, where all count as wrong. */
const MARKED_COUNT = { passage: 2, technique: 5 } as const;
/** Marked articles for each text without marks; where there are fewer, those texts count for less. */
const MARKED_TEXTS = 1.2;

/** How often a passage of a text without marks counts. */
function plainCount(documents: readonly ListDocument[]): number {
  const marked = documents.filter(({ isMarked }) => isMarked).length;
  return marked / Math.max(1, MARKED_TEXTS * (documents.length - marked));
}

/** Logistic regression with a quadratic penalty, by Newton's method. */
export function fitHead(examples: readonly Example[], withCodes: boolean): Head {
  const width = examples[0]?.inputs.length ?? 0;
  const codes = withCodes ? [...new Set(examples.map(({ code }) => code))].sort() : [];
  const place = new Map(codes.map((code, at) => [code, 1 + width + at]));
  const rows = examples.map(({ code, inputs, right, count }) => {
    const own = place.get(code);
    const entries: [number, number][] = [
      [0, 1],
      ...inputs.map((value, at): [number, number] => [1 + at, value]),
    ];
    if (own !== undefined) entries.push([own, 1]);
    return { entries, target: right ? 1 : 0, count };
  });
  const size = 1 + width + codes.length;
  const penalty = (at: number) => (at === 0 ? PENALTY.bias : at <= width ? PENALTY.weight : PENALTY.code);
  const sumOf = (weights: Float64Array, entries: readonly [number, number][]) =>
    entries.reduce((sum, [at, value]) => sum + value * (weights[at] ?? 0), 0);
  const add = (target: Float64Array, entries: readonly [number, number][], factor: number) => {
    for (const [at, value] of entries) target[at] = (target[at] ?? 0) + factor * value;
  };
  const weights = new Float64Array(size);
  for (let step = 0; step < STEPS; step += 1) {
    const slope = weights.map((weight, at) => -penalty(at) * weight);
    const curve = rows.map(({ entries, target, count }) => {
      const chance = 1 / (1 + Math.exp(-sumOf(weights, entries)));
      add(slope, entries, count * (target - chance));
      return count * chance * (1 - chance);
    });
    const times = (x: Float64Array) => {
      const image = x.map((value, at) => penalty(at) * value);
      rows.forEach(({ entries }, row) => {
        add(image, entries, (curve[row] ?? 0) * sumOf(x, entries));
      });
      return image;
    };
    const change = conjugateGradients(times, slope, { steps: 4 * size, least: 1e-14 });
    for (let at = 0; at < size; at += 1) weights[at] = (weights[at] ?? 0) + (change[at] ?? 0);
  }
  const short = (value: number | undefined) => Number((value ?? 0).toPrecision(5));
  return {
    bias: short(weights[0]),
    weights: Array.from({ length: width }, (_, at) => short(weights[1 + at])),
    codes: Object.fromEntries(codes.map((code, at) => [code, short(weights[1 + width + at])])),
  };
}

const NO_HEAD: Head = { bias: 0, weights: [], codes: {} };

/** What makes the list longer or shorter. */
export type Bounds = Pick<ScoringModeWeights, 'least_chance' | 'least_presence'>;

type PassageWeights = Pick<ScoringModeWeights, 'counted' | 'added'>;

/** Fits the chances of the passages of one reader; codes without a label of the corpus are left out, since nothing is known of them. */
export function fitPassages(documents: readonly ListDocument[]): PassageWeights {
  const plain = plainCount(documents);
  const examples = (kind: (row: ListRow) => boolean) =>
    documents.flatMap(({ passages, isMarked }) =>
      passages
        .filter((row) => LABELLED.has(row.code) && kind(row))
        .map((row): Example => ({ ...row, count: isMarked ? MARKED_COUNT.passage : plain })),
    );
  const more = examples(({ weight }) => weight === 0);
  return {
    counted: fitHead(
      examples(({ weight }) => weight > 0),
      true,
    ),
    added: more.length === 0 ? NO_HEAD : fitHead(more, false),
  };
}

/** Adds the chance of a technique, fitted on the lists that the chances of passages make. */
export function fitTechniques(
  documents: readonly ListDocument[],
  reader: ScoringMode,
  passages: PassageWeights,
  bounds: Bounds,
): ScoringModeWeights {
  const own = { ...bounds, ...passages, technique: NO_HEAD };
  const weights = weightsOf(reader, own);
  const plain = plainCount(documents);
  const techniques = documents.flatMap((document) =>
    techniquesOf(document, reader, weights).map(
      ({ code, confidences, right }): Example => ({
        code,
        inputs: techniqueInputs({ code, confidences, wordCount: document.wordCount }),
        right,
        count: document.isMarked ? MARKED_COUNT.technique : plain,
      }),
    ),
  );
  return { ...own, technique: fitHead(techniques, true) };
}

/** Weights of which only one reader's are known. */
export function weightsOf(reader: ScoringMode, own: ScoringModeWeights): ListWeights {
  return { name: '', version: '', readers: { pieces: own, words: own, rules: own, [reader]: own } };
}

/** A technique of a list. */
export interface ListedTechnique {
  readonly code: string;
  readonly confidences: readonly number[];
  readonly confidence: number;
  readonly counts: boolean;
  /** The article has a marked span of the technique. */
  readonly right: boolean;
}

/** The techniques of a list that the corpus has a label for. */
export function techniquesOf(
  document: ListDocument,
  reader: ScoringMode,
  weights: ListWeights,
): ListedTechnique[] {
  const byCode = groupedBy(listedPassages(document.passages, reader, weights), ({ code }) => code);
  return [...byCode]
    .filter(([code]) => LABELLED.has(code))
    .map(([code, rows]) => {
      const confidences = rows.map(({ confidence }) => confidence);
      const confidence = techniqueChance(
        { code, confidences, wordCount: document.wordCount },
        reader,
        weights,
      );
      const right = document.gold.some(({ label }) => isLabelOf(label, code));
      return { code, confidences, confidence, right, counts: rows.some(({ weight }) => weight > 0) };
    });
}

const isLabelOf = (label: string, code: string) => codesOfLabel(label).includes(code);
