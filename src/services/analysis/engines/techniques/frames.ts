import type { Candidate } from './candidates.ts';
import { limits } from './limits.ts';
import { occursIn, type Pattern, parsePattern } from './patterns.ts';
import english from './rules/en-frames.json' with { type: 'json' };
import romanian from './rules/ro-frames.json' with { type: 'json' };
import { applyRules, parseRuleBook, type RuleBook } from './rules.ts';
import type { Token, TokenRange } from './tokens.ts';

/**
 * Frames: patterns of word families (who, does what harm, to what is dear) that generalise beyond fixed phrases. They stand
 * apart from the rule books because those feed the trained stages, which would have to be trained anew with every frame.
 */
export interface FrameBook {
  readonly frames: RuleBook;
  /** Words of sport, art, courts, history and cooking, where strong words describe and do not agitate. */
  readonly neutral: readonly Pattern[];
  /** Words for us, you and them: a charged word beside one of them takes a side. */
  readonly personal: Pattern;
}

interface FrameFile {
  readonly lists: Readonly<Record<string, string>>;
  readonly neutral: readonly string[];
  readonly personal: string;
  readonly rules: Parameters<typeof parseRuleBook>[0]['rules'];
}

/** Frame books by language. */
export function loadFrameBooks(): Readonly<Record<'en' | 'ro', FrameBook>> {
  return { en: parseFrameBook(english), ro: parseFrameBook(romanian) };
}

function parseFrameBook({ lists, neutral, personal, rules }: FrameFile): FrameBook {
  return {
    frames: parseRuleBook({ lists, rules, reporting: [], studying: [] }),
    neutral: neutral.map((source) => parsePattern(source, lists)),
    personal: parsePattern('@personal', { personal }),
  };
}

/**
 * Passages that the frames of a book find. A charged word alone counts only beside another sign or a word for us, you or
 * them.
 */
export function applyFrames(
  book: FrameBook,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): Candidate[] {
  const frameMatches = applyRules(book.frames, tokens, sentences);
  if (frameMatches.length === 0) return frameMatches;
  const bounds = matchBoundsBySentence(frameMatches);
  const sides = new Map<number, boolean>();
  const takesSides = (index: number) => {
    const sentence = sentences[index];
    const known = sides.get(index) ?? (sentence !== undefined && occursIn(book.personal, tokens, sentence));
    sides.set(index, known);
    return known;
  };
  return frameMatches.filter((item) => {
    if (item.confidence >= limits.leastWeight) return true;
    const { firstEnd = 0, lastStart = 0 } = bounds.get(item.sentence) ?? {};
    return lastStart >= item.to || firstEnd <= item.from || takesSides(item.sentence);
  });
}

/** For each sentence the first end and the last start of its matches: by them a match can be found to lie beside another. */
function matchBoundsBySentence(
  frameMatches: readonly Candidate[],
): Map<number, { firstEnd: number; lastStart: number }> {
  const bounds = new Map<number, { firstEnd: number; lastStart: number }>();
  for (const { sentence, from, to } of frameMatches) {
    const known = bounds.get(sentence) ?? { firstEnd: to, lastStart: from };
    bounds.set(sentence, {
      firstEnd: Math.min(known.firstEnd, to),
      lastStart: Math.max(known.lastStart, from),
    });
  }
  return bounds;
}

/** Codes of single strong words, which describe as often as they agitate where the subject is loud by nature. */
const wordCodes = new Set(['loaded_language', 'name_calling_labeling', 'appeal_to_fear_prejudice']);

/** Multiplies the confidence of each candidate by a factor, 0 to 1. */
export function scaleConfidences(candidates: readonly Candidate[], factor: number): Candidate[] {
  return candidates.map((item) => ({ ...item, confidence: item.confidence * factor }));
}

/**
 * How far a text agitates, 0 to 1: by anything but single strong words, in more than one sentence, or more than a few of a long text. It
 * grows with each sentence, so that none decides by itself.
 */
function agitationOf(candidates: readonly Candidate[], sentences: readonly TokenRange[]): number {
  const sure = candidates.filter((item) => item.confidence >= limits.agitation && !wordCodes.has(item.code));
  const agitating = new Set(sure.map((item) => item.sentence)).size;
  const tolerated = Math.max(1, limits.agitatingShare * sentences.length);
  return Math.min(1, Math.max(0, agitating - tolerated) / limits.agitatingInFull);
}

/**
 * By what factor, 0 to 1, rules count in a text of which a good part is about sport, art, courts, faith, nature, history or cooking, and
 * which does not agitate; it falls with that part, so that no single sentence more decides.
 */
export function neutralFactor(
  { neutral }: FrameBook,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  candidates: readonly Candidate[] = [],
): number {
  const agitation = agitationOf(candidates, sentences);
  const neutralSentences = sentences.filter((sentence) =>
    neutral.some((pattern) => occursIn(pattern, tokens, sentence)),
  );
  if (neutralSentences.length < limits.leastNeutral) return 1;
  const share =
    (neutralSentences.length / sentences.length - limits.neutralShare) /
    (limits.neutralInFull - limits.neutralShare);
  return 1 - (1 - limits.neutralFactor) * (1 - agitation) * Math.min(1, Math.max(0, share));
}
