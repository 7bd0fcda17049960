import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import type { LossReason } from '../../../../foundation/client.ts';
import { startDeadline } from '../../../../foundation/deadline.ts';
import { siteOf } from '../../../../foundation/http/web-address.ts';
import type { EvidenceSource, GatheredEvidence } from '../../dependencies/evidence.ts';
import type { EncodeTexts } from '../../dependencies/vectors.ts';
import type { ClaimComparer } from '../../engines/stance/claim-comparer.ts';
import type { Degradation } from '../../reasons.ts';
import type { ClaimItem, EvidenceItem, PreviousFactCheck } from '../../resources/claims-result.ts';
import type { RunContext } from '../component.ts';
import { decideClaim } from './claim-decision.ts';
import { explainDecision } from './decision-explanation.ts';
import { independentSourcesOf } from './independent-sources.ts';
import { matchReviews, type ReviewMatch } from './review-matching.ts';
import type { JudgeStances, Stance } from './stance.ts';

type GatheredItem = GatheredEvidence['items'][number];

/** Dependencies of the verification. */
export interface VerificationDependencies {
  readonly evidence: EvidenceSource;
  readonly judge: JudgeStances;
  readonly reading: ClaimComparer;
  readonly encode: EncodeTexts;
}

/** Limits of the verification. */
export interface VerificationLimits {
  /** Claims that are searched, the most check-worthy first. */
  readonly mostSearched: number;
  /** When the checking must have ended, as a reading of performance.now(). */
  readonly until: number;
  /** The address of what is judged: its own site is no evidence for it. */
  readonly source: string | undefined;
  /** The text under analysis: a page that repeats it word by word is no evidence either. */
  readonly text: string;
  readonly now: Date;
}

/** The claims after verification, and the losses. */
export interface VerificationResult {
  readonly claims: ClaimItem[];
  readonly searches: number;
  /** The text model that judged stances; null when our own did, or nothing was judged. */
  readonly model: string | null;
  /** What was not looked up. */
  readonly degraded: Degradation[];
  /** Why a text model that should have judged stances gave nothing of use; our own model stood in. */
  readonly lostModels: readonly LossReason[];
}

/** Claims of one session that are searched at once. */
const AT_ONCE = 3;
/** Shortest remaining time in which a search is started, in milliseconds. */
const LEAST_MS = 1_000;

const checkable = new Set(taxonomy.types.filter((type) => type.checkable).map((type) => type.code));

/** A fact-check of this very claim counts with its rating; one of another claim is context. */
function stanceOf(
  { fact_check: review }: GatheredItem,
  match: ReviewMatch | undefined,
  judged: Stance | undefined,
): EvidenceItem['stance'] {
  if (review === null) return judged?.stance ?? 'context';
  return match?.match === 'confirmed' ? review.stance : 'context';
}

function toItem(found: GatheredItem, stance: EvidenceItem['stance'], voice: string): EvidenceItem {
  const { url, title, publisher, snippet, provenance } = found;
  return {
    ...{ url, title, publisher, snippet, stance },
    relevance_score: found.relevance_score,
    credibility_score: found.credibility_score === null ? null : Math.round(found.credibility_score * 100),
    published_at: found.published_at,
    retrieved_at: found.retrieved_at,
    full_text_hash: found.full_text_hash,
    provenance: {
      extraction_method: provenance.extraction_method,
      fallback_chain: provenance.fallback_chain.map(({ method }) => method),
    },
    quote: snippet === '' ? null : snippet,
    independent_group: voice,
  };
}

function factChecks(
  items: readonly GatheredItem[],
  matches: readonly (ReviewMatch | undefined)[],
): PreviousFactCheck[] {
  return items.flatMap(({ fact_check: review, publisher, url }, index) => {
    const match = matches[index];
    if (review === null || match === undefined) return [];
    const { rating_text: rating } = review;
    return [{ publisher: publisher || siteOf(url), url, rating: rating ?? review.rating, ...match }];
  });
}

/** Shorter passages may stand in two texts by chance, in characters. */
const LONG_PASSAGE = 60;
const squashed = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

/** Whether a passage stands in the judged text: then its page is a mirror or the source of it, and no second voice. */
const repeats = (judged: string, passage: string) =>
  passage.length >= LONG_PASSAGE && judged.includes(squashed(passage));

/** A claim with its evidence, stances and status. */
async function judgeClaim(
  claim: ClaimItem,
  gathered: GatheredEvidence,
  dependencies: VerificationDependencies,
  { source, text, now }: VerificationLimits,
  run: RunContext,
): Promise<{ claim: ClaimItem; model: string | null; lostModel: LossReason | null }> {
  const own = source === undefined ? undefined : siteOf(source);
  const judgedText = squashed(text);
  const items = gathered.items.filter(
    ({ url, snippet }) => siteOf(url) !== own && !repeats(judgedText, snippet),
  );
  const matches = await matchReviews(claim.text, items, dependencies, run);
  const open = items.filter(({ fact_check: review, snippet }) => review === null && snippet !== '');
  const { stances, model, reply } =
    open.length === 0
      ? { stances: [], model: null, reply: null }
      : await dependencies.judge(
          claim.text,
          open.map(({ snippet }) => snippet),
          run,
        );
  const judged = new Map(open.map((item, index) => [item, stances[index]]));
  const voices = independentSourcesOf(items);
  const evidence = items.map((item, index) =>
    toItem(item, stanceOf(item, matches[index], judged.get(item)), voices[index] ?? siteOf(item.url)),
  );
  const confirmed = items.filter((_, index) => matches[index]?.match === 'confirmed');
  const isMisleading = confirmed.some(({ fact_check: review }) => review?.rating === 'misleading');
  const weighed = evidence.map((item, index) => ({
    ...item,
    isReviewed: matches[index]?.match === 'confirmed',
  }));
  const decision = decideClaim({ type: claim.type, evidence: weighed, isMisleading }, now);
  const earlier = factChecks(items, matches);
  const words = explainDecision(decision, evidence, earlier);
  const status = decision.status === 'unverified' ? claim.status : decision.status;
  return {
    claim: {
      ...claim,
      ...words,
      status,
      confidence: decision.confidence,
      evidence,
      searched: true,
      queries: gathered.queries.length > 0 ? [...gathered.queries] : claim.queries,
      previous_fact_checks: earlier,
    },
    model,
    lostModel: reply?.state === 'lost' ? reply.reason : null,
  };
}

/** Runs work over items, a few at a time, in their order. Where one fails, nothing more begins and what runs is cancelled. */
async function inTurns<Item>(
  items: readonly Item[],
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item, either);
  };
  const lanes = Array.from({ length: Math.min(atOnce, items.length) }, lane);
  await Promise.all(lanes).catch((error: unknown) => {
    rest.length = 0;
    failed.abort(error);
    throw error;
  });
}

/** Checks the claims that evidence can decide, the most check-worthy first, for as long as there is time. */
export async function verifyClaims(
  claims: readonly ClaimItem[],
  dependencies: VerificationDependencies,
  limits: VerificationLimits,
  run: RunContext,
): Promise<VerificationResult> {
  const open = claims
    .filter(({ status, type }) => status === 'unverified' && checkable.has(type))
    .toSorted((one, two) => two.checkworthiness - one.checkworthiness)
    .slice(0, limits.mostSearched);
  const checked = new Map<string, ClaimItem>();
  const losses = new Set<LossReason>();
  const lostModels = new Set<LossReason>();
  let [searches, model]: [number, string | null] = [0, null];
  await inTurns(open, { atOnce: AT_ONCE, signal: run.signal }, async (claim, signal) => {
    const left = limits.until - performance.now();
    if (left < LEAST_MS || signal.aborted) return void losses.add('timeout');
    const { account, correlationId } = run;
    const deadline = startDeadline(left, signal);
    const gathered = await dependencies.evidence
      .gather(claim.text, { account, correlationId, signal: deadline.signal, seconds: left / 1000 })
      .catch((error: unknown) => {
        if (!deadline.signal.aborted) throw error;
        return { lost: 'timeout' as const };
      })
      .finally(() => deadline.stop());
    if ('lost' in gathered) return void losses.add(gathered.lost);
    searches += gathered.searches;
    const judged = await judgeClaim(claim, gathered, dependencies, limits, { ...run, signal });
    model ??= judged.model;
    if (judged.lostModel !== null) lostModels.add(judged.lostModel);
    checked.set(claim.id, judged.claim);
  });
  return {
    claims: claims.map((claim) => checked.get(claim.id) ?? claim),
    searches,
    model,
    degraded: [...losses].map((reason) => ({ dependency: 'brain', reason, effect: 'part_missing' as const })),
    lostModels: [...lostModels],
  };
}
