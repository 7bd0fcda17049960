/** How well the list names what readers name in sentences. */
import {
  readPassages,
  type SentenceReadingWeights,
} from '../../src/services/analysis/engines/techniques/sentence-readings.ts';
import { linearScore, sigmoid } from '../../src/text/logistic.ts';
import {
  asTheyAre,
  calibrationOf,
  type Figure,
  figuresOf,
  groupedBy,
  type Metric,
} from '../evaluate/figures.ts';
import { areaUnderCurve, type Scored } from '../metrics.ts';
import type { ReadSentence } from './read-texts.ts';
import { type EngineReading, listedTechniques } from './reading-weights.ts';

/** A technique of a sentence, or a sentence with any: whether the list, a reader and the second one name it. */
interface Named extends Scored {
  readonly listed: boolean;
  readonly second: boolean;
}

const partOf = ({ text }: EngineReading) =>
  text.isPublished ? `${text.language}, published` : text.language;

/** The passages of the list by sentence and code, the surest of each. */
function listedBySentence(reading: EngineReading, weights: SentenceReadingWeights): Map<string, number> {
  const listed = new Map<string, number>();
  for (const { sentence, code, confidence } of readPassages(reading.input, weights)) {
    const key = `${sentence} ${code}`;
    listed.set(key, Math.max(listed.get(key) ?? 0, confidence));
  }
  return listed;
}

/** The sentences that readers saw, with their places. */
const seen = ({ named }: EngineReading) =>
  [...named.entries()].filter((entry): entry is [number, ReadSentence] => entry[1] !== undefined);

function namedTechniques(reading: EngineReading, weights: SentenceReadingWeights): Named[] {
  const listed = listedBySentence(reading, weights);
  return seen(reading).flatMap(([place, { codes, second = [] }]) => {
    const own = [...listed.keys()].flatMap((key) =>
      key.startsWith(`${place} `) ? [key.split(' ')[1] ?? ''] : [],
    );
    return [...new Set([...own, ...codes, ...second])].map((code) => ({
      score: listed.get(`${place} ${code}`) ?? 0,
      listed: listed.has(`${place} ${code}`),
      truth: codes.includes(code),
      second: second.includes(code),
      group: reading.text.id,
    }));
  });
}

/** The chance of any technique in each sentence that readers saw. */
export const sentenceChances = (
  readings: readonly EngineReading[],
  weights: SentenceReadingWeights,
): Scored[] => readings.flatMap((reading) => namedSentences(reading, weights));

function namedSentences(reading: EngineReading, weights: SentenceReadingWeights): Named[] {
  const listed = listedBySentence(reading, weights);
  const places = new Set([...listed.keys()].map((key) => Number(key.split(' ')[0])));
  return seen(reading).flatMap(([place, { codes, second = [] }]) => {
    const inputs = reading.input.readings.inputs[place];
    if (inputs === undefined) return [];
    const { any } = weights;
    return {
      score: sigmoid(linearScore(any.weights, inputs, any.bias)),
      listed: places.has(place),
      truth: codes.length > 0,
      second: second.length > 0,
      group: reading.text.id,
    };
  });
}

/** Shares of hits among what was said, among what is true, and their harmonic mean. */
function ratesOf(rows: readonly Named[], said: (row: Named) => boolean) {
  const hits = rows.filter((row) => row.truth && said(row)).length;
  const [all, wanted] = [rows.filter(said).length, rows.filter(({ truth }) => truth).length];
  return { precision: hits / all, recall: hits / wanted, f1: (2 * hits) / (all + wanted) };
}

const rate =
  (which: 'precision' | 'recall' | 'f1'): Metric<Named> =>
  (rows) =>
    ratesOf(rows, ({ listed }) => listed)[which];

const another = (rows: readonly Named[]) => {
  const value = ratesOf(rows, ({ second }) => second).f1;
  return value > 0 ? { name: 'another reader', value } : null;
};

/** Figures by language, and of published texts apart. */
export function readingFigures(
  readings: readonly EngineReading[],
  weights: SentenceReadingWeights,
): Figure[] {
  return [...groupedBy(readings, partOf)].flatMap(([part, own]) => {
    const techniques = own.flatMap((reading) => namedTechniques(reading, weights));
    const sentences = own.flatMap((reading) => namedSentences(reading, weights));
    const listed = techniques.filter((row) => row.listed);
    const inTexts = own.flatMap((reading) =>
      listedTechniques(reading, weights).map(({ confidence, right }) => ({
        score: confidence,
        truth: right,
        group: reading.text.id,
      })),
    );
    return [
      ...figuresOf(part, techniques, {
        'named techniques of sentences, F1': { of: rate('f1'), baseline: another(techniques) },
        'the same, precision': { of: rate('precision') },
        'the same, recall': { of: rate('recall') },
      }),
      ...figuresOf(part, sentences, {
        'sentences with any technique, F1': { of: rate('f1'), baseline: another(sentences) },
        'sentences with any technique, AUC': { of: areaUnderCurve, baseline: { name: 'chance', value: 0.5 } },
        'sentences with any technique, calibration error': calibrationOf(sentences, asTheyAre),
      }),
      ...figuresOf(part, listed, { 'listed passages, calibration error': calibrationOf(listed, asTheyAre) }),
      ...figuresOf(part, inTexts, {
        'techniques of texts, calibration error': calibrationOf(inTexts, asTheyAre),
      }),
    ];
  });
}
