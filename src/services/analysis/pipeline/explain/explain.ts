import { english } from './english.ts';
import { type Explainable, type Facts, factsOf } from './facts.ts';
import type { Voice } from './phrasing.ts';
import { romanian } from './romanian.ts';

/** The explanation of a verdict in both languages. */
export interface Explanation {
  explanation_en: string;
  explanation_ro: string;
}

/** A reader gets through seven sentences: six parts, of which the last may hold two; what matters least is left out. */
const MOST_PARTS = 6;

/** Writes both explanations from the findings: what was found, what could not be checked, what to do. */
export function explain(found: Explainable): Explanation {
  const facts = factsOf(found);
  return { explanation_en: speak(english, facts), explanation_ro: speak(romanian, facts) };
}

/** The order is that of reading; when there are too many parts those of the lowest weight go first. */
function speak(voice: Voice, facts: Facts): string {
  const loud = facts.techniques !== null && facts.techniques.count > 0;
  const decided =
    facts.claims !== null && facts.claims.verifiedTrue + facts.claims.verifiedFalse + facts.claims.partly > 0;
  const sentences: { text: string | null; weight: number }[] = [
    { text: voice.verdict(facts), weight: 10 },
    { text: facts.override && voice.override(facts.override), weight: 8 },
    { text: facts.claims && voice.claims(facts.claims), weight: decided ? 7 : 4 },
    { text: facts.techniques && voice.techniques(facts.techniques), weight: loud ? 6 : 2 },
    { text: facts.label && voice.label(facts.label), weight: 6 },
    { text: voice.context(facts.context), weight: 3 },
    { text: facts.source && voice.source(facts.source), weight: 4 },
    { text: facts.ai && voice.ai(facts.ai), weight: 5 },
    { text: voice.lost(facts.lost), weight: 7 },
    { text: voice.advice(facts.advice), weight: 9 },
  ];
  const said = sentences.flatMap(({ text, weight }) => (text === null ? [] : [{ text, weight }]));
  while (said.length > MOST_PARTS) {
    const least = Math.min(...said.map(({ weight }) => weight));
    said.splice(
      said.findLastIndex(({ weight }) => weight === least),
      1,
    );
  }
  return said.map(({ text }) => text).join(' ');
}
