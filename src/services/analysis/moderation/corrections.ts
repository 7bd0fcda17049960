import { z } from 'zod';
import type { Detail } from '../../../foundation/errors.ts';
import { countWords } from '../../../text/words.ts';
import { explainModeratorDecision } from '../engines/claims/explanations.ts';
import { summariseClaims } from '../engines/claims/summary.ts';
import { summariseTechniques } from '../engines/techniques/summary.ts';
import { errors } from '../errors.ts';
import type { ClaimItem } from '../resources/claims-result.ts';
import { componentBlocks } from '../resources/component-blocks.ts';
import type { ModerationResolveRequest } from '../resources/moderation.ts';
import { type VerdictResult, verdictResult } from '../resources/verdict-result.ts';
import type { RevisionContent } from '../session/revision.ts';

/** What a reviewer changes, by block. */
export type Corrections = NonNullable<ModerationResolveRequest['corrections']>;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON merge patch (RFC 7396): null removes a member, objects are merged, all else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

/** Derived numbers of the verdict, which cannot be corrected: they could not be recomputed. */
const COMPUTED = new Set([
  'score_manipulation',
  'score_claims',
  'score_ai',
  'score_source',
  'score_context',
  'applied_weights',
  'override_applied',
  'override_type',
  'override_reason',
  'override_reason_ro',
  'override_adjustment',
  'components_used',
  'weights_source',
  'rules_version',
]);

const problem = (path: (string | number)[], message: string): Detail => ({
  path: ['body', 'corrections', ...path],
  message,
  type: 'value_error',
});

function refuse(details: Detail[]): never {
  throw errors.validation_failed({ details });
}

/** A block with its patch applied, checked; a field that the patch sets to null becomes null where the schema wants it. */
function patched<Block>(
  name: string,
  schema: z.ZodType<Block>,
  fields: Json,
  block: Json,
  patch: Json,
): Block {
  const unknown = Object.keys(patch).filter((field) => !(field in fields));
  if (unknown.length > 0) refuse(unknown.map((field) => problem([name, field], 'There is no such field.')));
  const merged = mergePatch(block, patch) as Json;
  // Every field of a block is always present: one that was removed is null.
  const complete = Object.fromEntries(Object.keys(fields).map((field) => [field, merged[field] ?? null]));
  const result = schema.safeParse(complete);
  if (result.success) return result.data;
  return refuse(
    result.error.issues.map(({ path, message }) => problem([name, ...path.map(String)], message)),
  );
}

/** A claim whose status a person changed, with an explanation of that where the person left the old one. */
function explained(claim: ClaimItem, known: ClaimItem): ClaimItem {
  if (claim.status === known.status) return claim;
  const decision = explainModeratorDecision(claim.status, known.status);
  const kept = (name: keyof typeof decision) => (claim[name] === known[name] ? decision[name] : claim[name]);
  return { ...claim, explanation_en: kept('explanation_en'), explanation_ro: kept('explanation_ro') };
}

/**
 * The claims of a corrected list, each with the moment at which a person decided it: now for a new claim, another status,
 * or a status that the reviewer confirms by setting `reviewed_at`; the earlier one for all others.
 */
function withReviewTimes(
  earlier: readonly ClaimItem[],
  corrected: readonly ClaimItem[],
  now: Date,
): ClaimItem[] {
  const before = new Map(earlier.map((claim) => [claim.id, claim]));
  return corrected.map((claim) => {
    const known = before.get(claim.id);
    const confirmed = claim.reviewed_at !== null && known?.reviewed_at === null;
    const decided = known === undefined || known.status !== claim.status || confirmed;
    const reviewed_at = decided ? now.toISOString() : known.reviewed_at;
    return { ...(known === undefined ? claim : explained(claim, known)), reviewed_at };
  });
}

/** The blocks after a reviewer's corrections, with the figures that follow from lists counted again. Throws validation_failed. */
export function correctBlocks(
  blocks: Omit<RevisionContent, 'verdict'>,
  corrections: Corrections,
  text: string | null,
  now: Date,
): Omit<RevisionContent, 'verdict'> {
  const corrected = { ...blocks };
  const missing = (['techniques', 'ai_tampered', 'claims'] as const).filter(
    (name) => corrections[name] !== undefined && blocks[name] === null,
  );
  if (missing.length > 0) refuse(missing.map((name) => problem([name], 'The session has no such block.')));
  const { techniques, ai_tampered: ai, claims } = corrections;
  if (techniques !== undefined && blocks.techniques !== null) {
    const schema = componentBlocks.techniques.unwrap();
    const block = patched('techniques', schema, schema.shape, blocks.techniques, techniques);
    const words = countWords(text ?? '');
    const counted = summariseTechniques(block.techniques_detected, words, block.diffuse_evidence?.weight);
    corrected.techniques =
      'techniques_detected' in techniques ? { ...block, ...counted, ...numbersOf(techniques) } : block;
  }
  if (ai !== undefined && blocks.ai_tampered !== null) {
    const schema = componentBlocks.ai_tampered.unwrap();
    const block = patched('ai_tampered', schema, schema.shape, blocks.ai_tampered, ai);
    corrected.ai_tampered = { ...block, indicators_count: block.indicators_detected.length };
  }
  if (claims !== undefined && blocks.claims !== null) {
    const schema = componentBlocks.claims.unwrap();
    const block = patched('claims', schema, schema.shape, blocks.claims, claims);
    const claims_verified = withReviewTimes(blocks.claims.claims_verified, block.claims_verified, now);
    corrected.claims =
      'claims_verified' in claims
        ? { ...block, claims_verified, ...summariseClaims(claims_verified), ...numbersOf(claims) }
        : block;
  }
  return corrected;
}

/** The numbers that a patch sets itself. */
function numbersOf(patch: Json): Record<string, number> {
  return Object.fromEntries(
    Object.entries(patch).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

const humanScore = z.object({ risk_score: z.number().min(0).max(100).optional() });

/** The risk score that a reviewer decided; undefined when it follows from the blocks. Throws validation_failed. */
export function decidedScore(corrections: Corrections): number | undefined {
  const { verdict } = corrections;
  if (verdict === undefined) return undefined;
  const computed = Object.keys(verdict).filter((field) => COMPUTED.has(field));
  if (computed.length > 0) {
    refuse(
      computed.map((field) => problem(['verdict', field], 'This follows from the blocks: correct those.')),
    );
  }
  const parsed = humanScore.safeParse(verdict);
  if (!parsed.success)
    refuse([problem(['verdict', 'risk_score'], 'A risk score is a number from 0 to 100.')]);
  return parsed.data?.risk_score;
}

/** The recomputed verdict with what a reviewer wrote in it. Throws validation_failed. */
export function correctVerdict(verdict: VerdictResult, corrections: Corrections): VerdictResult {
  if (corrections.verdict === undefined) return verdict;
  const { risk_score: _, ...rest } = corrections.verdict;
  return patched('verdict', verdictResult, verdictResult.shape, verdict, rest);
}
