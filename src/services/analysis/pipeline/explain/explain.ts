import { english } from './english.ts';
import { type ExplanationSubject, type Facts, factsOf } from './facts.ts';
import type { Phrasing } from './phrasing.ts';
import { romanian } from './romanian.ts';

/** The explanation of a verdict in both languages. */
export interface Explanation {
  explanation_en: string;
  explanation_ro: string;
}

/** Parts of one explanation, so that it stays within about seven sentences; the least important are left out. */
const MOST_PARTS = 6;

/** Writes both explanations from the findings: what was found, what could not be checked, what to do. */
export function explainVerdict(subject: ExplanationSubject): Explanation {
  const facts = factsOf(subject);
  return { explanation_en: compose(english, facts), explanation_ro: compose(romanian, facts) };
}

/** The reasons by what they gave to the risk, between verdict and advice; while there are too many sentences, the one of the lowest weight is removed. */
function compose(phrasing: Phrasing, facts: Facts): string {
  const loud = facts.techniques !== null && facts.techniques.count > 0;
  const decided =
    facts.claims !== null && facts.claims.verifiedTrue + facts.claims.verifiedFalse + facts.claims.partly > 0;
  const { points } = facts;
  // That no passage shows a technique is said together with what the text does as a whole, and not of a lure, or the two would contradict.
  const apart = (facts.diffuse === null && facts.scam === null) || loud;
  const reasons = [
    { text: facts.claims && phrasing.claims(facts.claims), weight: decided ? 7 : 4, points: points.claims },
    {
      text: apart ? facts.techniques && phrasing.techniques(facts.techniques) : null,
      weight: loud ? 6 : 2,
      points: points.manipulation,
    },
    {
      text: facts.diffuse && phrasing.diffuse(facts.diffuse, facts.techniques),
      weight: 5,
      points: points.manipulation,
    },
    { text: phrasing.context(facts.context), weight: 3, points: points.context },
    { text: facts.source && phrasing.source(facts.source), weight: 4, points: points.source },
    { text: facts.ai && phrasing.ai(facts.ai), weight: 5, points: points.ai },
  ];
  const sentences: { text: string | null; weight: number }[] = [
    { text: phrasing.verdict(facts), weight: 10 },
    { text: facts.override && phrasing.override(facts.override), weight: 8 },
    { text: facts.scam && phrasing.scam(facts.scam), weight: 9 },
    ...reasons.toSorted((a, b) => b.points - a.points),
    { text: facts.pictures && phrasing.pictures(facts.pictures), weight: 5 },
    { text: facts.label && phrasing.label(facts.label), weight: 6 },
    { text: facts.wordingUnread ? phrasing.wordingUnread : null, weight: 8 },
    { text: facts.nearReview && phrasing.nearReview(facts.nearReview), weight: 8 },
    { text: phrasing.lost(facts.lost), weight: 7 },
    { text: facts.unchecked && facts.scam === null ? phrasing.unchecked(facts.unchecked) : null, weight: 9 },
    {
      text: facts.scam === null && facts.unchecked === null ? phrasing.advice(facts.advice) : null,
      weight: 9,
    },
  ];
  const parts = sentences.flatMap(({ text, weight }) => (text === null ? [] : [{ text, weight }]));
  while (parts.length > MOST_PARTS) {
    const least = Math.min(...parts.map(({ weight }) => weight));
    parts.splice(
      parts.findLastIndex(({ weight }) => weight === least),
      1,
    );
  }
  return parts.map(({ text }) => text).join(' ');
}
