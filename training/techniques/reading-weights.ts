/** Fits and scores the chances that readers name a technique, on texts that the classifier of sentences did not see. */
import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import { encodingOf } from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import { createTechniquesEngine } from '../../src/services/analysis/engines/techniques/engine.ts';
import { type ListBounds, techniqueInputs } from '../../src/services/analysis/engines/techniques/listing.ts';
import {
  LEAST_SHARE,
  type ReadingInput,
  readCandidates,
  readPassages,
  type SentenceReader,
  type SentenceReadingWeights,
  techniqueChancesOf,
} from '../../src/services/analysis/engines/techniques/sentence-readings.ts';
import { createEncoder, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { countWords } from '../../src/text/words.ts';
import { readEncoderParts } from '../encoder/parts.ts';
import { groupedBy } from '../evaluate/figures.ts';
import { type Example, fitHead } from './list-fit.ts';
import type { ReadSentence, ReadText } from './read-texts.ts';

const model = (file: string) => readFileSync(packageFile('models', file));

/** A text as the engine reads it, with what readers named in each of its sentences; undefined for a sentence that they did not see. */
export interface EngineReading {
  readonly text: ReadText;
  readonly input: ReadingInput;
  readonly named: readonly (ReadSentence | undefined)[];
  /** Words of the sentences that readers saw. */
  readonly wordCount: number;
}

/** Reads texts as an analysis does, each by the classifier that is meant for it. */
export function readByEngine(
  texts: readonly ReadText[],
  readerOf: (text: ReadText) => SentenceReader,
): EngineReading[] {
  const layers = { upper: model('techniques-upper.bin'), whole: model('text-upper.bin') };
  const encoder = createEncoder(shareEncoder({ ...readEncoderParts(), ...layers }, 1), 0);
  const engines = new Map<SentenceReader, ReturnType<typeof createTechniquesEngine>>();
  return texts.flatMap((text) => {
    const reader = readerOf(text);
    const engine = engines.get(reader) ?? createTechniquesEngine(model('techniques.bin'), reader);
    engines.set(reader, engine);
    const encoding = encodingOf(encoder, text);
    const input = engine.readings(text.text, { language: text.language, encoding });
    if (input === undefined) return [];
    const byStart = new Map(text.sentences.map((sentence) => [sentence.start, sentence]));
    const named = input.starts.map((start) => sentenceFrom(byStart, start));
    const wordCount = text.sentences.reduce((sum, sentence) => sum + countWords(sentence.text), 0);
    return [{ text, input, named, wordCount }];
  });
}

/** The engine's sentences begin at their first word, those of the readers perhaps at a mark before it. */
const MOST_MARKS = 4;
function sentenceFrom(byStart: ReadonlyMap<number, ReadSentence>, start: number): ReadSentence | undefined {
  for (let at = start; at >= start - MOST_MARKS; at -= 1) {
    const found = byStart.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function passageExamples(readings: readonly EngineReading[], weights: SentenceReadingWeights): Example[] {
  return readings.flatMap(({ input, named }) =>
    readCandidates(input, weights).flatMap(({ code, sentence, inputs, weight }) => {
      const truth = named[sentence];
      const share = input.readings.shares[sentence]?.[code] ?? 0;
      if (truth === undefined || (weight === 0 && share < LEAST_SHARE)) return [];
      return [{ code, inputs, right: truth.codes.includes(code), count: 1 }];
    }),
  );
}

/** The techniques of the list of a text among the sentences that readers saw. */
export function listedTechniques(
  { input, named, wordCount }: EngineReading,
  weights: SentenceReadingWeights,
) {
  const passages = readPassages(input, weights).filter(({ sentence }) => named[sentence] !== undefined);
  const chanceOf = techniqueChancesOf(passages, input.mode, weights);
  return [...groupedBy(passages, ({ code }) => code)].map(([code, rows]) => {
    const confidences = rows.map(({ confidence }) => confidence);
    const own = { code, confidences, wordCount };
    const right = named.some((sentence) => sentence?.codes.includes(code));
    return {
      code,
      inputs: techniqueInputs(own),
      confidence: chanceOf(own),
      right,
      count: 1,
    };
  });
}

/** The weights, fitted on texts that the classifier did not see. */
export function fitReadingWeights(
  readings: readonly EngineReading[],
  bounds: ListBounds,
): SentenceReadingWeights {
  const any = fitHead(
    readings.flatMap(({ input, named }) =>
      input.readings.inputs.flatMap((inputs, sentence) => {
        const truth = named[sentence];
        if (inputs === undefined || truth === undefined) return [];
        return [{ code: '', inputs, right: truth.codes.length > 0, count: 1 }];
      }),
    ),
    false,
  );
  const none = { bias: 0, weights: [], codes: {} };
  const start = {
    name: 'limpede-technique-sentences-weights-1',
    version: '1.0.0',
    any,
    passage: { en: none, ro: none },
    technique: none,
    ...bounds,
  };
  const headOf = (language: 'en' | 'ro') =>
    fitHead(
      passageExamples(
        readings.filter(({ text }) => text.language === language),
        start,
      ),
      true,
    );
  const withPassages = { ...start, passage: { en: headOf('en'), ro: headOf('ro') } };
  const techniques = readings.flatMap((reading) => listedTechniques(reading, withPassages));
  return { ...withPassages, technique: fitHead(techniques, true) };
}
