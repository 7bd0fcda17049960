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
import { assertedBySentence } from '../narratives/engine.ts';
import { readable } from '../plain-text.ts';
import type { Candidate } from './candidates.ts';
import {
  adjustConfidences,
  groupedByCode,
  mergeOverlapping,
  type SpeechTraits,
  studiesManipulation,
  withoutDuplicates,
} from './confidence-adjustment.ts';
import { type DiffuseEvidence, diffuseEvidence, type SignsWithVector, signsOf } from './diffuse.ts';
import { encoderScores } from './encoder-scores.ts';
import { type ExplanationPair, explain } from './explaining.ts';
import { type TextView, viewOf } from './features.ts';
import { applyFrames, type FrameBook, loadFrameBooks, neutralFactor, softened } from './frames.ts';
import { limits } from './limits.ts';
import {
  type Listable,
  type ListedPassage,
  type ListReading,
  listable,
  listedPassages,
  type Reader,
  techniqueChance,
} from './listing.ts';
import { readTechniquesModel, type TechniquesModel } from './model-file.ts';
import { LabelCodes, modelCandidates } from './naming.ts';
import { findQuestionRuns, withoutInterviewers } from './questions.ts';
import { findRepetition } from './repetition.ts';
import { applyRules, loadRuleBooks, type RuleBook, reportedSentences, studyingSentences } from './rules.ts';
import { type Screening, screen } from './screening.ts';
import { markSpeech } from './speech-marks.ts';
import { summarise, type TechniquesSummary } from './summary.ts';
import { sentenceRanges, type Token, type TokenRange, tokenise } from './tokens.ts';

/** A technique with every passage that shows it. */
export interface TechniqueFinding extends ExplanationPair {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  readonly dimension: string;
  /** 1 to 5. */
  readonly severity: number;
  /** Chance that annotators would mark the technique anywhere in the text, 0 to 1. */
  readonly confidence: number;
  /** In reading order; each with the chance that annotators would mark it so, and what it counts in manipulation_score, both 0 to 1. */
  readonly spans: (Span & { confidence: number; weight: number })[];
  readonly stage: 'screening';
  readonly engine: { readonly model: string; readonly version: string; readonly duration_ms: number };
}

/** What the engine says of a text. */
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
  /** What the trained stages say of each sentence in the text's own voice; none without an encoding. */
  signs(text: string, options: AnalysisOptions): SignsWithVector[];
  /** All passages that are listed or could be, with what is known of each. */
  listable(text: string, options: AnalysisOptions): (Listable & Span)[];
}

const entries = new Map(taxonomy.map((technique) => [technique.code, technique]));
const reportable = new Set(meta.core_codes);

/** Makes the engine from the bytes of its model file. Throws when they are no such file. */
export function createTechniquesEngine(bytes: Uint8Array): TechniquesEngine {
  const model = readTechniquesModel(bytes);
  const books = loadRuleBooks();
  const frames = loadFrameBooks();
  const codes = new LabelCodes(meta.label_to_codes.semeval2020);
  /** Reads a text once; `diffuse` is what lies below the list, undefined where that is not read. */
  const read = (sent: string, options: AnalysisOptions) => {
    const plain = readable(sent);
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
    const { kept, quoted, words, factor, list } = findingsIn(
      { tokens, sentences, books: chosen, wordCount },
      language === 'en' ? { model, codes, pieces: options.encoding?.pieces } : undefined,
    );
    const { encoding } = options;
    const reading = { plain, tokens, sentences, words, listed: kept, quoted, wordCount, list };
    if (encoding === undefined || (language !== 'en' && language !== 'ro'))
      return { ...reading, diffuse: undefined };
    const told = toldInRanges(text, { language, encoding }, tokens, sentences);
    return { ...reading, diffuse: { ...reading, encoding, told, language, factor } as const };
  };
  return {
    signs(text, options) {
      const { diffuse } = read(text, options);
      return diffuse === undefined ? [] : signsOf(diffuse);
    },
    listable(text, options) {
      const { list, tokens, plain } = read(text, options);
      return listable(list).map((item) => ({ ...item, ...placeOf(item, tokens, plain) }));
    },
    analyse(text, options) {
      const started = performance.now();
      const { list, tokens, plain, wordCount, diffuse } = read(text, options);
      const whole = diffuse === undefined ? undefined : diffuseEvidence(diffuse);
      const duration = Math.round(performance.now() - started);
      const engine = { model: model.name, version: model.version, duration_ms: duration };
      const { reader } = list;
      const factor = whole?.findingsFactor ?? 1;
      const passages = listedPassages(listable(list), reader);
      const found = described(passages, { tokens, plain, engine, reader, wordCount, factor });
      return {
        techniques_detected: found,
        ...summarise(found, wordCount, whole?.evidence.weight),
        diffuse_evidence: whole?.evidence ?? null,
      };
    },
  };
}

/** What the narratives say of each sentence that the techniques read. */
function toldInRanges(
  text: string,
  options: AnalysisOptions,
  tokens: readonly Token[],
  ranges: readonly TokenRange[],
): number[] {
  const sentences = sentencesOf(text);
  const told = assertedBySentence({ ...options, sentences, words: foldedWords(text) });
  let at = 0;
  return ranges.map(({ from }) => {
    const start = tokens[from]?.start ?? 0;
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= start) at += 1;
    return told[at] ?? 0;
  });
}

interface Reading {
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  readonly books: readonly { readonly rules: RuleBook; readonly frames: FrameBook }[];
  readonly wordCount: number;
}

/** What was found, and what the reading of the sentences is made of. */
interface Found {
  /** What counts in the score. */
  readonly kept: Candidate[];
  readonly list: ListReading & { readonly reader: Reader };
  readonly quoted: Uint8Array;
  /** Log-odds of any technique by the words of each sentence; undefined where the trained stages do not read. */
  readonly words: Float64Array | undefined;
  /** From 0 to 1: how far signs count in a text of this subject. */
  readonly factor: number;
}

/** The trained stages, and what the encoder says of the pieces of the text. */
interface Trained {
  readonly model: TechniquesModel;
  readonly codes: LabelCodes;
  readonly pieces: PieceScores | undefined;
}

/** The trained stages read English only; elsewhere the rules work alone. */
function findingsIn({ tokens, sentences, books, wordCount }: Reading, trained: Trained | undefined): Found {
  const ruled = books.flatMap(({ rules }) => applyRules(rules, tokens, sentences));
  const words = trained?.model.screening.words;
  const view = viewOf(tokens, sentences, words, ruledCodes(tokens.length, ruled));
  const framed = books.flatMap((book) => applyFrames(book.frames, tokens, sentences));
  const found = [...ruled, ...framed];
  const calmed = Math.min(...books.map((book) => neutralFactor(book.frames, tokens, sentences, found)));
  const voices = voicesIn({ tokens, sentences, books }, view.quoted);
  const candidates = [
    ...softened(found, calmed),
    ...findRepetition(tokens, sentences),
    ...findQuestionRuns(tokens, sentences, voices.quoted),
  ];
  const screening = trained && screened(view, trained);
  if (trained !== undefined && screening !== undefined) {
    const named = modelCandidates(trained.model, screening, trained.codes, tokens, sentences);
    candidates.push(...softened(named, calmed));
  }
  const studied = studiesManipulation(candidates, voices);
  const traits = { ...voices, tokens, studied, wordCount };
  const own = withoutInterviewers(candidates, tokens, sentences);
  const sure = mergeOverlapping(adjustConfidences(own, traits)).filter(
    (item) => item.confidence >= limits.leastWeight && reportable.has(item.code),
  );
  const kept = withoutDuplicates(sure);
  const { attributed } = voices;
  const list = {
    ...{ tokens, sentences, attributed, counted: kept, reader: readerOf(trained) },
    factor: calmed * (studied ? limits.studiedFactor : 1),
    trained: trained && screening && { ...trained, screening },
  };
  return { kept, quoted: voices.quoted, words: screening?.own, factor: calmed, list };
}

function readerOf(trained: Trained | undefined): Reader {
  if (trained === undefined) return 'rules';
  return trained.pieces === undefined || trained.model.screening.close === undefined ? 'words' : 'pieces';
}

/** Who speaks in a text, by the books that read it. */
function voicesIn(
  { tokens, sentences, books }: Omit<Reading, 'wordCount'>,
  quoted: Uint8Array,
): SpeechTraits {
  const anyBook = (read: typeof reportedSentences) => {
    const answers = books.map(({ rules }) => read(rules, tokens, sentences));
    return sentences.map((_, index) => answers.some((answer) => answer[index]));
  };
  const reported = anyBook(reportedSentences);
  return {
    ...markSpeech(tokens, sentences, { quoted, reported }),
    reported,
    studying: anyBook(studyingSentences),
  };
}

function screened(view: TextView, { model, pieces }: Trained): Screening {
  const { screening } = model;
  const close = pieces && encoderScores(pieces, view.tokens, view.sentences, screening.labels.length);
  return screen(view, screening, close);
}

const codeNumbers = new Map(meta.core_codes.map((code, index) => [code, index + 1]));

/** Marks tokens with the code of the rule that matched there, for the features: 1 + index among the core codes. */
export function ruledCodes(length: number, candidates: readonly Candidate[]): Uint8Array {
  const ruled = new Uint8Array(length);
  for (const item of candidates) ruled.fill(codeNumbers.get(item.code) ?? 0, item.from, item.to);
  return ruled;
}

const placeOf = ({ from, to }: TokenRange, tokens: readonly Token[], plain: Pick<PlainText, 'span'>) =>
  plain.span(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);

/** What a finding is described with. */
interface Description {
  readonly tokens: readonly Token[];
  readonly plain: Pick<PlainText, 'span'>;
  readonly engine: TechniqueFinding['engine'];
  readonly reader: Reader;
  readonly wordCount: number;
  /** What counts is multiplied by this, 0 to 1. */
  readonly factor: number;
}

function described(
  list: readonly ListedPassage[],
  { tokens, plain, engine, reader, wordCount, factor }: Description,
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
    const pair = explain(
      code,
      spans.map((span) => span.quote),
    );
    const confidences = spans.map((span) => span.confidence);
    const confidence = roundTo(techniqueChance({ code, confidences, wordCount }, reader), 4);
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
