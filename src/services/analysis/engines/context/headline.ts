import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import type { Span } from '../../resources/finding.ts';
import { cueWeight, type ParsedText } from './parsed-text.ts';
import type { FoldedWord } from './phrases.ts';
import { withoutOverlap } from './phrases.ts';

/** A measure of the headline with the spans behind it; null when there was nothing to measure. */
export interface HeadlineMeasure {
  measure: number | null;
  spans: Span[];
}

/** Words of this many letters carry content; both languages keep most function words shorter. */
const CONTENT_LETTERS = 4;
/** Two words are taken for one when they share this many first letters: endings differ by case and number. */
const STEM_LETTERS = 5;

/** Weight of the clickbait phrases in the headline. */
export function clickbait(parsed: ParsedText): HeadlineMeasure {
  if (parsed.headline === null) return { measure: null, spans: [] };
  const matches = withoutOverlap(parsed.headlineMatches.filter((match) => match.value.code === 'clickbait'));
  const measure = cueWeight(matches, parsed.headlineWords.length);
  return { measure, spans: measure > 0 ? headlineSpans(parsed) : [] };
}

/** Words in capitals and exclamation marks in the headline. */
export function loudness(parsed: ParsedText): HeadlineMeasure {
  const { headline } = parsed;
  if (headline === null) return { measure: null, spans: [] };
  const capitals = headline.text.match(/(?<![\p{L}\p{N}])\p{Lu}{4,}(?![\p{L}\p{N}])/gu)?.length ?? 0;
  const marks = headline.text.match(/!/gu)?.length ?? 0;
  const measure = capitals + marks;
  return { measure, spans: measure > 0 ? headlineSpans(parsed) : [] };
}

/** Share of the headline's content words that do not occur in the body, above the floor of the rule. */
export function headlineWordAbsence(parsed: ParsedText, floor: number): HeadlineMeasure {
  const { headline, headlineWords, words, bodyFrom } = parsed;
  if (headline === null) return { measure: null, spans: [] };
  const contentWords = headlineWords.filter(isContent);
  const body = words.length - bodyFrom;
  const { least_content_words, least_body_words } = ruleData.headline;
  if (contentWords.length < least_content_words || body < least_body_words)
    return { measure: null, spans: [] };
  const known = new Set<string>();
  for (let index = bodyFrom; index < words.length; index++) known.add(stem(words[index]));
  const absent = contentWords.filter((word) => !known.has(stem(word)));
  const measure = Math.max(0, absent.length / contentWords.length - floor);
  return { measure, spans: measure > 0 ? wordSpans(parsed, absent) : [] };
}

function isContent(word: FoldedWord): boolean {
  return word.text.length >= CONTENT_LETTERS;
}

function stem(word: FoldedWord | undefined): string {
  return word?.text.slice(0, STEM_LETTERS) ?? '';
}

/** The headline, where it stands in the text. */
export function headlineSpans({ headline, positions }: ParsedText): Span[] {
  if (headline === null || headline.start === null || headline.end === null) return [];
  return [positions.span(headline.start, headline.end)];
}

/** Spans of headline words; none when the headline stands outside the text. */
function wordSpans({ headline, positions }: ParsedText, words: readonly FoldedWord[]): Span[] {
  const offset = headline?.start;
  if (offset === undefined || offset === null) return [];
  return words.map((word) => positions.span(offset + word.start, offset + word.end));
}
