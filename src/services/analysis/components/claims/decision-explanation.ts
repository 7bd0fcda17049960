import type { EvidenceItem, PreviousFactCheck } from '../../resources/claims-result.ts';
import { ratingName } from '../../resources/ratings.ts';
import { sourceName } from '../../resources/source-name.ts';
import { type ClaimDecision, isPoor } from './claim-decision.ts';

/** Most sources that an explanation names. */
const MOST_NAMED = 3;

/** The names of the sources of one side, each voice once. */
function namesOf(evidence: readonly EvidenceItem[], stance: string): string[] {
  const byVoice = new Map<string, string>();
  for (const item of evidence) {
    const voice = item.independent_group ?? item.url;
    if (item.stance === stance && !byVoice.has(voice)) byVoice.set(voice, sourceName(item) || voice);
  }
  return [...byVoice.values()].slice(0, MOST_NAMED);
}

const list = (names: readonly string[], and: string) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`;

/** Numbers from 20 on take "de" in Romanian. */
const counted = (count: number, one: string, many: string) =>
  count === 1
    ? `o ${one}`
    : `${count}${count % 100 >= 20 || (count > 0 && count % 100 === 0) ? ' de' : ''} ${many}`;

/** Why a checked claim has its status, in both languages; `earlier` are the fact-checks of it and of near claims. */
export function explainDecision(
  { status, supports, refutes }: ClaimDecision,
  evidence: readonly EvidenceItem[],
  earlier: readonly PreviousFactCheck[] = [],
): Pick<ExplanationPair, 'explanation_en' | 'explanation_ro'> {
  // Poor sources took no part in a decision.
  const weighed = evidence.filter((item) => status === 'unverified' || !isPoor(item.credibility_score));
  const [favouring, opposing] = [namesOf(weighed, 'supports'), namesOf(weighed, 'refutes')];
  const en = (side: { voices: number }, verb: string, names: readonly string[]) =>
    `${side.voices} independent source${side.voices === 1 ? '' : 's'} ${side.voices === 1 ? `${verb}s` : verb} it${side.voices > names.length ? ', among them' : ':'} ${list(names, 'and')}.`;
  const ro = (side: { voices: number }, one: string, many: string, names: readonly string[]) => {
    const sources = counted(side.voices, 'sursă independentă', 'surse independente');
    return `${sources.charAt(0).toUpperCase()}${sources.slice(1)} o ${side.voices === 1 ? one : many}${side.voices > names.length ? ', între care' : ':'} ${list(names, 'și')}.`;
  };
  switch (status) {
    case 'verified_false':
      return {
        explanation_en: en(refutes, 'refute', opposing),
        explanation_ro: ro(refutes, 'infirmă', 'infirmă', opposing),
      };
    case 'misleading':
      return {
        explanation_en: `Reviewers call it misleading. ${en(refutes, 'refute', opposing)}`,
        explanation_ro: `Verificatorii o consideră înșelătoare. ${ro(refutes, 'infirmă', 'infirmă', opposing)}`,
      };
    case 'verified_true':
      return {
        explanation_en: en(supports, 'support', favouring),
        explanation_ro: ro(supports, 'susține', 'susțin', favouring),
      };
    case 'conflicting':
      return {
        explanation_en: `Sources disagree. In favour: ${list(favouring, 'and')}. Against: ${list(opposing, 'and')}.`,
        explanation_ro: `Sursele se contrazic. În favoarea ei: ${list(favouring, 'și')}. Împotriva ei: ${list(opposing, 'și')}.`,
      };
    case 'unverified':
      return undecided(evidence.length, [...favouring, ...opposing], earlier);
  }
}

/** The explanation of a claim that stays undecided. */
function undecided(
  count: number,
  named: readonly string[],
  earlier: readonly PreviousFactCheck[],
): ExplanationPair {
  if (count === 0)
    return {
      explanation_en: 'It was searched for, and no page that bears on it was found.',
      explanation_ro: 'A fost căutată, dar nu s-a găsit nicio pagină care să aibă legătură cu ea.',
    };
  const near = nearest(earlier);
  if (named.length === 0 && near !== undefined) return near;
  if (named.length === 0)
    return {
      explanation_en: 'Pages on the subject were found; none of them clearly supports or refutes it.',
      explanation_ro: 'S-au găsit pagini pe această temă; niciuna nu o susține și nu o infirmă limpede.',
    };
  return {
    explanation_en: `Too few independent sources of known quality decide it; what was found: ${list(named, 'and')}.`,
    explanation_ro: `Prea puține surse independente de o calitate cunoscută o pot decide; s-au găsit: ${list(named, 'și')}.`,
  };
}

/** The nearest claim that reviewers judged, which is not known to be the same. */
function nearest(earlier: readonly PreviousFactCheck[]): ExplanationPair | undefined {
  const [check] = earlier.toSorted((one, other) => other.similarity - one.similarity);
  if (check?.claim == null || check.rating === null) return undefined;
  const { claim, publisher, rating } = check;
  return {
    explanation_en: `A similar claim was checked before: “${claim}” (${publisher}: ${ratingName(rating, 'en')}). This one may say something else, even the opposite, and stays open.`,
    explanation_ro: `O afirmație asemănătoare a fost verificată: „${claim}” (${publisher}: ${ratingName(rating, 'ro')}). Cea de aici poate spune altceva, chiar contrariul, și rămâne deschisă.`,
  };
}

interface ExplanationPair {
  readonly explanation_en: string;
  readonly explanation_ro: string;
}
