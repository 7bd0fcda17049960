import { type Kysely, sql } from 'kysely';
import type { LocalizedText } from '../../../foundation/localized-text.ts';
import { asSignedBytes, quantiseVector } from '../../../text/encoder/quantised-vectors.ts';
import type { TextEncoder } from './encode.ts';
import { countIndependentSources } from './independence.ts';
import { searchLexically } from './lexical.ts';
import type { EvidenceTables } from './tables.ts';
import type { VectorSearch } from './vector-search.ts';

/** A stored review of a claim. */
export interface IndexReview {
  /** The wording that is nearest to the query. */
  readonly claim: string;
  /** Every wording of it, in every language. */
  readonly wordings: readonly string[];
  /** Names the claim in its origin. */
  readonly claim_key: string;
  readonly rating: string | null;
  readonly rating_text: string | null;
  /** Of the document towards the reviewed claim. */
  readonly stance: string;
  readonly finding: LocalizedText | null;
  /** Whether two independent sources say what the rating says. */
  readonly decides: boolean;
}

/** A document of the index that bears on a text. */
export interface IndexHit {
  readonly document: {
    readonly id: number;
    readonly origin: string;
    readonly key: string;
    readonly url: string | null;
    readonly title: string;
    readonly publisher: string | null;
    readonly language: string;
    readonly published_at: string | null;
    /** The beginning, at most 20,000 characters. */
    readonly text: string;
    readonly text_hash: string;
    readonly whole: boolean;
    readonly imported_at: Date;
  };
  /** The passages that were found, the best first; none when its claim was found. */
  readonly passages: readonly string[];
  /** Cosine with the query, -1 to 1; null when it was found by words alone. */
  readonly similarity: number | null;
  readonly review: IndexReview | null;
}

/** What the search works with. */
export interface IndexSearchDependencies {
  readonly tables: Kysely<EvidenceTables>;
  readonly vectors: VectorSearch;
  readonly encoder: TextEncoder;
}

/** Passages of each way to search that are merged. */
const PASSAGES = 100;
/** Smooths reciprocal ranks; the value in common use (Cormack et al. 2009). */
const RANK_CONSTANT = 60;
/** A passage without a word in common has to be this near: of unrelated sentences one pair in twenty has 0.44. */
const LEAST_SIMILARITY = 0.44;
const PASSAGES_OF_DOCUMENT = 3;
/** Characters of a document that come with it: its passages come by themselves. */
const LONGEST_TEXT = 20_000;

interface PassageMatch {
  readonly id: number;
  readonly score: number;
  readonly similarity: number | null;
}

interface PassageOwner {
  readonly id: number;
  readonly document_id: number | null;
  readonly claim_id: number | null;
  readonly text: string;
}

async function nearPassages(
  { vectors, encoder }: IndexSearchDependencies,
  text: string,
  signal: AbortSignal,
) {
  const [vector] = (await encoder.encode([text], signal)) ?? [];
  if (vector === undefined || vector === null) return [];
  return vectors.nearest(asSignedBytes(quantiseVector(vector)), PASSAGES, signal);
}

/** Both ways to search, merged by reciprocal rank. */
async function findPassages(
  dependencies: IndexSearchDependencies,
  text: string,
  signal: AbortSignal,
): Promise<PassageMatch[]> {
  const [lexical, near] = await Promise.all([
    searchLexically(dependencies.tables, text, PASSAGES),
    nearPassages(dependencies, text, signal),
  ]);
  const similarities = new Map(near.map(({ id, similarity }) => [id, similarity]));
  const scores = new Map<number, number>();
  const add = (id: number, rank: number) =>
    scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank + 1));
  for (const [rank, { id }] of lexical.entries()) add(id, rank);
  const shared = new Set(lexical.map(({ id }) => id));
  for (const [rank, { id, similarity }] of near.entries())
    if (shared.has(id) || similarity >= LEAST_SIMILARITY) add(id, rank);
  return [...scores]
    .map(([id, score]) => ({ id, score, similarity: similarities.get(id) ?? null }))
    .sort((one, other) => other.score - one.score);
}

/** A claim with the documents that review it. */
async function claimsOf(tables: Kysely<EvidenceTables>, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return tables
    .selectFrom('evidence_review as r')
    .innerJoin('evidence_claim as c', 'c.id', 'r.claim_id')
    .innerJoin('evidence_document as d', 'd.id', 'r.document_id')
    .select([
      'c.id',
      'c.key',
      'c.rating',
      'c.rating_text',
      'c.finding',
      'r.stance',
      'r.document_id',
      'd.url',
      'd.publisher',
    ])
    .where(sql<boolean>`c.id = any(${ids})`)
    .orderBy('r.document_id')
    .execute();
}

type ReviewRow = Awaited<ReturnType<typeof claimsOf>>[number];

/** The wordings of claims. */
async function wordingsOf(tables: Kysely<EvidenceTables>, ids: readonly number[]) {
  const byClaim = new Map<number, string[]>();
  if (ids.length === 0) return byClaim;
  const rows = await tables
    .selectFrom('evidence_passage')
    .select(['claim_id', 'text'])
    .where(sql<boolean>`claim_id = any(${ids})`)
    .orderBy('id')
    .execute();
  for (const { claim_id: id, text } of rows)
    if (id !== null) byClaim.set(id, [...(byClaim.get(id) ?? []), text]);
  return byClaim;
}

/** Reviews with the wordings of what they review. */
interface Reviews {
  readonly rows: readonly ReviewRow[];
  readonly wordings: ReadonlyMap<number, readonly string[]>;
}

/** The stance that the sources of a rating must have; nothing follows from the others. */
const STANCE_OF_RATING: Readonly<Record<string, string>> = {
  false: 'refutes',
  misleading: 'refutes',
  true: 'supports',
};

/** Whether a claim is decided: at least two independent sources say what its rating says. */
export function isEvidenceDecided(
  rating: string | null,
  reviews: readonly {
    readonly stance: string;
    readonly url: string | null;
    readonly publisher: string | null;
  }[],
): boolean {
  const wanted = STANCE_OF_RATING[rating ?? ''];
  return (
    wanted !== undefined && countIndependentSources(reviews.filter(({ stance }) => stance === wanted)) >= 2
  );
}

/** The matches of one document, before the document is loaded. */
interface DocumentMatch {
  readonly document: number;
  readonly score: number;
  readonly similarity: number | null;
  readonly passages: string[];
  readonly review: IndexReview | null;
}

function reviewOf(row: ReviewRow, { rows, wordings }: Reviews, claim: string): IndexReview {
  const { id, key, rating, rating_text, stance, finding } = row;
  const reviews = rows.filter((other) => other.id === id);
  const reviewedClaim = { claim, wordings: wordings.get(id) ?? [], claim_key: key };
  return {
    ...reviewedClaim,
    rating,
    rating_text,
    stance,
    finding,
    decides: isEvidenceDecided(rating, reviews),
  };
}

/** Passages by document: those of its text, and the reviews that lead to it; the best first. */
function groupByDocument(
  matches: readonly PassageMatch[],
  owners: ReadonlyMap<number, PassageOwner>,
  reviews: Reviews,
): DocumentMatch[] {
  const groups = new Map<string, DocumentMatch>();
  const add = (key: string, fresh: DocumentMatch) => {
    const known = groups.get(key);
    if (known === undefined) groups.set(key, fresh);
    else if (known.passages.length > 0 && known.passages.length < PASSAGES_OF_DOCUMENT)
      known.passages.push(...fresh.passages);
  };
  for (const { id, score, similarity } of matches) {
    const owner = owners.get(id);
    if (owner?.document_id != null)
      add(`${owner.document_id}`, {
        document: owner.document_id,
        score,
        similarity,
        passages: [owner.text],
        review: null,
      });
    for (const row of reviews.rows.filter((review) => review.id === owner?.claim_id)) {
      const review = reviewOf(row, reviews, owner?.text ?? '');
      add(`${row.document_id} ${row.id}`, {
        document: row.document_id,
        score,
        similarity,
        passages: [],
        review,
      });
    }
  }
  // A document that a claim leads to says more than its own words alone.
  const reviewed = new Set(
    [...groups.values()].filter(({ review }) => review !== null).map(({ document }) => document),
  );
  return [...groups.values()].filter(({ document, review }) => review !== null || !reviewed.has(document));
}

/** Documents that bear on a text, the best first. */
export async function searchIndex(
  dependencies: IndexSearchDependencies,
  text: string,
  count: number,
  signal: AbortSignal,
): Promise<IndexHit[]> {
  const { tables } = dependencies;
  const matches = await findPassages(dependencies, text, signal);
  const ids = matches.map(({ id }) => id);
  if (ids.length === 0) return [];
  const owners = await tables
    .selectFrom('evidence_passage')
    .select(['id', 'document_id', 'claim_id', 'text'])
    .where(sql<boolean>`id = any(${ids})`)
    .execute();
  const claims = [...new Set(owners.flatMap(({ claim_id }) => claim_id ?? []))];
  const [rows, wordings] = await Promise.all([claimsOf(tables, claims), wordingsOf(tables, claims)]);
  const reviews = { rows, wordings };
  const groups = groupByDocument(matches, new Map(owners.map((owner) => [owner.id, owner])), reviews).slice(
    0,
    count,
  );
  const documents = await tables
    .selectFrom('evidence_document as d')
    .innerJoin('evidence_origin as o', 'o.id', 'd.origin_id')
    .select([
      'd.id',
      'o.name as origin',
      'd.key',
      'd.url',
      'd.title',
      'd.publisher',
      'd.language',
      'd.published_at',
    ])
    .select(['d.text_hash', 'd.whole', 'd.imported_at'])
    .select(sql<string>`left(d.text, ${LONGEST_TEXT})`.as('text'))
    .where(sql<boolean>`d.id = any(${groups.map(({ document }) => document)})`)
    .execute();
  const byId = new Map(documents.map((document) => [document.id, document]));
  return groups.flatMap(({ document: id, passages, similarity, review }) => {
    const document = byId.get(id);
    return document === undefined ? [] : [{ document, passages, similarity, review }];
  });
}
