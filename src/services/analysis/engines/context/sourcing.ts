import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import type { Sentence } from '../../../../text/sentences.ts';
import { cueMatches, type LexiconMatch, type Reading } from './reading.ts';

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
export function sourcingOf(reading: Reading): Sourcing {
  const anonymous = cueMatches(reading, 'anonymous_source');
  const calls = new Set(sentencesWith(reading, cueMatches(reading, 'share_call')));
  const unnamed = new Set(sentencesWith(reading, anonymous));
  const cited = new Set(sentencesWith(reading, cueMatches(reading, 'attribution')));
  const factual = reading.sentences.filter((sentence) => isStatement(sentence) && !calls.has(sentence));
  const attributed = reading.sentences.filter(
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
function sentencesWith(reading: Reading, matches: readonly LexiconMatch[]): Sentence[] {
  const sentences: Sentence[] = [];
  let at = 0;
  for (const match of matches) {
    const start = reading.words[match.from]?.start ?? 0;
    while (at < reading.sentences.length && (reading.sentences[at]?.end ?? 0) <= start) at++;
    const sentence = reading.sentences[at];
    if (sentence !== undefined && sentences.at(-1) !== sentence) sentences.push(sentence);
  }
  return sentences;
}
