import type { Candidate } from './candidates.ts';
import { limits } from './limits.ts';
import { occursIn, type Pattern, PatternIndex, parsePattern } from './patterns.ts';
import english from './rules/en.json' with { type: 'json' };
import romanian from './rules/ro.json' with { type: 'json' };
import { withoutEdgeMarks } from './screening.ts';
import type { Token, TokenRange } from './tokens.ts';

/** How much of the sentence a rule reports. */
type Extent = 'match' | 'clause' | 'sentence';

interface Rule {
  readonly code: string;
  readonly confidence: number;
  readonly origin: 'rule' | 'hint';
  readonly extent: Extent;
  readonly unless: readonly Pattern[];
}

/** Rules of one language, ready to run. */
export interface RuleBook {
  readonly techniques: PatternIndex<Rule>;
  /** Somebody else is speaking. */
  readonly reporting: readonly Pattern[];
  /** The text checks or studies manipulation. */
  readonly studying: readonly Pattern[];
}

interface RuleFile {
  readonly lists: Readonly<Record<string, string>>;
  readonly reporting: readonly string[];
  readonly studying: readonly string[];
  readonly rules: readonly {
    readonly code: string;
    readonly confidence: number;
    readonly extent?: string;
    readonly unless?: readonly string[];
    readonly patterns: readonly string[];
    /** Stand in calm texts as often as in loud ones: the trained stages learned from them, but they name nothing by themselves. */
    readonly hints?: readonly string[];
  }[];
}

/** Parses a rule file. Throws on an unknown list or extent. */
export function parseRuleBook(file: RuleFile): RuleBook {
  const parse = (source: string) => parsePattern(source, file.lists);
  const techniques = new PatternIndex<Rule>();
  for (const { code, confidence, extent = 'match', unless = [], patterns, hints = [] } of file.rules) {
    const sign = { code, confidence, extent: extentOf(extent), unless: unless.map(parse) };
    // One object for all patterns: what excepts a rule is looked for once in a sentence.
    const rule: Rule = { ...sign, origin: 'rule' };
    for (const pattern of patterns) techniques.add(parse(pattern), rule);
    const hint: Rule = { ...sign, origin: 'hint' };
    for (const pattern of hints) techniques.add(parse(pattern), hint);
  }
  return { techniques, reporting: file.reporting.map(parse), studying: file.studying.map(parse) };
}

function extentOf(name: string): Extent {
  if (name === 'match' || name === 'clause' || name === 'sentence') return name;
  throw new Error(`Unknown extent ${name}.`);
}

/** Rule books by language. */
export function loadRuleBooks(): Readonly<Record<'en' | 'ro', RuleBook>> {
  return { en: parseRuleBook(english), ro: parseRuleBook(romanian) };
}

/** Passages that the rules of a book find, hints among them. */
export function applyRules(
  book: RuleBook,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): Candidate[] {
  return sentences.flatMap((sentence, index) => {
    // Once per sentence and rule: a sentence may hold thousands of hits.
    const checked = new Map<Rule, boolean>();
    const isExcepted = (rule: Rule) => {
      const excepted =
        checked.get(rule) ?? rule.unless.some((pattern) => occursIn(pattern, tokens, sentence));
      checked.set(rule, excepted);
      return excepted;
    };
    return book.techniques.matches(tokens, sentence).flatMap(({ from, to, value: rule }) => {
      if (isExcepted(rule)) return [];
      const range = withoutEdgeMarks({ tokens }, widenMatch(rule.extent, tokens, sentence, { from, to }));
      if (range.to <= range.from) return [];
      return [
        {
          ...range,
          anchor: from,
          code: rule.code,
          sentence: index,
          confidence: rule.confidence,
          origin: rule.origin,
        },
      ];
    });
  });
}

const clauseMarks = new Set([',', ';', ':', '–', '—', '"', '“', '”', '„', '«', '»', '(', ')']);

function widenMatch(
  extent: Extent,
  tokens: readonly Token[],
  sentence: TokenRange,
  match: TokenRange,
): TokenRange {
  if (extent === 'match') return match;
  if (extent === 'sentence' && sentence.to - sentence.from <= limits.longestPassage) return sentence;
  let { from, to } = match;
  const first = Math.max(sentence.from, from - limits.longestClause);
  const last = Math.min(sentence.to, to + limits.longestClause);
  while (from > first && !clauseMarks.has(tokens[from - 1]?.form ?? ',')) from -= 1;
  while (to < last && !clauseMarks.has(tokens[to]?.form ?? ',')) to += 1;
  return { from, to };
}

/** For each sentence: whether somebody else is speaking in it. */
export function reportedSentences(
  book: RuleBook,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): boolean[] {
  return sentences.map((sentence) => book.reporting.some((pattern) => occursIn(pattern, tokens, sentence)));
}

/** For each sentence: whether it speaks of manipulation as something to check or study. */
export function sentencesAboutManipulation(
  book: RuleBook,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): boolean[] {
  return sentences.map((sentence) => book.studying.some((pattern) => occursIn(pattern, tokens, sentence)));
}
