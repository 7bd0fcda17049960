import type { EvidenceItem, GatherRequest } from '../contract.ts';
import { isAltered } from './altered-copies.ts';
import { groupCopies } from './duplicates.ts';
import type { GatherParts } from './parts.ts';
import { bearsOnClaim, type RankedSource, rankSources } from './relevance.ts';
import type { Source } from './source.ts';
import type { Stance } from './stance.ts';

/** A ranked source with what is known of who stands behind it. */
interface Rated extends RankedSource {
  readonly credibility: number | null;
}

const scoreOf = ({ passages }: RankedSource) => passages[0]?.score ?? 0;
const rounded = (score: number) => Math.round(score * 1000) / 1000;

/** Of copies of one text the most credible speaks, then the earliest, then the most relevant. */
function speakerFirst(copies: readonly Rated[]): Rated[] {
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
 * A group of copies, the speaker first, as what is shown: the speaker with its copies, and each copy that tells the point
 * otherwise by itself. They name each other, so that they remain one voice.
 */
function shownOf(group: readonly Rated[]): Rated[][] {
  const [speaker, ...copies] = group;
  if (speaker === undefined) return [];
  const apart = copies.filter(({ passages, source }) => {
    const [best] = passages;
    return source.review === null && best !== undefined && isAltered(best.text, speaker.source.text);
  });
  return [[speaker, ...copies], ...apart.map((copy) => [copy, speaker])];
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
  { encoder }: Pick<GatherParts, 'encoder'>,
  claim: string,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<RankedSource[]> {
  const ranked = await rankSources(claim, sources, encoder, signal);
  return ranked.filter(bearsOnClaim);
}

/** The evidence of ranked sources: copies folded, the most relevant first. */
export async function chooseEvidence(
  { credibility, stance }: Pick<GatherParts, 'credibility' | 'stance'>,
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
  const groups = request.dedupe ? (await groupCopies(rated)).map(speakerFirst) : rated.map((one) => [one]);
  const shown = groups.flatMap(shownOf);
  const removed = rated.length - shown.length;
  const chosen = shown.slice(0, request.max_evidence_items);
  const snippets = chosen.map(([speaker]) => speaker?.passages[0]?.text ?? '');
  const stances = await stance(request.claim, snippets, signal).catch(() => []);
  const items = chosen.flatMap(([speaker, ...copies], index) =>
    speaker === undefined ? [] : [itemOf(speaker, copies, stances[index] ?? null)],
  );
  return { items, afterDedup: sources.length - removed };
}
