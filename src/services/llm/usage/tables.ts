import type { Generated } from 'kysely';
import type { RetentionRule } from '../../../foundation/database/retention.ts';

/** No process waits longer than this with a batch that it may have written. */
const DAYS_OF_WRITERS = 30;

/** One minute of one caller, backend, model and operation: sums. */
export interface UsageTable {
  minute: Date;
  caller: string;
  backend: string;
  model: string;
  operation: string;
  requests: number;
  errors: number;
  aborted: number;
  /** Requests whose tokens were counted from events, and those of which nothing is known. */
  counted: number;
  unknown: number;
  /** Requests that were answered from memory. */
  cached: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** In the currency of the price table; `unpriced` requests are not in it. */
  cost: number;
  unpriced: number;
  duration_ms: number;
  first_events: number;
  first_event_ms: number;
}

/** How many answers of one minute, backend and model took about so long. */
export interface LatencyTable {
  minute: Date;
  backend: string;
  model: string;
  /** Durations from 2^(step/8) milliseconds, and below 2^((step+1)/8): each is known to a twentieth. */
  step: number;
  requests: number;
}

/** The last batch that each process wrote, so that a batch whose answer was lost is not added twice. */
export interface WriterTable {
  writer: string;
  last_batch: number;
  written_at: Generated<Date>;
}

/** The tables of the gateway. */
export interface LlmTables {
  llm_usage: UsageTable;
  llm_usage_latency: LatencyTable;
  llm_usage_writer: WriterTable;
}

/** The rows of usage that are kept for so many days; what a process wrote last matters only while it may write that again. */
export const usageRows = (days: number): RetentionRule[] => [
  { table: 'llm_usage', at: 'minute', days },
  { table: 'llm_usage_latency', at: 'minute', days },
  { table: 'llm_usage_writer', at: 'written_at', days: DAYS_OF_WRITERS },
];

/** The migrations of the owner `llm`. */
export const migrations: Record<string, string> = {
  '0001_usage': `
    create table llm_usage (
      minute timestamptz not null,
      caller text not null,
      backend text not null,
      model text not null,
      operation text not null,
      requests bigint not null,
      errors bigint not null,
      aborted bigint not null,
      counted bigint not null,
      unknown bigint not null,
      prompt_tokens bigint not null,
      completion_tokens bigint not null,
      cost double precision not null,
      unpriced bigint not null,
      duration_ms double precision not null,
      first_events bigint not null,
      first_event_ms double precision not null,
      primary key (minute, caller, backend, model, operation)
    );
    create table llm_usage_writer (
      writer uuid primary key,
      last_batch bigint not null,
      written_at timestamptz not null default now()
    );
  `,
  '0002_cached': 'alter table llm_usage add column cached bigint not null default 0',
  '0003_latency': `
    create table llm_usage_latency (
      minute timestamptz not null,
      backend text not null,
      model text not null,
      step int not null,
      requests bigint not null,
      primary key (minute, backend, model, step)
    );
  `,
  '0004_writer_at': 'create index llm_usage_writer_at on llm_usage_writer (written_at)',
};
