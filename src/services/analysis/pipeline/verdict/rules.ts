import claimTaxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import verdictRules from '../../../../../data/taxonomy/verdict.json' with { type: 'json' };
import type { MediaType } from '../../resources/analyze-request.ts';
import type { VerdictProfile } from '../../resources/verdict-config.ts';

/** Look and texts of one risk category. */
export type Band = Omit<(typeof verdictRules.risk_bands)[number], 'min' | 'max'>;
type OverrideRow = (typeof verdictRules.overrides)[number];
export type OverrideCode =
  | 'human_ground_truth'
  | 'known_false_match'
  | 'verified_false_majority'
  | 'undisclosed_synthetic_as_real'
  | 'domain_blacklisted'
  | 'peak_signal'
  | 'explicit_satire'
  | 'persuasion_only'
  | 'explicit_ai_disclosure'
  | 'trusted_source'
  | 'insufficient_components';

/**
 * Numbers that the override conditions and the confidence model state in sentences. Their home is the `condition` of
 * each rule in verdict.json; a test holds each of them against that sentence.
 */
export const CONDITIONS = {
  known_false_match: { similarity: 0.95 },
  verified_false_majority: { decided: 2, false_share: 0.6, sources: 2 },
  peak_signal: { score: 90, confidence: 0.8 },
  explicit_satire: { genre_confidence: 0.9 },
  persuasion_only: { score: 60 },
  explicit_ai_disclosure: { limit: 30, share: 0.65 },
  trusted_source: { trust: 90 },
} as const;

/** A claim counts as check-worthy from here: the middle of its 0 to 1 scale. */
export const CHECK_WORTHY_FROM = 0.5;
/** Texts shorter than this many code points give the engines little to go by. */
export const SHORT_TEXT_BELOW = 200;
/** From this score on a verdict without independent evidence for any claim is capped in confidence. */
export const EVIDENCE_NEEDED_FROM = 60;
/** Detector categories that must agree before score_ai may move an override. */
export const FAMILIES_NEEDED = 2;
/** Languages that the engines were made for. */
export const LANGUAGES: readonly string[] = ['ro', 'en'];

const overrideRows = new Map(verdictRules.overrides.map((row) => [row.code, row]));

/** The row of an override. */
export function overrideRule(code: OverrideCode): OverrideRow {
  const row = overrideRows.get(code);
  if (row === undefined) throw new Error(`verdict.json has no override ${code}`);
  return row;
}

/** The number of an override: its floor, its ceiling or its largest shift. */
export function overrideValue(code: OverrideCode): number {
  const { value } = overrideRule(code);
  if (typeof value !== 'number') throw new Error(`override ${code} has no number`);
  return value;
}

/** A weight profile and the version under which its numbers stand. */
export interface WeightSource {
  profile: VerdictProfile;
  version: string;
}

/** The shipped profile of a media type. */
export function defaultProfile(mediaType: MediaType): WeightSource {
  const found = verdictRules.weight_profiles.find((row) => row.media_type === mediaType && row.is_active);
  if (found === undefined) throw new Error(`verdict.json has no active profile for ${mediaType}`);
  const { media_type: _, ...profile } = found;
  return { profile, version: verdictRules.version };
}

const credibility = new Map(claimTaxonomy.statuses.map((status) => [status.code, status.credibility_value]));
const buckets = new Map(claimTaxonomy.statuses.map((status) => [status.code, status.bucket]));

/** Whether a claim of this status is decided. */
export function isDecided(status: string): boolean {
  return typeof credibility.get(status) === 'number';
}

/** Whether a claim of this status counts as false. */
export function isFalse(status: string): boolean {
  return buckets.get(status) === 'verified_false';
}
