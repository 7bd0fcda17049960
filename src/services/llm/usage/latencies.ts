import { sql, type Transaction } from 'kysely';
import type { LatencyTable, LlmTables } from './tables.ts';

/** Steps from one duration to its double. */
const STEPS_PER_DOUBLING = 8;
/** Steps kept while the database is away; what comes beyond them is not counted. */
const MOST_ROWS = 20_000;
/** Rows of one statement. */
const ROWS_PER_STATEMENT = 500;

/** The step of a duration in milliseconds; a shorter one than a millisecond counts as one. */
export function stepOf(durationMs: number): number {
  return Math.floor(Math.log2(Math.max(1, durationMs)) * STEPS_PER_DOUBLING);
}

/** Counts how long answers took, by minute, backend and model. */
export class Latencies {
  private rows = new Map<string, LatencyTable>();

  add(minute: Date, backend: string, model: string, durationMs: number): void {
    const step = stepOf(durationMs);
    const key = `${minute.getTime()} ${step} ${backend} ${model}`;
    const row = this.rows.get(key);
    if (row !== undefined) row.requests += 1;
    else if (this.rows.size < MOST_ROWS) this.rows.set(key, { minute, backend, model, step, requests: 1 });
  }

  /** What was counted; counting begins anew. */
  take(): LatencyTable[] {
    const rows = [...this.rows.values()];
    this.rows = new Map();
    return rows;
  }
}

/** Adds counts to those that are stored. */
export async function writeLatencies(
  transaction: Transaction<LlmTables>,
  rows: readonly LatencyTable[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await transaction
      .insertInto('llm_usage_latency')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['minute', 'backend', 'model', 'step'])
          .doUpdateSet({ requests: sql`llm_usage_latency.requests + excluded.requests` }),
      )
      .execute();
  }
}
