import { type Kysely, sql } from 'kysely';
import { termsOf } from '../../../text/terms.ts';
import type { EvidenceTables } from './tables.ts';

/** A passage with the weight of the words that it shares with the query. */
export interface LexicalHit {
  readonly id: number;
  /** BM25. */
  readonly score: number;
}

/** How much repetition counts, and how much length: the values in common use (Robertson and Zaragoza 2009). */
const BM25 = { k: 1.2, b: 0.75 };
/** Passages that are weighed. */
const MOST_CANDIDATES = 2000;
/** Terms of a question that are looked at: the rarest. */
const MOST_TERMS = 24;
/** Of terms that are all frequent, so many must stand together two by two. */
const PAIRED_TERMS = 4;

interface WeighedTerm {
  readonly term: string;
  readonly passages: number;
  readonly weight: number;
}

/** What has to stand in a passage for it to be weighed: one of the rarest terms, or two of the frequent ones. */
function conditionOf(terms: readonly WeighedTerm[]): string {
  const chosen: string[] = [];
  let expected = 0;
  for (const { term, passages } of terms) {
    expected += passages;
    if (expected > MOST_CANDIDATES) break;
    chosen.push(`'${term}'`);
  }
  if (chosen.length > 0) return chosen.join(' | ');
  const frequent = terms.slice(0, PAIRED_TERMS).map(({ term }) => `'${term}'`);
  if (frequent.length === 1) return frequent[0] ?? '';
  const pairs = frequent.flatMap((one, index) =>
    frequent.slice(index + 1).map((other) => `(${one} & ${other})`),
  );
  return pairs.join(' | ');
}

/** Weights by how rare the terms are, the rarest first; terms that stand nowhere are left out. */
async function weigh(
  tables: Kysely<EvidenceTables>,
  terms: readonly string[],
  total: number,
): Promise<WeighedTerm[]> {
  const rows = await tables.selectFrom('evidence_term').selectAll().where('term', 'in', terms).execute();
  return rows
    .map(({ term, passages }) => ({
      term,
      passages,
      weight: Math.log(1 + (total - passages + 0.5) / (passages + 0.5)),
    }))
    .sort((one, other) => one.passages - other.passages)
    .slice(0, MOST_TERMS);
}

/** Passages that share words with a text, the best first, weighed by BM25. */
export async function searchLexically(
  tables: Kysely<EvidenceTables>,
  text: string,
  count: number,
): Promise<LexicalHit[]> {
  const queryTerms = [...new Set(termsOf(text))];
  if (queryTerms.length === 0) return [];
  const state = await tables.selectFrom('evidence_state').selectAll().executeTakeFirstOrThrow();
  if (state.passages === 0) return [];
  const terms = await weigh(tables, queryTerms, state.passages);
  if (terms.length === 0) return [];
  const base = BM25.k * (1 - BM25.b);
  const slope = (BM25.k * BM25.b * state.passages) / Math.max(1, state.words);
  const { rows } = await sql<LexicalHit>`
    with asked (term, weight) as (
      select * from unnest(${terms.map(({ term }) => term)}::text[], ${terms.map(({ weight }) => weight)}::float8[])
    ), candidate as materialized (
      select id, terms, words from evidence_passage where terms @@ ${conditionOf(terms)}::tsquery limit ${MOST_CANDIDATES}
    )
    select c.id, sum(a.weight * cardinality(u.positions) * ${BM25.k + 1}::float8
      / (cardinality(u.positions) + ${base}::float8 + ${slope}::float8 * c.words))::float8 as score
    from candidate c cross join lateral unnest(c.terms) u join asked a on a.term = u.lexeme
    group by c.id order by score desc, c.id limit ${count}`.execute(tables);
  return rows;
}
