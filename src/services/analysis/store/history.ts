import { type OrderByItemBuilder, type Selectable, sql } from 'kysely';
import type { Input } from '../../../foundation/contract.ts';
import type { analysis } from '../contract.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { ListedSession } from '../session/record.ts';
import { SESSION_COLUMNS, type SessionRow, toStoredSession } from './rows.ts';
import type { Queries, SessionTable } from './tables.ts';

/** What history may be asked for. */
export type HistoryQuery = Input<typeof analysis, 'history'>['query'];

/** What a list needs beside the session itself. */
const LIST_COLUMNS = [
  'risk_score',
  'risk_category',
  'risk_level',
  'confidence',
  'confidence_level',
  'topic',
  'summary',
] as const;

/** Lists carry the beginning of a text, in characters: enough to know it again. */
const SHOWN_TEXT = 400;

type ListRow = SessionRow & Pick<Selectable<SessionTable>, (typeof LIST_COLUMNS)[number]>;

function toListed(row: ListRow): ListedSession {
  const findings = {
    componentsRun: (row.summary?.components_run ?? []) as ComponentName[],
    componentsSkipped: (row.summary?.components_skipped ?? []) as ComponentName[],
    skipped: row.summary?.skipped ?? row.plan.skipped,
    degraded: row.summary?.degraded ?? [],
    topic: row.topic,
  };
  return { session: toStoredSession(row), findings, verdict: row.risk_category === null ? null : row };
}

/** A pattern for `ilike` that finds the words as they stand. */
function containing(words: string): string {
  return `%${words.replace(/[\\%_]/g, '\\$&')}%`;
}

function matching(queries: Queries, account: string, query: HistoryQuery) {
  let rows = queries
    .selectFrom('analysis_session')
    .where('account', '=', account)
    .where('deleted_at', 'is', null);
  if (query.status !== undefined) rows = rows.where('status', '=', query.status);
  if (query.input_type !== undefined) rows = rows.where('input_type', '=', query.input_type);
  if (query.risk_level !== undefined) rows = rows.where('risk_level', '=', query.risk_level);
  if (query.from !== undefined) rows = rows.where('created_at', '>=', new Date(query.from));
  if (query.to !== undefined) rows = rows.where('created_at', '<=', endOf(query.to));
  if (query.q !== undefined) {
    const pattern = containing(query.q);
    rows = rows.where((where) =>
      where.or([
        where('input_text', 'ilike', pattern),
        where('input_title', 'ilike', pattern),
        where('input_url', 'ilike', pattern),
      ]),
    );
  }
  return rows;
}

/** A day without a time means up to its end. */
function endOf(moment: string): Date {
  const end = new Date(moment);
  if (/^\d{4}-\d{2}-\d{2}$/.test(moment)) end.setUTCHours(23, 59, 59, 999);
  return end;
}

/** One page of a user's sessions, and how many there are on all pages. */
export async function readHistory(
  queries: Queries,
  account: string,
  query: HistoryQuery,
): Promise<{ items: ListedSession[]; total: number }> {
  const rows = matching(queries, account, query);
  const counted = await rows.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const descending = query.sort.startsWith('-');
  const column = query.sort.replace('-', '') as 'created_at' | 'risk_score';
  const ordered = (order: OrderByItemBuilder) => {
    const directed = descending ? order.desc() : order.asc();
    // Every session has a day: the index is in that order, and has no word on nulls.
    return column === 'created_at' ? directed : directed.nullsLast();
  };
  // First the ids, which the index has: the rows of the pages before are not read.
  const page = rows
    .select('session_id as listed_id')
    .orderBy(column, ordered)
    .orderBy('session_id')
    .limit(query.limit)
    .offset((query.page - 1) * query.limit);
  const items = await queries
    .selectFrom('analysis_session')
    .innerJoin(page.as('page'), 'page.listed_id', 'analysis_session.session_id')
    .select([...SESSION_COLUMNS.filter((name) => name !== 'input_text'), ...LIST_COLUMNS])
    .select(sql<string | null>`left(input_text, ${sql.lit(SHOWN_TEXT)})`.as('input_text'))
    .orderBy(column, ordered)
    .orderBy('session_id')
    .execute();
  return { items: items.map(toListed), total: Number(counted.total) };
}
