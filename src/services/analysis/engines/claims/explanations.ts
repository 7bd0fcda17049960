import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import type { ClaimType } from './types.ts';

const types = new Map(taxonomy.types.map((type) => [type.code, type]));
const statuses = new Map(taxonomy.statuses.map((status) => [status.code, status]));

/** A definition as the second half of a sentence: small first letter, unless it is an acronym; a full stop at the end. */
function clause(definition: string | undefined): string {
  if (definition === undefined || definition === '') return '.';
  const first = definition.charAt(0);
  const small = /^\p{Lu}\p{Lu}/u.test(definition) ? first : first.toLowerCase();
  return `: ${small}${definition.slice(1).replace(/\.$/u, '')}.`;
}

/** That a person gave a claim its status, in both languages, and what it was before. */
export function explainModeratorDecision(status: string, earlier: string) {
  const [now, before] = [statuses.get(status), statuses.get(earlier)];
  return {
    explanation_en: `${now?.name_en ?? status}${clause(now?.definition_en)} A person decided this; before, the answer was: ${before?.name_en ?? earlier}.`,
    explanation_ro: `${now?.name_ro ?? status}${clause(now?.definition_ro)} A hotărât un om; până atunci răspunsul era: ${before?.name_ro ?? earlier}.`,
  };
}

/** Why a claim has its type and status, in both languages, before any evidence is looked at. */
export function explainClaim(type: ClaimType, status: string, checkworthiness: number) {
  const kind = types.get(type);
  const state = statuses.get(status);
  const share = Math.round(checkworthiness * 100);
  return {
    explanation_en: `${kind?.name_en ?? type}${clause(kind?.definition_en)} Check-worthiness ${share} of 100. ${state?.name_en ?? status}${clause(state?.definition_en)}`,
    explanation_ro: `${kind?.name_ro ?? type}${clause(kind?.definition_ro)} Importanța verificării: ${share} din 100. ${state?.name_ro ?? status}${clause(state?.definition_ro)}`,
  };
}
