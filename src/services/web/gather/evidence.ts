import { roundTo } from '../../../foundation/numbers.ts';
import type { EvidenceItem, GatherRequest } from '../contract.ts';
import { isAltered } from './altered-copies.ts';
import type { GatherDependencies } from './dependencies.ts';
import { groupCopies } from './duplicates.ts';
import { isRelevant, type RankedSource, rankSources } from './relevance.ts';
import type { Source } from './source.ts';
import type { Stance } from './stance.ts';

/** A ranked source with the credibility of its site. */
interface Rated extends RankedSource {
  readonly credibility: number | null;
}

const scoreOf = ({ passages }: RankedSource) => passages[0]?.score ?? 0;
const rounded = (score: number) => roundTo(score, 3);

/** Puts the copy that represents its group first: a review, else the most credible, the earliest, the most relevant. */
function representativeFirst(copies: readonly Rated[]): Rated[] {
  const dated = ({ source }: Rated) => source.published_at ?? '9999';
  return copies.toSorted(
    (one, other) =>
      Number(other.source.review !== null) - Number(one.source.review !== null) ||
      (other.credibility ?? 0.5) - (one.credibility ?? 0.5) ||
      dated(one).localeCompare(dated(other)) ||
      scoreOf(other) - scoreOf(one),
  );
}

/**
 * Splits a group of copies, its representative first, into items: the representative with its copies, and each copy whose best passage
 * differs from it in numbers or negations. They list each other as copies, so that they still count as one source.
 */
function splitAlteredCopies(group: readonly Rated[]): Rated[][] {
  const [representative, ...copies] = group;
  if (representative === undefined) return [];
  const altered = copies.filter(({ passages, source }) => {
    const [best] = passages;
    return source.review === null && best !== undefined && isAltered(best.text, representative.source.text);
  });
  return [[representative, ...copies], ...altered.map((copy) => [copy, representative])];
}

function factCheckOf({ review, similarity }: Source): EvidenceItem['fact_check'] {
  if (review === null) return null;
  const { claim, wordings, claim_key, rating, rating_text, stance, decides, finding } = review;
  return {
    claim,
    wordings: [...wordings],
    claim_key,
    similarity,
    rating: rating as NonNullable<EvidenceItem['fact_check']>['rating'],
    rating_text,
    stance: stance as NonNullable<EvidenceItem['fact_check']>['stance'],
    decides,
    finding,
  };
}

function itemOf(
  { source, passages, credibility }: Rated,
  copies: readonly Rated[],
  stance: Stance,
): EvidenceItem {
  const [best] = passages;
  return {
    url: source.url,
    title: source.title,
    publisher: source.publisher,
    snippet: best?.text ?? '',
    relevance_score: rounded(best?.score ?? 0),
    credibility_score: credibility,
    published_at: source.published_at,
    retrieved_at: source.retrieved_at,
    full_text_hash: source.textHash,
    language: source.language,
    stance,
    passages: passages.map(({ text, score }) => ({ text, relevance_score: rounded(score) })),
    copies: copies.map(({ source: { url, title, publisher } }) => ({ url, title, publisher })),
    fact_check: factCheckOf(source),
    provenance: {
      extraction_method: source.method,
      fallback_chain: [...source.chain],
      providers: [...source.providers],
      query: source.query,
      origin: source.origin,
    },
  };
}

/** The sources that bear on the claim, the most relevant first. */
export async function relevantSources(
  { encoder }: Pick<GatherDependencies, 'encoder'>,
  claim: string,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<RankedSource[]> {
  const ranked = await rankSources(claim, sources, encoder, signal);
  return ranked.filter(isRelevant);
}

/** The evidence items of ranked sources, the most relevant first; copies are grouped. */
export async function chooseEvidence(
  { credibility, stance }: Pick<GatherDependencies, 'credibility' | 'stance'>,
  request: GatherRequest,
  sources: readonly Source[],
  ranked: readonly RankedSource[],
  signal: AbortSignal,
): Promise<{ items: EvidenceItem[]; afterDedup: number }> {
  const scores = await credibility(
    ranked.map(({ source }) => source.url),
    signal,
  );
  const rated: Rated[] = ranked.map((one, index) => ({ ...one, credibility: scores[index] ?? null }));
  const groups = request.dedupe
    ? (await groupCopies(rated)).map(representativeFirst)
    : rated.map((one) => [one]);
  const groupsToShow = groups.flatMap(splitAlteredCopies);
  const removed = rated.length - groupsToShow.length;
  const chosen = groupsToShow.slice(0, request.max_evidence_items);
  const snippets = chosen.map(([representative]) => representative?.passages[0]?.text ?? '');
  const stances = await stance(request.claim, snippets, signal).catch(() => []);
  const items = chosen.flatMap(([representative, ...copies], index) =>
    representative === undefined ? [] : [itemOf(representative, copies, stances[index] ?? null)],
  );
  return { items, afterDedup: sources.length - removed };
}
