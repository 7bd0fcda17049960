import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReportStyle, report, shortenQuote, wrap } from '../../src/cli/session-report.ts';
import { degradationFields, reasonFields } from '../../src/services/analysis/reasons.ts';
import type { AnalysisSession } from '../../src/services/analysis/resources/analysis-session.ts';
import type { VerdictResult } from '../../src/services/analysis/resources/verdict-result.ts';
import {
  aiBlock,
  claim,
  claimsBlock,
  domainBlock,
  techniquesBlock,
} from '../services/analysis/pipeline/blocks.ts';

const ID = '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e';
const engine = { model: 'limpede-test-1', version: '1', duration_ms: 1 };

const verdict: VerdictResult = {
  risk_score: 58.4,
  risk_category: 'questionable',
  risk_category_color: '#000000',
  risk_level: 'moderate',
  risk_level_color: '#000000',
  severity: 'warning',
  recommended_action: 'none',
  confidence: 0.523,
  confidence_level: 'medium',
  score_manipulation: 91.25,
  score_claims: null,
  score_ai: 12,
  score_source: null,
  score_context: 40,
  applied_weights: { manipulation: 0.5, claims: 0, ai: 0.2, source: 0, context: 0.3 },
  override_applied: true,
  override_type: 'verified_false_majority',
  override_reason: 'Most of the decided claims are false.',
  override_reason_ro: 'Cele mai multe afirmații decise sunt false.',
  override_adjustment: -1.63,
  context_summary: {},
  components_used: ['techniques'],
  weights_source: 'default_text@1.0.0',
  rules_version: '1.0.0',
  duration_ms: 2,
  explanation_en: 'The text presses its reader to share before anything can be checked.',
  explanation_ro: 'Textul își îndeamnă cititorul să distribuie înainte de orice verificare.',
  virality_score: 10,
  virality_level: null,
  virality_factors: [],
};

const technique = (name: string, quote: string, confidence: number) => ({
  code: 'loaded_language',
  name_en: name,
  name_ro: `${name} (ro)`,
  dimension: 'emotion',
  severity: 3,
  confidence,
  spans: [{ start: 0, end: 4, start_utf16: 0, end_utf16: 4, quote }],
  explanation_en: 'Why.',
  explanation_ro: 'De ce.',
  stage: 'screening' as const,
  engine,
});

function session(over: Partial<AnalysisSession> = {}): AnalysisSession {
  return {
    session_id: ID,
    user_id: 'ana',
    user_email: null,
    input_type: 'text',
    input_text: 'text',
    input_title: null,
    input_url: null,
    input_media_url: null,
    input_hash: 'hash',
    input_language: 'en',
    status: 'completed',
    error_code: null,
    plan_type: 1,
    components_run: ['techniques', 'claims'],
    components_skipped: ['domain'],
    skipped: [
      { component: 'domain', ...reasonFields({ code: 'no_web_address', values: {} }) },
      { component: 'claims', ...reasonFields({ code: 'component_failed_repeatedly', values: {} }) },
    ],
    degraded: [degradationFields({ dependency: 'web', reason: 'timeout', effect: 'part_missing' })],
    risk_score: 58.4,
    risk_category: verdict.risk_category,
    risk_level: 'moderate',
    confidence: 0.523,
    confidence_level: 'medium',
    started_at: null,
    completed_at: null,
    created_at: '2026-01-01T00:00:00.000Z',
    total_duration_ms: 20,
    scenario_applied: 'default_text',
    topic_applied: null,
    source_app: 'api',
    api_version: 'v3',
    revision: 1,
    config_version: 0,
    recording: null,
    techniques: techniquesBlock(91.25, {
      techniques_detected: [
        technique('Loaded language', 'they are HIDING', 0.6),
        technique('Appeal to fear', `it will\n\n destroy ${'everything '.repeat(20)}you love`, 0.9),
      ],
    }),
    ai_tampered: null,
    claims: claimsBlock(null, [
      claim('unverified', 0),
      claim('opinion', 0, { text: 'It is simply the worst dam of all.' }),
    ]),
    domain: domainBlock(35, { domain: 'știri.example', red_flags: ['young_domain'] }),
    verdict,
    ...over,
  };
}

const plain: ReportStyle = { language: 'en', width: 80, colour: false };
const linesOf = (given: AnalysisSession, style: Partial<ReportStyle> = {}) =>
  report(given, { ...plain, ...style }).split('\n');

describe('a report', () => {
  it('says the result, the way to it and what it rests on, in English', () => {
    const text = report(session(), plain);
    expect(text).toMatch(/risk 58\.4 \/ 100 {2}confidence 0\.52 \(medium\)/);
    expect(text).toContain('The text presses its reader to share');
    expect(text).toMatch(/Manipulation +91\.3 × 0\.50 {2}█{18}░░/);
    expect(text).toMatch(/Claims +not used/);
    expect(text).toMatch(/adjustment +-1\.6 Most of the decided claims are false\./);
    expect(text).toContain('Techniques found (2)');
    expect(text).toContain('“they are HIDING”');
    expect(text).toContain('“The dam caused the flood.”');
    expect(text).toContain('știri.example  35 / 100');
    expect(text).toContain('young_domain');
    expect(text).toContain('Not run: source. There is no web address to judge a source by.');
    expect(text).toContain('The web service did not answer in time. What it would have added is missing.');
    expect(text).toContain(ID);
  });

  it('says the same in Romanian, with Romanian quotation marks', () => {
    const text = report(session(), { ...plain, language: 'ro' });
    expect(text).toMatch(/risc 58,4 \/ 100 {2}încredere 0,52 \(medie\)/);
    expect(text).toContain('Textul își îndeamnă cititorul');
    expect(text).toMatch(/Manipulare +91,3/);
    expect(text).toContain('Cele mai multe afirmații decise sunt false.');
    expect(text).toContain('Nu a rulat: afirmațiile. Verificarea a eșuat de mai multe ori.');
    expect(text).toContain('Serviciul web nu a răspuns la timp. Lipsește ceea ce ar fi adăugat la rezultat.');
    expect(text).not.toContain('repeatedly');
    expect(text).toContain('„they are HIDING”');
    expect(text).toContain('Loaded language (ro)');
    expect(text).not.toMatch(/[şţŞŢ]/);
  });

  it('says why there is no probability of machine writing', () => {
    const withheld = reasonFields({ code: 'ai_text_too_short', values: { words: 100 } });
    const ai_tampered = aiBlock(null, { ...withheld, reason_code: withheld.code });
    expect(report(session({ ai_tampered }), plain)).toContain(
      'No probability: AI traces. Under 100 words, style tells nothing about who wrote a text.',
    );
    expect(report(session({ ai_tampered }), { ...plain, language: 'ro' })).toContain(
      'Fără probabilitate: urmele de IA. Sub 100 de cuvinte, stilul nu spune nimic',
    );
  });

  it('shows the strongest findings first, and no opinions among the claims', () => {
    const text = report(session(), plain);
    expect(text.indexOf('Appeal to fear')).toBeLessThan(text.indexOf('Loaded language'));
    expect(text).not.toContain('simply the worst');
  });

  it('shows six findings of a kind and counts the rest', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      technique(`Technique ${index}`, 'text', 0.9 - index / 20),
    );
    const text = report(session({ techniques: techniquesBlock(90, { techniques_detected: many }) }), plain);
    expect(text).toContain('Techniques found (9)');
    expect(text).toContain('Technique 5');
    expect(text).not.toContain('Technique 6');
    expect(text).toContain('+ 3 more');
  });

  it.each([60, 96])('fits into %i columns where it quotes and explains', (width) => {
    for (const line of linesOf(session({ degraded: [], skipped: [] }), { width }))
      if (/[“”]|presses|reader/.test(line)) expect([...line].length, line).toBeLessThanOrEqual(width);
  });

  it('is drawn in colour only when asked', () => {
    const coloured = report(session(), { ...plain, colour: true });
    expect(report(session(), plain)).toBe(stripVTControlCharacters(report(session(), plain)));
    expect(coloured).not.toBe(stripVTControlCharacters(coloured));
    expect(stripVTControlCharacters(coloured)).toBe(report(session(), plain));
  });

  it('of a session without anything says so and does not break', () => {
    const empty = session({
      status: 'failed',
      error_code: 'internal_error',
      risk_score: null,
      risk_category: null,
      confidence: null,
      confidence_level: null,
      techniques: null,
      ai_tampered: null,
      claims: null,
      domain: null,
      verdict: null,
      skipped: [],
      degraded: [],
    });
    const text = report(empty, plain);
    expect(text).toMatch(/risk – {2}confidence/);
    expect(text).toContain('internal_error');
    expect(text).toContain(ID);
    expect(text).not.toMatch(/undefined|NaN|null/);
  });
});

describe('wrap', () => {
  it.each([
    ['one two three', 8, '', ['one two', 'three']],
    ['one two three', 8, '  ', ['  one', '  two', '  three']],
    ['overlong', 3, '', ['overlong']],
    ['a  b\n\nc', 80, '> ', ['> a b c']],
    ['', 10, '  ', []],
  ])('%j in %i columns', (text, width, indent, lines) => {
    expect(wrap(text, width, indent)).toEqual(lines);
  });

  it('keeps every word, and every line within its width unless one word is longer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zăâîșț]{1,12}$/)),
        fc.integer({ min: 1, max: 40 }),
        (words, width) => {
          const lines = wrap(words.join(' '), width, '');
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const line of lines) if (line.includes(' ')) expect(line.length).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe('shorten', () => {
  it.each([
    ['short', 10, 'short'],
    ['  a\n b\t c ', 10, 'a b c'],
    ['abcdefghij', 5, 'ab…ij'],
    ['😀😀😀😀😀', 3, '😀…😀'],
  ])('%j to %i', (quote, longest, expected) => {
    expect(shortenQuote(quote, longest)).toBe(expected);
  });

  it('never gives more than was asked, nor half of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 30 }), (quote, longest) => {
        const short = shortenQuote(quote, longest);
        expect([...short].length).toBeLessThanOrEqual(longest);
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });
});
