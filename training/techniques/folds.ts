import {
  combinedLabelChances,
  type EncoderScores,
} from '../../src/services/analysis/engines/techniques/encoder-scores.ts';
import { FeatureSink } from '../../src/services/analysis/engines/techniques/features.ts';
import type { Calibration } from '../../src/services/analysis/engines/techniques/model-file.ts';
import { quantised } from '../../src/services/analysis/engines/techniques/model-file.ts';
import {
  calibratedProbability,
  calibrationInputs,
} from '../../src/services/analysis/engines/techniques/naming.ts';
import {
  classifySpan,
  type Screening,
  type ScreeningModel,
  screenText,
} from '../../src/services/analysis/engines/techniques/screening.ts';
import type { WordTable } from '../../src/services/analysis/engines/techniques/word-table.ts';
import { areaUnderCurve, bestF1, labelScores, merged, type Range, spanScore } from './measure.ts';
import { type Article, type GoldSpan, sentenceGold, trainDense, trainScreening } from './stages.ts';

/** An article with what a model that did not see it says of it. */
export interface HeldOut {
  readonly article: Article;
  readonly model: ScreeningModel;
  readonly screening: Screening;
  /** Labels of gold spans, and how many of them were named right. */
  readonly naming: { readonly hits: number; readonly total: number };
}

/** Rounds the weights as the file does. */
export function roundedModel(model: ScreeningModel): ScreeningModel {
  return {
    ...model,
    sentence: quantised(model.sentence),
    tagger: quantised(model.tagger),
    namer: quantised(model.namer),
  };
}

/** Models of words, each trained on all folds but one. */
export function foldModels(
  articles: readonly Article[],
  words: WordTable,
  labels: readonly string[],
  folds: number,
  settings: Pick<ScreeningModel, 'blend' | 'spanThreshold'>,
  log: (line: string) => void,
): ScreeningModel[] {
  return Array.from({ length: folds }, (_, fold) => {
    const train = articles.filter((__, index) => index % folds !== fold);
    log(`fold ${fold + 1} of ${folds}: ${train.length} articles`);
    return { ...roundedModel(trainScreening(train, words, labels)), ...settings };
  });
}

/** Reads each article with the model that did not see it. */
export function heldOutScreenings(
  articles: readonly Article[],
  models: readonly ScreeningModel[],
): HeldOut[] {
  return models.flatMap((model, fold) =>
    articles.filter((_, index) => index % models.length === fold).map((article) => heldOut(article, model)),
  );
}

/** Reads an article with a model, and with what was said of its pieces where that is known. */
export function heldOut(article: Article, model: ScreeningModel, close?: EncoderScores): HeldOut {
  const naming = namingOf(article, model, close);
  return { article, model, screening: screenText(article.view, model, close), naming };
}

/** Figures of one group of held-out articles. */
export interface Figures {
  readonly sentenceArea: number;
  readonly sentenceF1: number;
  readonly spanF1: number;
  readonly spanPrecision: number;
  readonly spanRecall: number;
  readonly namingF1: number;
}

/** Sentence AUC and best F1, official span score, and naming of gold spans. */
export function figuresOf(items: readonly HeldOut[]): Figures {
  const scores = items.flatMap(({ screening }) => [...screening.sentences]);
  const answers = items.flatMap(({ article }) => [...sentenceGold(article)]);
  const spans = spanScore(
    items.map(({ article, screening }) => ({
      found: screening.spans.map((span) => rangeOf(article, span)),
      gold: merged(article.spans.map(goldRange)),
    })),
  );
  return {
    sentenceArea: areaUnderCurve(scores, answers),
    sentenceF1: bestF1(scores, answers).f1,
    spanF1: spans.f1,
    spanPrecision: spans.precision,
    spanRecall: spans.recall,
    namingF1: sumOf(items, 'hits') / sumOf(items, 'total'),
  };
}

function rangeOf({ view }: Article, span: { from: number; to: number }): Range {
  return { start: view.tokens[span.from]?.start ?? 0, end: view.tokens[span.to - 1]?.end ?? 0 };
}

function goldRange(span: GoldSpan): Range {
  return { start: span.startUtf16, end: span.endUtf16 };
}

function sumOf(items: readonly HeldOut[], key: 'hits' | 'total'): number {
  return items.reduce((sum, { naming }) => sum + naming[key], 0);
}

/** Names gold spans; one that carries n labels gets the n likeliest ones, as the task scores it. */
function namingOf(article: Article, model: ScreeningModel, close?: EncoderScores): HeldOut['naming'] {
  const groups = new Map<string, GoldSpan[]>();
  for (const span of article.spans) {
    const key = `${span.startUtf16} ${span.endUtf16}`;
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  const sink = new FeatureSink(model.namer.bits);
  let hits = 0;
  for (const group of groups.values()) {
    const [first] = group;
    const sentence = article.view.sentences[first?.sentence ?? -1];
    if (first === undefined || sentence === undefined || first.to <= first.from) continue;
    const byWords = classifySpan(article.view, model, sentence, first, sink);
    const probabilities =
      close === undefined || model.combination === undefined
        ? byWords
        : combinedLabelChances(
            model.combination.name,
            byWords,
            close.labelScores(first),
            close.sentenceLabelScores(first.sentence),
          );
    const best = [...probabilities.keys()].sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0));
    const names = new Set(best.slice(0, group.length).map((index) => model.labels[index]));
    hits += group.filter((span) => names.has(span.label)).length;
  }
  return { hits, total: article.spans.length };
}

/** Share of the shorter of two ranges that must be common for a passage to count as found. */
const leastOverlap = 0.5;

/** Whether a found span meets a gold span of the label. */
function meets(article: Article, span: { from: number; to: number }, label: string): boolean {
  return article.spans.some((gold) => {
    const common = Math.min(span.to, gold.to) - Math.max(span.from, gold.from);
    return (
      gold.label === label &&
      common > 0 &&
      common >= leastOverlap * Math.min(span.to - span.from, gold.to - gold.from)
    );
  });
}

/** Fits confidence on held-out spans: shared weights, one intercept a label. */
export function fitCalibration(items: readonly HeldOut[], labels: readonly string[]): Calibration {
  const inputs: Float64Array[] = [];
  const answers: number[] = [];
  const [span] = items.flatMap(({ screening }) => screening.spans);
  const shared = span === undefined ? 0 : calibrationInputs(span, 0).length;
  for (const { article, screening } of items) {
    for (const span of screening.spans) {
      labels.forEach((label, index) => {
        if ((span.labels[index] ?? 0) < 0.02) return;
        const input = new Float64Array(shared + labels.length);
        input.set(calibrationInputs(span, index));
        input[shared + index] = 1;
        inputs.push(input);
        answers.push(meets(article, span, label) ? 1 : 0);
      });
    }
  }
  const weights = trainDense(inputs, answers, 1e-4);
  return { weights: weights.slice(0, shared), intercepts: weights.slice(shared) };
}

/** Named spans with their confidence and whether they are right. */
export function namedSpans(
  items: readonly HeldOut[],
  calibration: Calibration,
): { label: string; confidence: number; right: boolean }[] {
  return items.flatMap(({ article, model, screening }) =>
    screening.spans.flatMap((span) =>
      model.labels.map((label, index) => ({
        label,
        confidence: calibratedProbability(calibration, span, index),
        right: meets(article, span, label),
      })),
    ),
  );
}

/** Sentence labels end to end at a confidence threshold. */
export function endToEnd(
  items: readonly HeldOut[],
  calibration: Calibration,
  threshold: number,
): ReturnType<typeof labelScores> {
  const labels = items[0]?.model.labels ?? [];
  const examples = items.flatMap(({ article, screening }) => {
    const found = article.view.sentences.map(() => new Set<string>());
    const gold = article.view.sentences.map(() => new Set<string>());
    for (const span of screening.spans) {
      labels.forEach((label, index) => {
        if (calibratedProbability(calibration, span, index) >= threshold) found[span.sentence]?.add(label);
      });
    }
    for (const span of article.spans) gold[span.sentence]?.add(span.label);
    return found.map((set, index) => ({ found: set, gold: gold[index] ?? new Set<string>() }));
  });
  return labelScores(examples, labels);
}
