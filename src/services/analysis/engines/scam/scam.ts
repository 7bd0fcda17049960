import english from '../../../../../data/scam/en.json' with { type: 'json' };
import kindData from '../../../../../data/scam/kinds.json' with { type: 'json' };
import romanian from '../../../../../data/scam/ro.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import { languagesToRead } from '../../../../text/mixture.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Span } from '../../../../text/positions.ts';
import type { Candidate } from '../techniques/candidates.ts';
import { quotedTokens } from '../techniques/features.ts';
import { applyRules, bookFrom, loadRuleBooks, reportedSentences } from '../techniques/rules.ts';
import { sentenceRanges, type Token, tokenise } from '../techniques/tokens.ts';

/** A lure for money or data, or a miracle cure, with the passages that say so. */
export interface ScamFinding {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  /** What not to do, and whom to ask. */
  readonly advice_en: string;
  readonly advice_ro: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** In reading order. */
  readonly spans: Span[];
}

type Kind = (typeof kindData.kinds)[number];

const books = { en: bookOf(english), ro: bookOf(romanian) };
const voices = loadRuleBooks();
const PLACES = 3;
const MOST_SPANS = 12;

function bookOf({
  lists,
  rules,
}: Pick<Parameters<typeof bookFrom>[0], 'lists'> & { rules: readonly Sign[] }) {
  return bookFrom({
    lists,
    reporting: [],
    studying: [],
    rules: rules.map((rule) => ({ ...rule, confidence: 1 })),
  });
}

type Sign = Omit<Parameters<typeof bookFrom>[0]['rules'][number], 'confidence'>;

/** The surest lure in a text, or null. What is quoted in a report is the speaker's and no lure of the text. */
export function scamIn(plain: Pick<PlainText, 'text' | 'span'>, language: string): ScamFinding | null {
  const tokens = tokenise(plain.text);
  const signs = signsOf(plain.text, tokens, language);
  const groups = new Set(signs.map(({ code }) => code));
  const kinds = kindData.kinds.map((kind) => ({ kind, confidence: confidenceOf(kind, groups) }));
  const best = kinds.reduce((one, two) => (two.confidence > one.confidence ? two : one));
  if (best.confidence === 0) return null;
  const { needs, helps, base: _, ...named } = best.kind;
  const telling = new Set([...needs.flat(), ...helps]);
  const spans = signs
    .filter((sign) => telling.has(sign.code))
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .filter((sign, index, all) => (all[index - 1]?.to ?? 0) < sign.to)
    .slice(0, MOST_SPANS)
    .map(({ from, to }) => plain.span(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0));
  return { ...named, confidence: roundTo(best.confidence, PLACES), spans };
}

/** Signs of a lure in the text's own voice. */
function signsOf(text: string, tokens: readonly Token[], language: string): Candidate[] {
  const sentences = sentenceRanges(text, tokens);
  const quoted = quotedTokens(tokens, sentences);
  const read = languagesToRead(
    tokens.map((token) => token.form),
    language.slice(0, 2).toLowerCase(),
  );
  return read.flatMap((name) => {
    const reported = reportedSentences(voices[name], tokens, sentences);
    return applyRules(books[name], tokens, sentences).filter(
      ({ anchor, sentence }) => quoted[anchor] !== 1 || !nearReport(reported, sentence),
    );
  });
}

function nearReport(reported: readonly boolean[], sentence: number): boolean {
  return [sentence - 1, sentence, sentence + 1].some((index) => reported[index] === true);
}

/** 0 unless each group that the kind needs has a sign of its own. */
function confidenceOf({ needs, helps, base }: Kind, groups: ReadonlySet<string>): number {
  const used = new Set<string>();
  for (const group of needs) {
    const sign = group.find((name) => groups.has(name) && !used.has(name));
    if (sign === undefined) return 0;
    used.add(sign);
  }
  const more = helps.filter((name) => groups.has(name) && !used.has(name)).length;
  return Math.min(kindData.most, base + more * kindData.step);
}
