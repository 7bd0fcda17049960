import { z } from 'zod';
import shipped from '../../../../../models/techniques-list-weights.json' with { type: 'json' };
import { linearScore, sigmoid } from '../../../../text/logistic.ts';
import { noisyOr } from '../../resources/technique-weight.ts';
import type { Candidate } from './candidates.ts';
import { groupedByCode } from './confidence-adjustment.ts';
import { logOddsOf } from './crf.ts';
import type { TechniquesModel } from './model-file.ts';
import { calibratedProbability, type LabelCodes } from './naming.ts';
import type { Screening, TaggedSpan } from './screening.ts';
import type { Token, TokenRange } from './tokens.ts';

/** What a text was scored with: words and encoder pieces, words alone, or rules alone. */
export type ScoringMode = 'pieces' | 'words' | 'rules';

/** A passage that is listed, or could be. */
export interface ListCandidate extends Candidate {
  /** How much it counts in manipulation_score, 0 to 1; 0 for what the trained stages find alone. */
  readonly weight: number;
  /** What is known of it: of `countedInputs` where it has weight, of `addedInputs` where it has none. */
  readonly inputs: readonly number[];
  /** Share of its chance that is kept, 0 to 1: by the code, of a label that means several, and by the subject of the text. */
  readonly share: number;
}

/** A passage that could be listed, with its chance. */
export interface ChancedCandidate extends ListedPassage {
  readonly share: number;
}

/** A passage of the list; its `confidence` is the chance that annotators would mark the same technique there. */
export type ListedPassage = Candidate & Pick<ListCandidate, 'weight'>;

/** Weights of a chance: logistic regression over inputs. */
export const headSchema = z.object({
  bias: z.number(),
  weights: z.array(z.number()),
  /** Added for a technique; none for one that the corpus has no label for, which gets the mean of all. */
  codes: z.record(z.string(), z.number()),
});

const scoringModeSchema = z.object({
  /** A passage of the trained stages joins the list from this chance on, */
  least_chance: z.number().min(0).max(1),
  /** where 1 - product over the likely passages of its technique of (1 - chance) is at least this, or the technique counts in manipulation_score. */
  least_presence: z.number().min(0).max(1),
  counted: headSchema,
  added: headSchema,
  technique: headSchema,
});
/** Weights and bounds of one mode of scoring. */
export type ScoringModeWeights = z.infer<typeof scoringModeSchema>;

/** Weights of the probabilities of listed passages and techniques, by mode of scoring. */
export const listWeightsSchema = z.object({
  name: z.string(),
  version: z.string(),
  readers: z.object({ pieces: scoringModeSchema, words: scoringModeSchema, rules: scoringModeSchema }),
});
/** Those weights. */
export type ListWeights = z.infer<typeof listWeightsSchema>;
type Head = z.infer<typeof headSchema>;

/** The weights of the package. */
export const shippedListWeights: ListWeights = listWeightsSchema.parse(shipped);

/** Probability of a passage or technique, from its inputs. */
export function headProbability(head: Head, code: string, inputs: readonly number[]): number {
  return sigmoid(linearScore(head.weights, inputs, head.bias + (head.codes[code] ?? 0)));
}

/** What the list of passages is built from. */
export interface ListInput {
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  /** Passages that count in manipulation_score; the confidence of each is its weight. */
  readonly counted: readonly Candidate[];
  /** 1 where the words are those of a named speaker. */
  readonly attributed: Uint8Array;
  /** From 0 to 1: how far strong words count in a text of this subject, or in one that studies them. */
  readonly factor: number;
  readonly trained:
    | { readonly model: TechniquesModel; readonly codes: LabelCodes; readonly screening: Screening }
    | undefined;
}

/** Least chance of a label that is looked at. */
const LEAST_LABEL_CHANCE = 0.02;
/** Log-odds where no span of the trained stages overlaps. */
const NO_SPAN = logOddsOf(0.01);

/** All passages that could be listed: those that count, and the spans of the trained stages under their likeliest label. */
export function listCandidates(input: ListInput): ListCandidate[] {
  const { trained, sentences, counted } = input;
  if (trained === undefined)
    return counted.map((item) => ({
      ...item,
      weight: item.confidence,
      inputs: [logOddsOf(item.confidence), Number(item.origin === 'repetition')],
      share: 1,
    }));
  const named = trained.screening.spans.flatMap((span) => labelSpan(span, input, trained));
  const meanOfOthers = meanOfOtherSentences(trained.screening.sentences, sentences);
  const namedAt = byPlace(named);
  const covered = coveredBy(counted, input.tokens.length);
  const isCounted = ({ from, to }: LabelledSpan, code: string) =>
    covered.get(code)?.subarray(from, to).includes(1) === true;
  return [
    ...counted.map((item) =>
      countedPassage(item, namedAt.get(placeOf(item)) ?? [], trained.screening, meanOfOthers),
    ),
    ...likeliestLabels(named)
      .filter((one) => !isCounted(one, one.code))
      // A label on a target is name calling; the same words are not reported as loaded language as well.
      .filter((one) => one.code !== 'loaded_language' || !isCounted(one, 'name_calling_labeling'))
      .map((one) => addedPassage(one, input, meanOfOthers)),
  ];
}

interface Placed {
  readonly sentence: number;
  readonly code: string;
}
const placeOf = ({ sentence, code }: Placed) => `${sentence} ${code}`;

/** For each code 1 where a passage of it lies; a passage may reach into the next sentence. */
function coveredBy(items: readonly Candidate[], length: number): Map<string, Uint8Array> {
  const covered = new Map<string, Uint8Array>();
  for (const { code, from, to } of items) {
    const tokens = covered.get(code) ?? new Uint8Array(length);
    covered.set(code, tokens.fill(1, from, to));
  }
  return covered;
}

/** By sentence and code, so that a text with many passages costs no square of their number. */
function byPlace<Item extends Placed>(items: readonly Item[]): Map<string, Item[]> {
  const places = new Map<string, Item[]>();
  for (const item of items) {
    const place = places.get(placeOf(item));
    if (place === undefined) places.set(placeOf(item), [item]);
    else place.push(item);
  }
  return places;
}

/** A span of the trained stages with one of its labels. */
interface LabelledSpan extends TokenRange {
  readonly code: string;
  readonly chance: number;
  readonly share: number;
  readonly sentence: number;
  readonly span: TaggedSpan;
}

const overlap = (one: TokenRange, other: TokenRange) => one.from < other.to && other.from < one.to;

function labelSpan(
  span: TaggedSpan,
  { tokens, sentences }: ListInput,
  { model, codes }: NonNullable<ListInput['trained']>,
): LabelledSpan[] {
  const calibration = span.sentenceLabels === undefined ? model.calibration : model.combinationCalibration;
  const own = sentences[span.sentence];
  if (calibration === undefined || own === undefined) return [];
  return model.screening.labels.flatMap((label, index) => {
    const chance = calibratedProbability(calibration, span, index);
    if (chance < LEAST_LABEL_CHANCE) return [];
    const named = codes.codeOf(label, tokens, own);
    const { from, to, sentence } = span;
    return named === undefined
      ? []
      : [{ from, to, sentence, span, code: named.code, share: named.factor, chance }];
  });
}

/** The likeliest label of each span. */
function likeliestLabels(named: readonly LabelledSpan[]): LabelledSpan[] {
  const best = new Map<TaggedSpan, LabelledSpan>();
  for (const one of named) if ((best.get(one.span)?.chance ?? 0) < one.chance) best.set(one.span, one);
  return [...best.values()];
}

function countedPassage(
  item: Candidate,
  named: readonly LabelledSpan[],
  screening: Screening,
  meanOfOthers: (sentence: number) => number,
): ListCandidate {
  const chances = named.filter((one) => overlap(one, item)).map(({ chance }) => logOddsOf(chance));
  const inputs = [
    logOddsOf(item.confidence),
    Number(item.origin === 'repetition'),
    Math.max(NO_SPAN, ...chances),
    logOddsOf(screening.sentences[item.sentence] ?? 0),
    meanOfOthers(item.sentence),
  ];
  return { ...item, weight: item.confidence, inputs, share: 1 };
}

function addedPassage(
  { from, to, code, chance, share, sentence }: LabelledSpan,
  { attributed, factor }: ListInput,
  meanOfOthers: (sentence: number) => number,
): ListCandidate {
  return {
    ...{ from, to, code, sentence, anchor: from, confidence: chance, weight: 0 },
    origin: 'model',
    inputs: [logOddsOf(chance), meanOfOthers(sentence), attributed[from] ?? 0],
    share: share * factor,
  };
}

/** The mean is shrunk towards so many sentences of these log-odds; sentences of fewer tokens are left out, and a share of the calmest. */
const PRIOR = { logOdds: -1.2, count: 4, leastTokens: 4, calmest: 0.25 } as const;

/**
 * Mean log-odds of any technique in the other sentences of the text, without the calmest quarter and the loudest one, together with some
 * ordinary sentences, so that a short text says little.
 */
export function meanOfOtherSentences(
  chances: Float64Array,
  sentences: readonly TokenRange[],
): (sentence: number) => number {
  const long = [...chances.keys()].filter((at) => {
    const { from, to } = sentences[at] ?? { from: 0, to: 0 };
    return to - from >= PRIOR.leastTokens;
  });
  const sorted = long
    .map((at) => ({ at, value: logOddsOf(chances[at] ?? 0) }))
    .sort((one, other) => one.value - other.value);
  const rank = new Map(sorted.map(({ at }, place) => [at, place]));
  const sums = [0];
  for (const { value } of sorted) sums.push((sums.at(-1) ?? 0) + value);
  const between = (from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0);
  return (sentence) => {
    const own = rank.get(sentence);
    const count = sorted.length - (own === undefined ? 0 : 1);
    const [from, to] = [Math.floor(PRIOR.calmest * count), Math.max(0, count - 1)];
    const kept = Math.max(0, to - from);
    // Places behind the own sentence move up by one.
    const shift = (place: number) => (own !== undefined && place > own ? place + 1 : place);
    const [start, end] = [own !== undefined && own <= from ? from + 1 : from, shift(to)];
    const inside = own !== undefined && own >= start && own < end ? (sorted[own]?.value ?? 0) : 0;
    const sum = kept === 0 ? 0 : between(start, end) - inside;
    return (sum + PRIOR.count * PRIOR.logOdds) / (kept + PRIOR.count);
  };
}

/** Passages with their chances. */
export function withChances<Passage extends Pick<ListCandidate, 'code' | 'weight' | 'inputs' | 'share'>>(
  passages: readonly Passage[],
  mode: ScoringMode,
  weights: ListWeights = shippedListWeights,
): (Passage & { readonly confidence: number })[] {
  const { counted, added } = weights.readers[mode];
  return passages.map((passage) => {
    const head = passage.weight > 0 ? counted : added;
    return { ...passage, confidence: passage.share * headProbability(head, passage.code, passage.inputs) };
  });
}

/** The list: what counts, and further passages of the trained stages that are likely enough, each with its chance. */
export function listedPassages<Passage extends Pick<ListCandidate, 'code' | 'weight' | 'inputs' | 'share'>>(
  passages: readonly Passage[],
  mode: ScoringMode,
  weights: ListWeights = shippedListWeights,
): (Passage & { readonly confidence: number })[] {
  return likelyPassages(withChances(passages, mode, weights), weights.readers[mode]);
}

/** What bounds a list: see `scoringModeSchema`. */
export type ListBounds = Pick<ScoringModeWeights, 'least_chance' | 'least_presence'>;

/** Of passages with their chances those that count in manipulation_score, and those that are likely enough, together with the others of their technique. */
export function likelyPassages<Passage extends Pick<ListedPassage, 'code' | 'weight' | 'confidence'>>(
  passages: readonly Passage[],
  { least_chance, least_presence }: ListBounds,
): Passage[] {
  const likely = passages.filter(({ weight, confidence }) => weight > 0 || confidence >= least_chance);
  const present = new Set(
    [...groupedByCode(likely)]
      .filter(
        ([, own]) =>
          own.some(({ weight }) => weight > 0) ||
          noisyOr(own.map(({ confidence }) => confidence)) >= least_presence,
      )
      .map(([code]) => code),
  );
  return likely.filter(({ code }) => present.has(code));
}

/** The listed passages of one technique. */
export interface PassagesOfTechnique {
  readonly code: string;
  readonly confidences: readonly number[];
  /** Words of the text. */
  readonly wordCount: number;
}

/** Words of a short text: longer ones have more places for a technique to stand. */
const SHORT = 250;

/** Inputs of the chance of a technique: log-odds that one of its passages is right, logarithms of their number and of the length. */
export function techniqueInputs({ confidences, wordCount }: PassagesOfTechnique): number[] {
  return [
    logOddsOf(noisyOr(confidences)),
    Math.log(Math.max(1, confidences.length)),
    Math.log(Math.max(1, wordCount / SHORT)),
  ];
}

/** Chance, 0 to 1, that a text shows a technique, given those of its passages: at least that of the likeliest. */
export function techniqueChance(
  passages: PassagesOfTechnique,
  mode: ScoringMode,
  weights: ListWeights = shippedListWeights,
): number {
  const chance = headProbability(weights.readers[mode].technique, passages.code, techniqueInputs(passages));
  return Math.max(chance, ...passages.confidences);
}
