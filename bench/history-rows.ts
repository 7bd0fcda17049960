import pg from 'pg';
import { makePlan } from '../src/services/analysis/pipeline/plan.ts';
import { shippedVerdictRules } from '../src/services/analysis/resources/verdict-rules.ts';
import { submissionFor } from './instant-analysis.ts';

const INSERTION = `
  insert into analysis_session (session_id, user_id, account, input_type, input_text, input_hash, source_app, plan_type,
    user_flagged, status, submission, plan, config_version, created_at, completed_at, risk_score, risk_category, risk_level,
    confidence, confidence_level, summary, total_duration_ms)
  select gen_random_uuid(), 'heavy', $1, 'text', repeat('Text number ' || n || ' of a reader. ', 20), 'hash', 'api', 1,
    false, 'completed', '{}', $2::jsonb, 0, now() - n * interval '30 seconds', now() - n * interval '30 seconds', n % 100,
    'low_risk', 'low', 0.8, 'high', $3::jsonb, 1200
  from generate_series(1, $4::integer) n`;

/** Fills the history of one user with completed sessions of texts, one each half minute, and has the planner look at them. */
export async function fillHistory(url: string, account: string, count: number): Promise<void> {
  const plan = JSON.stringify(makePlan(submissionFor(account), shippedVerdictRules));
  const summary = { components_run: ['techniques'], components_skipped: [], skipped: [], degraded: [] };
  // A connection of its own: that of the service gives up on statements that take long.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(INSERTION, [account, plan, JSON.stringify(summary), count]);
  await client.query('vacuum analyze analysis_session');
  await client.end();
}
