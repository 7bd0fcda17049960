import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageFile } from '../../../src/foundation/files.ts';
import { analyzeRequest } from '../../../src/services/analysis/resources/analyze-request.ts';
import { span } from '../../../src/services/analysis/resources/finding.ts';
import { techniqueItem } from '../../../src/services/analysis/resources/techniques-result.ts';

const FOLDER = packageFile('src/services/analysis/resources');
const modules: Record<string, unknown>[] = await Promise.all(
  readdirSync(FOLDER).map((file) => import(join(FOLDER, file))),
);
const schemas = modules
  .flatMap((module) => Object.entries(module))
  .flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []));

/** Fields of each resource as the interface document lists them. */
const FIELDS: Record<string, readonly string[]> = {
  AnalyzeRequest:
    'media_type text media_url url user_id plan_type components skip_components user_flagged media_duration_sec'.split(
      ' ',
    ),
  AnalysisSession:
    'session_id user_id user_email input_type input_text input_url input_media_url input_hash status components_run components_skipped risk_score risk_category risk_level confidence confidence_level started_at completed_at created_at total_duration_ms scenario_applied topic_applied source_app api_version techniques ai_tampered claims domain verdict'.split(
      ' ',
    ),
  TechniquesResult:
    'manipulation_score total_severity dimensions_affected techniques_count techniques_detected diffuse_evidence coupling_context llm_screening llm_deep screening_duration_ms deep_analysis_duration_ms total_duration_ms fallbacks_screening fallbacks_deep'.split(
      ' ',
    ),
  AiTamperedResult:
    'ai_probability verdict risk_score categories_affected indicators_count disclosure_detected disclosure_explicit disclosure_text indicators_detected content_type image_analysis llm_screening llm_deep total_duration_ms'.split(
      ' ',
    ),
  ClaimsResult:
    'total_claims verified_true verified_false unverified opinions credibility_score interpretation claims_by_status claims_by_type claims_verified llm_extraction llm_verification web_searches_made total_duration_ms'.split(
      ' ',
    ),
  DomainResult:
    'domain trust_score verdict risk_level age_days is_blacklisted has_ssl ssl_valid red_flags warnings duration_ms'.split(
      ' ',
    ),
  VerdictResult:
    'risk_score risk_category risk_category_color risk_level risk_level_color severity recommended_action confidence confidence_level score_manipulation score_claims score_ai score_source score_context applied_weights override_applied override_type override_reason override_adjustment context_summary components_used weights_source duration_ms explanation_ro explanation_en virality_score virality_level virality_factors'.split(
      ' ',
    ),
  QueueStatus: 'session_id status progress completed_components total_components'.split(' '),
  ModerationQueueEntry:
    'queue_id session_id priority enqueue_reason enqueue_meta status assigned_to resolved_by assigned_at resolved_at created_at resolution_action time_in_queue_ms time_in_review_ms'.split(
      ' ',
    ),
  ModerationResolveRequest: 'action corrections notes'.split(' '),
  HealthCheck: 'status latency_ms error'.split(' '),
  DeepHealthResponse: 'status service version timestamp total_check_ms checks'.split(' '),
  ErrorResponse: 'success error error_code correlation_id'.split(' '),
};

describe('resources', () => {
  const byId = new Map(schemas.map(([, schema]) => [schema.meta()?.id, schema]));

  it.each(Object.entries(FIELDS))('%s has every documented field', (id, fields) => {
    const schema = byId.get(id);
    expect(schema).toBeInstanceOf(z.ZodObject);
    const shape = Object.keys((schema as z.ZodObject).shape);
    expect(fields.filter((field) => !shape.includes(field))).toEqual([]);
  });

  it.each(schemas)('%s can be written as JSON Schema', (_, schema) => {
    expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
  });

  it('accepts additional properties in a request and refuses wrong types', () => {
    const ok = analyzeRequest.safeParse({
      media_type: 'text',
      text: 'x',
      anything: { goes: true },
    });
    expect(ok.success).toBe(true);
    const wrong = [
      {},
      [],
      { media_type: 'pdf' },
      { media_type: 'text', text: 5 },
      { media_type: 'text', plan_type: 7 },
      { media_type: 'text', plan_type: 1.5 },
      { media_type: 'text', components: ['all'] },
      { media_type: 'text', components: 'claims' },
      { media_type: 'video', media_duration_sec: -1 },
      { media_type: 'text', user_flagged: 'yes' },
    ];
    for (const body of wrong)
      expect(analyzeRequest.safeParse(body).success, JSON.stringify(body)).toBe(false);
  });

  it('documents the text limits', () => {
    const schema = z.toJSONSchema(analyzeRequest.shape.text) as Record<string, unknown>;
    expect(schema).toMatchObject({ minLength: 20, maxLength: 50_000 });
  });

  it('refuses a finding without a quote and an unknown code', () => {
    expect(span.safeParse({ start: 0, end: 1, start_utf16: 0, end_utf16: 1, quote: '' }).success).toBe(false);
    expect(techniqueItem.shape.code.safeParse('not_a_code').success).toBe(false);
    expect(techniqueItem.shape.code.safeParse('doubt').success).toBe(true);
  });
});
