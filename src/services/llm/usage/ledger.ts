import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { removeOldRowsHourly } from '../../../foundation/database/retention.ts';
import type { Logger } from '../../../foundation/log.ts';
import { Latencies, writeLatencies } from './latencies.ts';
import { type LatencyTable, type LlmTables, migrations, type UsageTable, usageRows } from './tables.ts';
import type { UsageEntry, UsageLedger } from './usage-entry.ts';

const MINUTE_MS = 60_000;
/** Sums kept while the database is away; further callers and models are summed as `other`. */
const MOST_ROWS = 10_000;
/** Rows of one statement: their parameters stay far below the limit of the protocol. */
const ROWS_PER_STATEMENT = 500;
/** Model names come from callers: longer ones are cut. */
const LONGEST_NAME = 200;
const OTHER = 'other';

/** Sums that one transaction adds; `number` is unique in this process. */
interface Batch {
  readonly number: number;
  readonly rows: readonly UsageTable[];
  readonly latencies: readonly LatencyTable[];
}

/**
 * Sums usage in memory and adds it to the database beside the requests. A request costs a few additions; what waits is bounded
 * by the number of callers and models, however long the database is away, and a batch is added exactly once.
 */
export class DatabaseLedger implements UsageLedger {
  private readonly open: () => Promise<Database>;
  private readonly log: Logger;
  private readonly writer = randomUUID();
  private readonly timer: NodeJS.Timeout;
  private rows = new Map<string, UsageTable>();
  private readonly latencies = new Latencies();
  private last: UsageTable | undefined;
  private lastMinute = 0;
  private batch: Batch | undefined;
  private batches = 0;
  private writing: Promise<void> | undefined;
  private database: Promise<Database> | undefined;
  private complained = false;
  private readonly days: () => number;
  private stopRemoving: (() => Promise<void>) | undefined;

  /** `open` is asked for the database when there is something to write, not before; usage is kept for so many days. */
  constructor(open: () => Promise<Database>, log: Logger, flushMs: number, days: () => number = () => 0) {
    this.days = days;
    this.open = open;
    this.log = log;
    this.timer = setInterval(() => void this.flush(), flushMs);
    this.timer.unref();
  }

  record(entry: UsageEntry): void {
    const row = this.rowOf(entry);
    row.requests += 1;
    if (entry.outcome === 'error') row.errors += 1;
    else if (entry.outcome === 'aborted') row.aborted += 1;
    if (entry.source === 'counted') row.counted += 1;
    else if (entry.source === 'unknown') row.unknown += 1;
    else if (entry.source === 'cached') row.cached += 1;
    row.prompt_tokens += entry.tokens.promptTokens ?? 0;
    row.completion_tokens += entry.tokens.completionTokens ?? 0;
    if (entry.cost === null) row.unpriced += 1;
    else row.cost += entry.cost;
    row.duration_ms += entry.durationMs;
    // What was answered from memory, given up or failed says nothing about how quick a backend is.
    if (entry.outcome === 'ok' && entry.source !== 'cached')
      this.latencies.add(row.minute, row.backend, row.model, entry.durationMs);
    if (entry.firstEventMs === null) return;
    row.first_events += 1;
    row.first_event_ms += entry.firstEventMs;
  }

  /** Writes what waits; ends when it is written or the database refused. */
  async flush(): Promise<void> {
    if (this.writing !== undefined) return this.writing;
    this.writing = this.writeAll().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.stopRemoving?.();
    await this.flush();
    // Records that came while the last batch was under way.
    await this.flush();
    const left = this.rows.size + (this.batch?.rows.length ?? 0);
    if (left > 0) this.log.error({ rows: left }, 'usage could not be written before the end');
  }

  private rowOf(entry: UsageEntry): UsageTable {
    const { caller, backend, operation } = entry;
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const { last } = this;
    // Most requests continue the sum of the one before.
    if (
      last !== undefined &&
      minute === this.lastMinute &&
      last.model === entry.model &&
      last.caller === caller &&
      last.backend === backend &&
      last.operation === operation
    ) {
      return last;
    }
    // PostgreSQL refuses NUL in texts, and a refused row would hold up all others.
    const model = entry.model.slice(0, LONGEST_NAME).replaceAll('\0', '\ufffd');
    const row = this.findRow(minute, caller, backend, model, operation);
    this.last = row;
    this.lastMinute = minute;
    return row;
  }

  private findRow(
    minute: number,
    caller: string,
    backend: string,
    model: string,
    operation: string,
  ): UsageTable {
    const key = `${minute} ${backend} ${operation} ${caller} ${model}`;
    const known = this.rows.get(key);
    if (known !== undefined) return known;
    const full = this.rows.size >= MOST_ROWS && caller !== OTHER;
    if (full) return this.findRow(minute, OTHER, backend, OTHER, operation);
    const row = emptyRow(new Date(minute * MINUTE_MS), caller, backend, model, operation);
    this.rows.set(key, row);
    return row;
  }

  private async writeAll(): Promise<void> {
    this.batch ??= this.cutBatch();
    if (this.batch === undefined) return;
    try {
      this.database ??= this.openMigrated();
      const database = await this.database;
      await writeBatch(database.kysely<LlmTables>(), this.writer, this.batch);
      this.batch = undefined;
      this.complained = false;
    } catch (error) {
      // The batch stays as it is and is tried again: it may have been written although the answer was lost.
      if (!this.complained) this.log.warn({ err: error }, 'usage cannot be written now; it waits in memory');
      this.complained = true;
    }
  }

  private cutBatch(): Batch | undefined {
    if (this.rows.size === 0) return undefined;
    const rows = [...this.rows.values()];
    this.rows = new Map();
    this.last = undefined;
    this.batches += 1;
    return { number: this.batches, rows, latencies: this.latencies.take() };
  }

  private async openMigrated(): Promise<Database> {
    try {
      const database = await this.open();
      await database.migrate('llm', migrations);
      this.stopRemoving ??= removeOldRowsHourly(database.kysely(), () => usageRows(this.days()), this.log);
      return database;
    } catch (error) {
      this.database = undefined;
      throw error;
    }
  }
}

function emptyRow(
  minute: Date,
  caller: string,
  backend: string,
  model: string,
  operation: string,
): UsageTable {
  return {
    minute,
    caller,
    backend,
    model,
    operation,
    requests: 0,
    errors: 0,
    aborted: 0,
    counted: 0,
    unknown: 0,
    cached: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cost: 0,
    unpriced: 0,
    duration_ms: 0,
    first_events: 0,
    first_event_ms: 0,
  };
}

const SUMS = [
  'requests',
  'errors',
  'aborted',
  'counted',
  'unknown',
  'cached',
  'prompt_tokens',
  'completion_tokens',
  'cost',
  'unpriced',
  'duration_ms',
  'first_events',
  'first_event_ms',
] as const;

/** Adds a batch in one transaction; one that was already added changes nothing. */
async function writeBatch(database: Kysely<LlmTables>, writer: string, batch: Batch): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const fresh = await transaction
      .insertInto('llm_usage_writer')
      .values({ writer, last_batch: batch.number })
      .onConflict((conflict) =>
        conflict
          .column('writer')
          .doUpdateSet({ last_batch: batch.number, written_at: sql`now()` })
          .where('llm_usage_writer.last_batch', '<', batch.number),
      )
      .returning('writer')
      .execute();
    if (fresh.length === 0) return;
    for (let at = 0; at < batch.rows.length; at += ROWS_PER_STATEMENT) {
      await transaction
        .insertInto('llm_usage')
        .values(batch.rows.slice(at, at + ROWS_PER_STATEMENT))
        .onConflict((conflict) =>
          conflict
            .columns(['minute', 'caller', 'backend', 'model', 'operation'])
            .doUpdateSet(() =>
              Object.fromEntries(
                SUMS.map((name) => [name, sql`llm_usage.${sql.ref(name)} + excluded.${sql.ref(name)}`]),
              ),
            ),
        )
        .execute();
    }
    await writeLatencies(transaction, batch.latencies);
  });
}
