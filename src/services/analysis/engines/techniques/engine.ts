import meta from '../../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import taxonomy from '../../../../../data/taxonomy/techniques.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Span } from '../../../../text/positions.ts';
import { ruleLanguagesOf } from '../../../../text/rule-languages.ts';
import { sentencesOf } from '../../../../text/sentences.ts';
import { countWords } from '../../../../text/words.ts';
import { byWeight, scaledWeights } from '../../resources/technique-weight.ts';
import { foldedWords } from '../context/phrases.ts';
import type { PieceScores, TextEncoding } from '../encoding/text-encoding.ts';
import { narrativeProbabilityBySentence } from '../narratives/engine.ts';
import { toPlainText } from '../plain-text.ts';
import type { Candidate } from './candidates.ts';
import {
  adjustConfidences,
  groupedByCode,
  isAboutManipulation,
  mergeOverlapping,
  type SpeechTraits,
  withoutDuplicates,
} from './confidence-adjustment.ts';
import { type DiffuseEvidence, diffuseEvidence, type SignsWithVector, signsOf } from './diffuse.ts';
import { encoderScores } from './encoder-scores.ts';
import { type ExplanationPair, explainTechnique } from './explaining.ts';
import { createTextView, type TextView } from './features.ts';
import { applyFrames, type FrameBook, loadFrameBooks, neutralFactor, scaleConfidences } from './frames.ts';
import { limits } from './limits.ts';
import {
  type ListCandidate,
  type ListedPassage,
  type ListInput,
  likelyPassages,
  listCandidates,
  listedPassages,
  type PassagesOfTechnique,
  type ScoringMode,
  shippedListWeights,
  techniqueChance,
  withChances,
} from './listing.ts';
import { readTechniquesModel, type TechniquesModel } from './model-file.ts';
import { LabelCodes, modelCandidates } from './naming.ts';
import { discountInterviewQuestions, findQuestionRuns } from './questions.ts';
import { findRepetition } from './repetition.ts';
import {
  applyRules,
  loadRuleBooks,
  type RuleBook,
  reportedSentences,
  sentencesAboutManipulation,
} from './rules.ts';
import { type Screening, screenText } from './screening.ts';
import {
  type ReadingInput,
  readPassages,
  readSentences,
  type SentenceReader,
  techniqueChancesOf,
} from './sentence-readings.ts';
import { attributeSpeech } from './speech-marks.ts';
import { summariseTechniques, type TechniquesSummary } from './summary.ts';
import { sentenceRanges, type Token, type TokenRange, tokenise } from './tokens.ts';

/** A technique with every passage that shows it. */
export interface TechniqueFinding extends ExplanationPair {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  readonly dimension: string;
  /** 1 to 5. */
  readonly severity: number;
  /** Chance that careful readers would name the technique anywhere in the text, 0 to 1. */
  readonly confidence: number;
  /** In reading order; each with the chance that careful readers would name it there, and what it counts in manipulation_score, both 0 to 1. */
  readonly spans: (Span & { confidence: number; weight: number })[];
  readonly stage: 'screening';
  readonly engine: { readonly model: string; readonly version: string; readonly duration_ms: number };
}

/** The result of the engine for a text. */
export interface TechniquesAnalysis extends TechniquesSummary {
  readonly techniques_detected: TechniqueFinding[];
  /** What lies below the list; null where no encoding was given or the language is neither English nor Romanian. */
  readonly diffuse_evidence: DiffuseEvidence | null;
}

/** What is known of a text beside its words. */
interface AnalysisOptions {
  readonly language: string;
  readonly encoding?: TextEncoding | undefined;
}

/** Finds persuasion techniques in a text; `language` is `ro`, `en` or another code; a mixed text gets the rules of both. */
export interface TechniquesEngine {
  analyse(text: string, options: AnalysisOptions): TechniquesAnalysis;
  /** The scores of the trained stages for each sentence in the text's own voice; none without an encoding. */
  signs(text: string, options: AnalysisOptions): SignsWithVector[];
  /** All passages that are listed or could be, with the inputs of their probabilities. */
  listCandidates(text: string, options: AnalysisOptions): (ListCandidate & Span)[];
  /** What the list of a text is put together from, with the UTF-16 offset of each sentence; undefined where no sentence was read. */
  readings(
    text: string,
    options: AnalysisOptions,
  ): (ReadingInput & { readonly starts: readonly number[] }) | undefined;
}

const entries = new Map(taxonomy.map((technique) => [technique.code, technique]));
const reportable = new Set(meta.core_codes);

/** Makes what analyses a text once; `diffuse` is the input of the diffuse evidence, undefined where none is computed. */
function createDetector(model: TechniquesModel) {
  const books = loadRuleBooks();
  const frames = loadFrameBooks();
  const codes = new LabelCodes(meta.label_to_codes.semeval2020);
  return (original: string, options: AnalysisOptions) => {
    const plain = toPlainText(original);
    const { text } = plain;
    const language = options.language.slice(0, 2).toLowerCase();
    const tokens = tokenise(text);
    const sentences = sentenceRanges(text, tokens);
    const languages = ruleLanguagesOf(
      tokens.map((token) => token.form),
      language,
    );
    const chosen = languages.map((name) => ({ rules: books[name], frames: frames[name] }));
    const wordCount = countWords(text);
    const { counted, quoted, words, factor, list } = detectPassages(
      { tokens, sentences, books: chosen, wordCount },
      language === 'en' ? { model, codes, pieces: options.encoding?.pieces } : undefined,
    );
    const { encoding } = options;
    const detected = { plain, tokens, sentences, words, listed: counted, quoted, wordCount, list };
    if (encoding === undefined || (language !== 'en' && language !== 'ro'))
      return { ...detected, diffuse: undefined };
    const probabilities = narrativeProbabilities(text, { language, encoding }, tokens, sentences);
    return {
      ...detected,
      diffuse: { ...detected, encoding, narratives: probabilities, language, factor } as const,
    };
  };
}
type Detected = ReturnType<ReturnType<typeof createDetector>>;

/** What the list is put together from where a reader is given and the text was encoded. */
function readingInputOf(
  { plain, tokens, sentences, list, diffuse }: Detected,
  reader: SentenceReader | undefined,
): ReadingInput | undefined {
  if (reader === undefined || diffuse === undefined) return undefined;
  const { encoding, language } = diffuse;
  const { attributed, mode, factor } = list;
  const text = { text: plain.text, language, tokens, sentences, encoding, attributed };
  const chanced = withChances(listCandidates(list), mode);
  // What rules alone are worth was measured in English only.
  const own = new Set(mode === 'rules' ? [] : likelyPassages(chanced, shippedListWeights.readers[mode]));
  const found = chanced.map((item) => ({ ...item, kept: own.has(item) ? item.confidence : 0 }));
  return { found, mode, readings: readSentences(reader, text), sentences, factor };
}

/** The passages of the list, and what gives the chance of a technique: by what readers would name where it is known. */
function listOf(detected: Detected, reader: SentenceReader | undefined) {
  const input = readingInputOf(detected, reader);
  const { mode } = detected.list;
  if (input === undefined) {
    const chanceOf = (one: PassagesOfTechnique) => techniqueChance(one, mode);
    return { passages: listedPassages(listCandidates(detected.list), mode), chanceOf };
  }
  const passages = readPassages(input);
  return { passages, chanceOf: techniqueChancesOf(passages, mode) };
}

/**
 * Makes the engine from the bytes of its model file; without a reader of sentences the list is what the other stages find. Throws when they
 * are no such file.
 */
export function createTechniquesEngine(bytes: Uint8Array, reader?: SentenceReader): TechniquesEngine {
  const model = readTechniquesModel(bytes);
  const detect = createDetector(model);
  return {
    signs(text, options) {
      const { diffuse } = detect(text, options);
      return diffuse === undefined ? [] : signsOf(diffuse);
    },
    listCandidates(text, options) {
      const { list, tokens, plain } = detect(text, options);
      return listCandidates(list).map((item) => ({ ...item, ...placeOf(item, tokens, plain) }));
    },
    readings(text, options) {
      const detected = detect(text, options);
      const input = readingInputOf(detected, reader);
      const { tokens, sentences } = detected;
      return input && { ...input, starts: sentences.map(({ from }) => tokens[from]?.start ?? 0) };
    },
    analyse(text, options) {
      const started = performance.now();
      const detected = detect(text, options);
      const { tokens, plain, wordCount, diffuse } = detected;
      const result = diffuse === undefined ? undefined : diffuseEvidence(diffuse);
      const { passages, chanceOf } = listOf(detected, reader);
      const duration = Math.round(performance.now() - started);
      const engine = { model: model.name, version: model.version, duration_ms: duration };
      const factor = result?.findingsFactor ?? 1;
      const findings = describeFindings(passages, { tokens, plain, engine, chanceOf, wordCount, factor });
      return {
        techniques_detected: findings,
        ...summariseTechniques(findings, wordCount, result?.evidence.weight),
        diffuse_evidence: result?.evidence ?? null,
      };
    },
  };
}

/** For each sentence the probability that it asserts a known narrative. */
function narrativeProbabilities(
  text: string,
  options: AnalysisOptions,
  tokens: readonly Token[],
  ranges: readonly TokenRange[],
): number[] {
  const sentences = sentencesOf(text);
  const probabilities = narrativeProbabilityBySentence({ ...options, sentences, words: foldedWords(text) });
  let at = 0;
  return ranges.map(({ from }) => {
    const start = tokens[from]?.start ?? 0;
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= start) at += 1;
    return probabilities[at] ?? 0;
  });
}

interface TokenisedText {
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  readonly books: readonly { readonly rules: RuleBook; readonly frames: FrameBook }[];
  readonly wordCount: number;
}

/** The passages of a text, with what the list and the diffuse evidence are computed from. */
interface DetectedPassages {
  /** Passages that count in the score. */
  readonly counted: Candidate[];
  readonly list: ListInput & { readonly mode: ScoringMode };
  readonly quoted: Uint8Array;
  /** Log-odds of any technique by the words of each sentence; undefined in languages that the trained stages do not know. */
  readonly words: Float64Array | undefined;
  /** 0 to 1: how much signs count in a text of this subject. */
  readonly factor: number;
}

/** The trained stages, and the scores of the encoder for the pieces of the text. */
interface TrainedStages {
  readonly model: TechniquesModel;
  readonly codes: LabelCodes;
  readonly pieces: PieceScores | undefined;
}

/** Finds passages. The trained stages know English only; for other languages the rules work alone. */
function detectPassages(
  { tokens, sentences, books, wordCount }: TokenisedText,
  trained: TrainedStages | undefined,
): DetectedPassages {
  const matched = books.flatMap(({ rules }) => applyRules(rules, tokens, sentences));
  const words = trained?.model.screening.words;
  const view = createTextView(tokens, sentences, words, ruleCodesByToken(tokens.length, matched));
  const frameMatches = books.flatMap((book) => applyFrames(book.frames, tokens, sentences));
  const ruleMatches = [...matched.filter(({ origin }) => origin === 'rule'), ...frameMatches];
  const subjectFactor = Math.min(
    ...books.map((book) => neutralFactor(book.frames, tokens, sentences, ruleMatches)),
  );
  const speech = speechTraitsOf({ tokens, sentences, books }, view.quoted);
  const candidates = [
    ...scaleConfidences(ruleMatches, subjectFactor),
    ...findRepetition(tokens, sentences),
    ...findQuestionRuns(tokens, sentences, speech.quoted),
  ];
  const screening = trained && runScreening(view, trained);
  if (trained !== undefined && screening !== undefined) {
    const named = modelCandidates(trained.model, screening, trained.codes, tokens, sentences);
    candidates.push(...scaleConfidences(named, subjectFactor));
  }
  const isStudy = isAboutManipulation(candidates, speech);
  const traits = { ...speech, tokens, isAboutManipulation: isStudy, wordCount };
  const own = discountInterviewQuestions(candidates, tokens, sentences);
  const confident = mergeOverlapping(adjustConfidences(own, traits)).filter(
    (item) => item.confidence >= limits.leastWeight && reportable.has(item.code),
  );
  const counted = withoutDuplicates(confident);
  const { attributed } = speech;
  const list = {
    ...{ tokens, sentences, attributed, counted, mode: scoringModeOf(trained) },
    factor: subjectFactor * (isStudy ? limits.aboutManipulationFactor : 1),
    trained: trained && screening && { ...trained, screening },
  };
  return { counted, quoted: speech.quoted, words: screening?.own, factor: subjectFactor, list };
}

function scoringModeOf(trained: TrainedStages | undefined): ScoringMode {
  if (trained === undefined) return 'rules';
  return trained.pieces === undefined || trained.model.screening.combination === undefined
    ? 'words'
    : 'pieces';
}

/** Which parts of a text are not assertions of its writer, by the rule books that apply. */
function speechTraitsOf(
  { tokens, sentences, books }: Omit<TokenisedText, 'wordCount'>,
  quoted: Uint8Array,
): SpeechTraits {
  const anyBook = (read: typeof reportedSentences) => {
    const answers = books.map(({ rules }) => read(rules, tokens, sentences));
    return sentences.map((_, index) => answers.some((answer) => answer[index]));
  };
  const reported = anyBook(reportedSentences);
  return {
    ...attributeSpeech(tokens, sentences, { quoted, reported }),
    reported,
    aboutManipulation: anyBook(sentencesAboutManipulation),
  };
}

function runScreening(view: TextView, { model, pieces }: TrainedStages): Screening {
  const { screening } = model;
  const close = pieces && encoderScores(pieces, view.tokens, view.sentences, screening.labels.length);
  return screenText(view, screening, close);
}

const codeNumbers = new Map(meta.core_codes.map((code, index) => [code, index + 1]));

/** Marks tokens with the code of the rule that matched there, for the features: 1 + index among the core codes. */
export function ruleCodesByToken(length: number, candidates: readonly Candidate[]): Uint8Array {
  const ruled = new Uint8Array(length);
  for (const item of candidates) ruled.fill(codeNumbers.get(item.code) ?? 0, item.from, item.to);
  return ruled;
}

const placeOf = ({ from, to }: TokenRange, tokens: readonly Token[], plain: Pick<PlainText, 'span'>) =>
  plain.span(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);

/** What findings are built from. */
interface FindingContext {
  readonly tokens: readonly Token[];
  readonly plain: Pick<PlainText, 'span'>;
  readonly engine: TechniqueFinding['engine'];
  readonly chanceOf: (passages: PassagesOfTechnique) => number;
  readonly wordCount: number;
  /** What counts is multiplied by this, 0 to 1. */
  readonly factor: number;
}

function describeFindings(
  list: readonly ListedPassage[],
  { tokens, plain, engine, chanceOf, wordCount, factor }: FindingContext,
): TechniqueFinding[] {
  const findings = [...groupedByCode(list)].flatMap(([code, items]) => {
    const technique = entries.get(code);
    if (technique === undefined) return [];
    const strongest = items
      .toSorted((a, b) => b.weight - a.weight || b.confidence - a.confidence || a.from - b.from)
      .slice(0, limits.mostSpans);
    const weights = scaledWeights(
      strongest.map(({ weight }) => roundTo(weight, 4)),
      factor,
    );
    const spans = strongest.map((item, index) => ({
      ...placeOf(item, tokens, plain),
      confidence: roundTo(item.confidence, 4),
      weight: roundTo(weights[index] ?? 0, 4),
    }));
    const { name_en, name_ro, dimension, severity } = technique;
    const pair = explainTechnique(
      code,
      spans.map((span) => span.quote),
    );
    const confidences = spans.map((span) => span.confidence);
    const confidence = roundTo(chanceOf({ code, confidences, wordCount }), 4);
    const ordered = spans.toSorted((a, b) => a.start - b.start);
    return [
      {
        code,
        name_en,
        name_ro,
        dimension,
        severity,
        confidence,
        spans: ordered,
        ...pair,
        stage: 'screening' as const,
        engine,
      },
    ];
  });
  return findings.sort(byWeight);
}
