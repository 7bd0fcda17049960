import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { roundTo } from '../../foundation/numbers.ts';
import type { ProviderStats, StatsQuery } from './contract.ts';

/** A period, and the length of its pieces. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
  readonly by: StatsQuery['by'];
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

type Usage = ProviderStats['items'][number];

/** Steps from one duration to its double, as the text-model gateway counts them (`llm/usage/latencies.ts`). */
const STEPS_PER_DOUBLING = 8;
/** Percentiles that are reported. */
const SHARES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

interface UsageRow {
  at: Date | null;
  provider: string;
  model: string;
  requests: string;
  errors: string;
  aborted: string;
  cached: string;
  unknown: string;
  prompt_tokens: string;
  completion_tokens: string;
  cost: number;
  unpriced: string;
  first_event_ms: number | null;
  answered: string | null;
  mean_ms: number | null;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
}

/** The middle of a step, in milliseconds. */
const durationOf = (step: number) => roundTo(2 ** ((Number(step) + 0.5) / STEPS_PER_DOUBLING), 1);

function latencyOf(row: UsageRow): Usage['latency_ms'] {
  const { p50, p90, p95, p99, mean_ms: mean } = row;
  if (p50 === null || p90 === null || p95 === null || p99 === null || mean === null) return null;
  const percentiles = {
    p50: durationOf(p50),
    p90: durationOf(p90),
    p95: durationOf(p95),
    p99: durationOf(p99),
  };
  return { mean: roundTo(Number(mean), 1), ...percentiles };
}

function usageOf(row: UsageRow): Usage {
  const [prompt, completion] = [Number(row.prompt_tokens), Number(row.completion_tokens)];
  return {
    provider: row.provider,
    model: row.model,
    requests: Number(row.requests),
    errors: Number(row.errors),
    aborted: Number(row.aborted),
    cached: Number(row.cached),
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    unknown_tokens: Number(row.unknown),
    cost: roundTo(Number(row.cost), 6),
    unpriced: Number(row.unpriced),
    latency_ms: latencyOf(row),
    first_event_ms: row.first_event_ms === null ? null : roundTo(Number(row.first_event_ms), 1),
  };
}

/** The least step that so large a share of the answers does not exceed. */
const percentile = (share: number) => sql`min(step) filter (where upto >= ${share}::float8 * answered)`;

/** Sums and percentiles by provider and model, and by `at`. */
async function usageBy(
  queries: Kysely<unknown>,
  { from, to, provider, model }: Period,
  at: RawBuilder<unknown>,
): Promise<UsageRow[]> {
  const within = sql`minute >= ${from} and minute < ${to}
    and (${provider ?? null}::text is null or backend = ${provider ?? null})
    and (${model ?? null}::text is null or model = ${model ?? null})`;
  const { rows } = await sql<UsageRow>`
    with counted as (
      select ${at} as at, backend, model, step, sum(requests) as requests
      from llm_usage_latency where ${within} group by 1, 2, 3, 4
    ), ranked as (
      select at, backend, model, step, requests,
        sum(requests) over (partition by at, backend, model order by step) as upto,
        sum(requests) over (partition by at, backend, model) as answered
      from counted
    ), latency as (
      select at, backend, model, max(answered) as answered,
        sum(requests * power(2, (step + 0.5) / ${STEPS_PER_DOUBLING}::float8)) / max(answered) as mean_ms,
        ${percentile(SHARES.p50)} as p50, ${percentile(SHARES.p90)} as p90,
        ${percentile(SHARES.p95)} as p95, ${percentile(SHARES.p99)} as p99
      from ranked group by 1, 2, 3
    ), used as (
      select ${at} as at, backend, model, sum(requests) as requests, sum(errors) as errors, sum(aborted) as aborted,
        sum(cached) as cached, sum(unknown) as unknown, sum(prompt_tokens) as prompt_tokens,
        sum(completion_tokens) as completion_tokens, sum(cost) as cost, sum(unpriced) as unpriced,
        sum(first_event_ms) / nullif(sum(first_events), 0) as first_event_ms
      from llm_usage where ${within} group by 1, 2, 3
    )
    select used.*, used.backend as provider, latency.answered, latency.mean_ms,
      latency.p50, latency.p90, latency.p95, latency.p99
    from used left join latency
      on latency.backend = used.backend and latency.model = used.model and latency.at is not distinct from used.at
    order by used.at, used.requests desc, used.backend, used.model`.execute(queries);
  return rows;
}

/** The first record of all; null when nothing was recorded here, or no text-model gateway ever had this database. */
async function recordedSince(queries: Kysely<unknown>): Promise<Date | null> {
  const { rows: tables } = await sql<{ latency: string | null }>`
    select to_regclass('llm_usage_latency')::text as latency`.execute(queries);
  if (tables[0]?.latency == null) return null;
  const { rows } = await sql<{ first: Date | null }>`select min(minute) as first from llm_usage`.execute(
    queries,
  );
  return rows[0]?.first ?? null;
}

/** What was used of text models in a period, by provider and model, whole and in pieces. */
export async function providerStats(
  database: Pick<Database, 'kysely'>,
  period: Period,
): Promise<Pick<ProviderStats, 'recorded_since' | 'items' | 'series'>> {
  const queries = database.kysely<unknown>();
  const since = await recordedSince(queries);
  if (since === null) return { recorded_since: null, items: [], series: [] };
  const items = await usageBy(queries, period, sql`null::timestamptz`);
  const series = await usageBy(queries, period, sql`date_trunc(${sql.lit(period.by)}, minute)`);
  return {
    recorded_since: since.toISOString(),
    items: items.map(usageOf),
    series: series.flatMap((row) => (row.at === null ? [] : [{ at: row.at.toISOString(), ...usageOf(row) }])),
  };
}
