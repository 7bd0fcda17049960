import { explainVerdict } from '../../../../src/services/analysis/pipeline/explain/explain.ts';
import { computeVerdict } from '../../../../src/services/analysis/pipeline/verdict/judge.ts';
import { degradationFields, reasonFields } from '../../../../src/services/analysis/reasons.ts';
import type { ReportSource } from '../../../../src/services/analysis/report/view.ts';
import {
  type AnalysisSession,
  analysisSession,
} from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { Span } from '../../../../src/services/analysis/resources/finding.ts';
import type { TechniqueItem } from '../../../../src/services/analysis/resources/techniques-result.ts';
import { profileOf, shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { Positions } from '../../../../src/text/positions.ts';
import {
  aiBlock,
  claim,
  claimsBlock,
  domainBlock,
  evidence,
  indicator,
  ran,
  techniquesBlock,
} from '../pipeline/blocks.ts';

/** The text of the sample: an emoji before the findings, so that code points and UTF-16 units differ. */
export const TEXT =
  '😀 URGENT: barajul a cedat!\n\nBarajul a provocat inundația. Trădătorii ascund totul & <b>tac</b>. Distribuiți acum!';

const positions = new Positions(TEXT);

/** The span of a quote in the sample. */
export function spanOf(quote: string): Span {
  const start = TEXT.indexOf(quote);
  if (start < 0) throw new Error(`the sample does not say ${quote}`);
  return positions.span(start, start + quote.length);
}

const engine = { model: 'limpede-test-1', version: '1', duration_ms: 1 };

/** A technique with these quotes of the sample. */
export function technique(name: string, quotes: readonly string[], confidence = 0.9): TechniqueItem {
  return {
    code: 'name_calling_labeling',
    name_en: name,
    name_ro: `${name} (ro)`,
    dimension: 'attack_on_reputation',
    severity: 3,
    confidence,
    spans: quotes.map(spanOf),
    explanation_en: 'A label stands in for an argument.',
    explanation_ro: 'O etichetă ține loc de argument.',
    stage: 'screening',
    engine,
  };
}

const outcomes = {
  techniques: ran(
    techniquesBlock(72, {
      techniques_count: 2,
      techniques_detected: [
        technique('Appeal to time', ['URGENT', 'Distribuiți acum'], 0.7),
        technique('Name calling', ['Trădătorii']),
      ],
    }),
  ),
  ai_tampered: ran(
    aiBlock(null, {
      reason_code: 'ai_text_too_short',
      reason: 'Under 100 words, style tells nothing about who wrote a text.',
      reason_ro: 'Sub 100 de cuvinte, stilul nu spune nimic despre cine a scris textul.',
      indicators_detected: [
        indicator('text_generation_residue', 'moderate', {
          where: spanOf('ascund totul'),
          cautions: [{ en: 'It can be copied.', ro: 'Poate fi copiată.' }],
        }),
      ],
    }),
  ),
  claims: ran(
    claimsBlock(
      10,
      [
        claim('verified_false', 0, {
          id: 'claim-1',
          text: 'Barajul a provocat inundația.',
          span: spanOf('Barajul a provocat inundația.'),
          evidence: [
            {
              ...evidence('apa.example', 'refutes'),
              title: 'Raport',
              publisher: 'Apele',
              quote: 'Barajul a rezistat.',
            },
            {
              ...evidence('stiri.example', 'refutes'),
              url: 'javascript:alert(1)',
              title: '<script>alert(1)</script>',
            },
          ],
          previous_fact_checks: [
            {
              publisher: 'Verificatorii',
              url: 'https://verificat.example/baraj',
              claim: 'Barajul a provocat inundația',
              rating: 'Fals',
              similarity: 0.98,
              match: 'confirmed',
            },
          ],
          queries: ['baraj inundație cauză'],
        }),
        claim('unverified', 0, {
          id: 'claim-2',
          text: 'barajul a cedat!',
          span: spanOf('barajul a cedat!'),
          confidence: null,
        }),
      ],
      { web_searches_made: 1 },
    ),
  ),
  domain: ran(
    domainBlock(22, {
      domain: 'știri.example',
      verdict: 'suspicious',
      age_days: 12,
      red_flags: ['very_young_domain'],
      warnings: ['a_new_warning'],
      lists: [{ list: 'Lista A', label: 'dezinformare', harmful: true, updated_at: '2026-05-01' }],
      checks: [
        {
          check: 'registration',
          answered: false,
          reason: 'check_timeout',
          message: 'No answer came in time.',
          message_ro: 'Nu a venit niciun răspuns la timp.',
        },
      ],
    }),
  ),
};

const context = {
  score: 44,
  quality: 1,
  genre: { code: 'social_post', confidence: 0.8, labelled: false },
  article: null,
  summary: {
    rules: [
      {
        rule: 'share_call',
        value: 1,
        points: 24,
        spans: [spanOf('Distribuiți acum')],
        text_en: 'The text asks to be passed on.',
        text_ro: 'Textul cere să fie dat mai departe.',
      },
      { rule: 'shouting', value: 0, points: 0, spans: [], text_en: 'It shouts.', text_ro: 'Strigă.' },
    ],
    genre: { code: 'social_post', confidence: 0.8, labelled: false },
    narratives: [
      {
        code: 'n',
        name_en: 'They hide it',
        name_ro: 'Ni se ascunde',
        stance: 'asserts',
        confidence: 0.7,
        spans: [],
      },
    ],
    scam: null,
    explained_by: { model: 'limpede-explain-1', prompt: null },
  },
};

/** A complete session of a page, judged by the real arithmetic. */
export function sampleSession(over: Partial<AnalysisSession> = {}): AnalysisSession {
  const rules = shippedVerdictRules;
  const facts = { text_length: 400, language: 'ro' };
  const {
    contradictory: _,
    agreement: __,
    ...judgement
  } = computeVerdict(outcomes, context, { rules, profile: profileOf(rules, 'url') }, facts);
  return analysisSession.parse({
    recording: null,
    session_id: '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e',
    user_id: 'ana',
    user_email: null,
    input_type: 'url',
    input_text: TEXT,
    input_title: 'URGENT: barajul a cedat!',
    input_url: 'https://stiri.example/baraj?a=1&b=2',
    input_media_url: null,
    input_hash: 'ab'.repeat(32),
    input_language: 'ro',
    status: 'completed',
    error_code: null,
    plan_type: 1,
    components_run: ['techniques', 'ai_tampered', 'claims', 'domain'],
    components_skipped: [],
    skipped: [],
    degraded: [degradationFields({ dependency: 'web', reason: 'timeout', effect: 'part_missing' })],
    risk_score: judgement.risk_score,
    risk_category: judgement.risk_category,
    risk_level: judgement.risk_level,
    confidence: judgement.confidence,
    confidence_level: judgement.confidence_level,
    started_at: '2026-01-01T10:00:00.000Z',
    completed_at: '2026-01-01T10:00:02.000Z',
    created_at: '2026-01-01T10:00:00.000Z',
    total_duration_ms: 2000,
    scenario_applied: 'default_url',
    topic_applied: 'disaster_emergency',
    source_app: 'api',
    api_version: 'v3',
    config_version: 1,
    revision: 1,
    techniques: outcomes.techniques.block,
    ai_tampered: outcomes.ai_tampered.block,
    claims: outcomes.claims.block,
    domain: outcomes.domain.block,
    verdict: {
      ...judgement,
      ...explainVerdict({ rules, judgement, outcomes }),
      virality_score: 61,
      virality_level: 'high',
      virality_factors: [
        {
          code: 'share_call',
          name_en: 'Call to share',
          name_ro: 'Îndemn la distribuire',
          value: 1,
          weight: 0.14,
          contribution: 15.6,
          spans: [],
        },
      ],
      duration_ms: 3,
    },
    ...over,
  });
}

/** A session in which nothing could be found. */
export function emptySession(over: Partial<AnalysisSession> = {}): AnalysisSession {
  return sampleSession({
    status: 'failed',
    error_code: 'internal_error',
    input_title: null,
    input_text: null,
    input_language: null,
    components_run: [],
    components_skipped: ['techniques'],
    skipped: [{ component: 'techniques', ...reasonFields({ code: 'web_service_off', values: {} }) }],
    degraded: [],
    risk_score: null,
    risk_category: null,
    risk_level: null,
    confidence: null,
    confidence_level: null,
    completed_at: null,
    total_duration_ms: null,
    topic_applied: null,
    techniques: null,
    ai_tampered: null,
    claims: null,
    domain: null,
    verdict: null,
    ...over,
  });
}

/** What a report of a session is made from. */
export function sourceOf(session: AnalysisSession): ReportSource {
  return {
    session,
    rules: shippedVerdictRules,
    madeAt: new Date('2026-02-03T04:05:06Z'),
    version: '9.9.9',
  };
}
