import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import type { ClaimType } from './types.ts';

const types = new Map(taxonomy.types.map((type) => [type.code, type]));
const statuses = new Map(taxonomy.statuses.map((status) => [status.code, status]));

/** Why a claim has its type and status, in both languages, before any evidence is looked at. */
export function explainClaim(type: ClaimType, status: string, checkworthiness: number) {
  const kind = types.get(type);
  const state = statuses.get(status);
  const share = Math.round(checkworthiness * 100);
  return {
    explanation_en: `${kind?.name_en ?? type} (${kind?.definition_en ?? ''}) Check-worthiness ${share} of 100. ${state?.name_en ?? status}: ${state?.definition_en ?? ''}`,
    explanation_ro: `${kind?.name_ro ?? type} (${kind?.definition_ro ?? ''}) Importanța verificării: ${share} din 100. ${state?.name_ro ?? status}: ${state?.definition_ro ?? ''}`,
  };
}
