import { linearScore, sigmoid } from '../../../../text/logistic.ts';
import type { Candidate } from './candidates.ts';
import { logOddsOf } from './crf.ts';
import { limits } from './limits.ts';
import type { Calibration, TechniquesModel } from './model-file.ts';
import { occursIn, parsePattern } from './patterns.ts';
import refinements from './rules/refinements.json' with { type: 'json' };
import type { Screening, TaggedSpan } from './screening.ts';
import type { Token, TokenRange } from './tokens.ts';

/** Inputs of the calibration; the intercept of the label is added to their sum. */
export function calibrationInputs(span: TaggedSpan, label: number): Float64Array {
  const inputs = [
    logOddsOf(span.mean),
    logOddsOf(span.highest),
    logOddsOf(span.labels[label] ?? 0),
    logOddsOf(span.sentenceProbability),
  ];
  if (span.sentenceLabels !== undefined) inputs.push(span.sentenceLabels[label] ?? 0);
  return Float64Array.from(inputs);
}

/** Chance that the passage shows the label, 0 to 1. */
export function calibratedProbability(calibration: Calibration, span: TaggedSpan, label: number): number {
  const inputs = calibrationInputs(span, label);
  return sigmoid(linearScore(calibration.weights, inputs, calibration.intercepts[label] ?? 0));
}

/** Classes of the corpus that hold several codes: the first refinement with a cue decides, else the fallback at a discount. */
interface Refinement {
  readonly fallback: string;
  readonly fallbackFactor: number;
  readonly cues: readonly { readonly code: string; readonly patterns: ReturnType<typeof parsePattern>[] }[];
}

/** Turns labels of the training corpus into codes of the taxonomy. */
export class LabelCodes {
  private readonly single: ReadonlyMap<string, string>;
  private readonly merged: ReadonlyMap<string, Refinement>;

  constructor(labelCodes: Readonly<Record<string, readonly string[]>>) {
    const entries = Object.entries(labelCodes);
    this.single = new Map(
      entries.flatMap(([label, codes]) =>
        codes.length === 1 && codes[0] !== undefined ? [[label, codes[0]] as const] : [],
      ),
    );
    this.merged = new Map(
      Object.entries(refinements).map(([label, { fallback, fallback_factor, cues }]) => [
        label,
        {
          fallback,
          fallbackFactor: fallback_factor,
          cues: cues.map(({ code, patterns }) => ({
            code,
            patterns: patterns.map((source) => parsePattern(source, {})),
          })),
        },
      ]),
    );
  }

  /** Code of a label in its sentence, and the share of its confidence that the code keeps. */
  codeOf(
    label: string,
    tokens: readonly Token[],
    sentence: TokenRange,
  ): { code: string; factor: number } | undefined {
    const single = this.single.get(label);
    if (single !== undefined) return { code: single, factor: 1 };
    const merged = this.merged.get(label);
    if (merged === undefined) return undefined;
    const cue = merged.cues.find(({ patterns }) =>
      patterns.some((pattern) => occursIn(pattern, tokens, sentence)),
    );
    return cue === undefined
      ? { code: merged.fallback, factor: merged.fallbackFactor }
      : { code: cue.code, factor: 1 };
  }
}

/** Candidates from the trained stages. */
export function modelCandidates(
  model: TechniquesModel,
  screening: Screening,
  codes: LabelCodes,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): Candidate[] {
  return screening.spans.flatMap((span) =>
    model.screening.labels.flatMap((label, index) => {
      const calibration =
        span.sentenceLabels === undefined ? model.calibration : model.combinationCalibration;
      if (calibration === undefined) return [];
      const confidence = Math.min(
        limits.mostTrainedConfidence,
        calibratedProbability(calibration, span, index),
      );
      const sentence = sentences[span.sentence];
      if (confidence < LEAST_USEFUL || sentence === undefined) return [];
      const named = codes.codeOf(label, tokens, sentence);
      if (named === undefined) return [];
      return [
        {
          from: span.from,
          to: span.to,
          anchor: span.from,
          code: named.code,
          sentence: span.sentence,
          confidence: confidence * named.factor,
          origin: 'model' as const,
        },
      ];
    }),
  );
}

/** Below this a label cannot reach the reporting threshold, whatever the rules add. */
const LEAST_USEFUL = 0.12;
