import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import type { Sentence } from '../../../../text/sentences.ts';
import { cueMatches, type LexiconMatch, type ParsedText } from './parsed-text.ts';

/** How a text names its sources. */
export interface Sourcing {
  /** Declarative sentences that state something. */
  factual: Sentence[];
  /** Sentences that give a source other than an anonymous one. */
  attributed: Sentence[];
  anonymous: LexiconMatch[];
  /** Share of the factual sentences that the sources cannot carry, 0 to 1; null when there is too little to judge. */
  missing: number | null;
}

const SHORTEST_STATEMENT_WORDS = 6;
const link = /https?:\/\/\S/u;

/** Looks at who is named as the source of what the text states. */
export function sourcingOf(parsed: ParsedText): Sourcing {
  const anonymous = cueMatches(parsed, 'anonymous_source');
  const calls = new Set(sentencesWith(parsed, cueMatches(parsed, 'share_call')));
  const unnamed = new Set(sentencesWith(parsed, anonymous));
  const cited = new Set(sentencesWith(parsed, cueMatches(parsed, 'attribution')));
  const factual = parsed.sentences.filter((sentence) => isStatement(sentence) && !calls.has(sentence));
  const attributed = parsed.sentences.filter(
    (sentence) => link.test(sentence.text) || (cited.has(sentence) && !unnamed.has(sentence)),
  );
  const carried = attributed.length * ruleData.factual_sentences_per_source;
  const judged = factual.length >= ruleData.least_factual_sentences;
  const missing = judged ? Math.max(0, factual.length - carried) / factual.length : null;
  return { factual, attributed, anonymous, missing };
}

function isStatement({ text }: Sentence): boolean {
  if (text.endsWith('?')) return false;
  return text.split(/\s+/u, SHORTEST_STATEMENT_WORDS).length >= SHORTEST_STATEMENT_WORDS;
}

/** The sentences in which the matches lie; both run in order of the text. */
function sentencesWith(parsed: ParsedText, matches: readonly LexiconMatch[]): Sentence[] {
  const sentences: Sentence[] = [];
  let at = 0;
  for (const match of matches) {
    const start = parsed.words[match.from]?.start ?? 0;
    while (at < parsed.sentences.length && (parsed.sentences[at]?.end ?? 0) <= start) at++;
    const sentence = parsed.sentences[at];
    if (sentence !== undefined && sentences.at(-1) !== sentence) sentences.push(sentence);
  }
  return sentences;
}
