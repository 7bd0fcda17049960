import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import {
  aiBlock,
  calm,
  claim,
  claimsBlock,
  domainBlock,
  indicator,
  lost,
  ran,
  skipped,
  techniquesBlock,
  usualFacts,
} from '../blocks.ts';
import { blacklisted, conclusive, contextOf, falseClaims, satire, verdict } from './judged.ts';

const reviewedFalse = claim('verified_false', 2, {
  checkworthiness: 0.45,
  previous_fact_checks: [
    {
      publisher: 'p',
      url: 'https://site0.example/a',
      claim: null,
      rating: 'false',
      similarity: 0.9,
      match: 'confirmed',
    },
  ],
});

/** The cases that were worked out on paper: what goes in, the score and the confidence that come out. */
const PAPER: [string, Judgement, { score: number; confidence?: number; type?: string; category?: string }][] =
  [
    [
      'a clean article',
      verdict('url', calm()),
      { score: 8.3, confidence: 0.93, category: 'no_significant_risk' },
    ],
    [
      'a false health post',
      verdict(
        'text',
        calm({
          techniques: ran(techniquesBlock(78)),
          claims: ran(claimsBlock(18, falseClaims)),
          domain: skipped,
          ai_tampered: ran(aiBlock(40)),
        }),
        contextOf(60),
        { text_length: 180, language: 'ro' },
      ),
      { score: 73.1, confidence: 0.76, category: 'likely_misleading' },
    ],
    [
      'a mild text on a blacklisted domain',
      verdict(
        'url',
        calm({
          techniques: ran(techniquesBlock(25)),
          claims: ran(claimsBlock(null, [claim('unverified', 0)])),
          domain: ran(blacklisted),
        }),
        contextOf(20),
      ),
      { score: 60, type: 'domain_blacklisted', category: 'likely_misleading' },
    ],
    [
      'labelled satire that is literally false',
      verdict(
        'url',
        calm({
          techniques: ran(techniquesBlock(40)),
          claims: ran(claimsBlock(10, falseClaims)),
          domain: ran(domainBlock(55)),
        }),
        contextOf(30, satire),
      ),
      { score: 35, type: 'explicit_satire', category: 'minor_concerns' },
    ],
    [
      'a disclosed AI picture',
      verdict(
        'image',
        calm({
          techniques: skipped,
          claims: skipped,
          domain: ran(domainBlock(70)),
          ai_tampered: ran(aiBlock(88, { disclosure_explicit: true, indicators_detected: [conclusive] })),
        }),
        contextOf(5),
      ),
      { score: 31.9, type: 'explicit_ai_disclosure' },
    ],
    [
      'a calm text that says openly that a machine wrote it',
      verdict(
        'text',
        calm({
          techniques: ran(techniquesBlock(0)),
          claims: ran(claimsBlock(null, [claim('unverified', 0)])),
          domain: skipped,
          ai_tampered: ran(
            aiBlock(96, {
              disclosure_explicit: true,
              indicators_detected: [indicator('text_disclosure', 'conclusive')],
            }),
          ),
        }),
        contextOf(5),
      ),
      { score: 7.7, type: 'explicit_ai_disclosure', category: 'no_significant_risk' },
    ],
    [
      'a loud text that says openly that a machine wrote it',
      verdict(
        'text',
        calm({
          techniques: ran(techniquesBlock(100)),
          claims: ran(claimsBlock(null, [claim('unverified', 0)])),
          domain: skipped,
          ai_tampered: ran(
            aiBlock(96, {
              disclosure_explicit: true,
              indicators_detected: [indicator('text_disclosure', 'conclusive')],
            }),
          ),
        }),
        contextOf(80),
      ),
      { score: 59, type: 'persuasion_only', category: 'questionable' },
    ],
    [
      'an undisclosed deepfake',
      verdict(
        'video',
        calm({
          techniques: ran(techniquesBlock(20)),
          claims: skipped,
          domain: skipped,
          ai_tampered: ran(aiBlock(97, { indicators_detected: [conclusive] })),
        }),
        contextOf(40),
        { ...usualFacts, presented_as_real: true },
      ),
      { score: 70.2, category: 'likely_misleading' },
    ],
    [
      'the domain check alone',
      verdict(
        'url',
        { techniques: lost, claims: lost, ai_tampered: lost, domain: ran(domainBlock(70)) },
        contextOf(null),
      ),
      { score: 30, category: 'inconclusive' },
    ],
    [
      'a match with a known false item',
      verdict('text', calm(), contextOf(50), {
        ...usualFacts,
        known_false_match: { similarity: 0.97, entails: true },
      }),
      { score: 42.3, type: 'known_false_match' },
    ],
    [
      'a refuted claim that is a small part of a calm text',
      verdict('text', calm(), contextOf(50), {
        ...usualFacts,
        known_false_match: { similarity: 0.97, entails: true, share: 0.03 },
      }),
      { score: 42.3, type: 'known_false_match' },
    ],
    [
      'a refuted claim that labelled satire makes',
      verdict('text', calm(), contextOf(50, satire), {
        ...usualFacts,
        known_false_match: { similarity: 0.97, entails: true },
      }),
      { score: 12.3 },
    ],
    [
      'refuted claims that reviewers, not the models, found worth checking',
      verdict('text', {
        ...calm(),
        claims: ran(claimsBlock(30, [reviewedFalse, reviewedFalse])),
      }),
      { score: 58.8, type: 'verified_false_majority' },
    ],
    [
      'refuted claims that the text quotes',
      verdict('text', {
        ...calm(),
        claims: ran(
          claimsBlock(null, [
            { ...reviewedFalse, voice: 'quoted' },
            { ...reviewedFalse, voice: 'reported' },
          ]),
        ),
      }),
      { score: 6.6 },
    ],
    [
      'techniques alone stay questionable',
      verdict(
        'text',
        calm({
          techniques: ran(techniquesBlock(100)),
          claims: ran(claimsBlock(null, [claim('unverified', 0)])),
          domain: skipped,
        }),
        contextOf(90),
      ),
      { score: 59, type: 'persuasion_only', category: 'questionable' },
    ],
    [
      'a peak in wording with calm surroundings',
      verdict(
        'url',
        calm({ techniques: ran(techniquesBlock(95)), domain: ran(domainBlock(75)) }),
        contextOf(5),
      ),
      { score: 50, type: 'peak_signal', category: 'questionable' },
    ],
    [
      'a trusted source',
      verdict(
        'url',
        calm({ domain: ran(domainBlock(96)), techniques: ran(techniquesBlock(40)) }),
        contextOf(20),
      ),
      { score: 6.8, type: 'trusted_source' },
    ],
    [
      'a number that a person set',
      verdict('text', calm(), contextOf(10), { ...usualFacts, human_risk_score: 85 }),
      { score: 85, type: 'human_ground_truth', category: 'highly_misleading' },
    ],
  ];

describe('paper cases', () => {
  it.each(PAPER)('%s', (_, record, wanted) => {
    expect(record.risk_score).toBeCloseTo(wanted.score, 1);
    if (wanted.confidence !== undefined) expect(record.confidence).toBeCloseTo(wanted.confidence, 2);
    if (wanted.type !== undefined) expect(record.override_type).toBe(wanted.type);
    if (wanted.category !== undefined) expect(record.risk_category).toBe(wanted.category);
  });
});

describe('edges', () => {
  it('answers nothing to score with null, weights of 0 and inconclusive', () => {
    const record = verdict(
      'image',
      { techniques: skipped, claims: skipped, ai_tampered: lost, domain: skipped },
      contextOf(null),
    );
    expect(record).toMatchObject({
      risk_score: null,
      confidence: 0,
      confidence_level: 'very_low',
      risk_category: 'inconclusive',
      override_adjustment: 0,
      components_used: [],
    });
    expect(Object.values(record.applied_weights)).toEqual([0, 0, 0, 0, 0]);
  });

  it('counts a component that ran without a score towards min_components', () => {
    const record = verdict(
      'text',
      calm({ claims: ran(claimsBlock(null)), ai_tampered: skipped, domain: skipped }),
    );
    expect(record.components_used).toEqual(['techniques', 'claims']);
    expect(record.risk_category).toBe('no_significant_risk');
  });

  it('keeps floors off below min_components', () => {
    const record = verdict(
      'url',
      { techniques: skipped, claims: skipped, ai_tampered: skipped, domain: ran(blacklisted) },
      contextOf(0),
    );
    expect(record.override_applied).toBe(false);
    expect(record).toMatchObject({ risk_category: 'inconclusive', recommended_action: 'retry_or_review' });
    expect(record.confidence).toBeLessThanOrEqual(0.3);
  });

  it('does not let a blacklist without name and date move the number', () => {
    const vague = domainBlock(12, {
      is_blacklisted: true,
      lists: [{ list: 'old list', label: 'fake', harmful: true, updated_at: null }],
    });
    expect(verdict('url', calm({ domain: ran(vague) })).override_applied).toBe(false);
  });

  it('looks at score_ai only when the finding is corroborated', () => {
    const one = aiBlock(99, { indicators_detected: [indicator('text_statistical_signal', 'moderate')] });
    const two = aiBlock(99, {
      indicators_detected: [
        indicator('text_statistical_signal', 'moderate'),
        indicator('text_generation_residue', 'strong'),
      ],
    });
    expect(verdict('text', calm({ ai_tampered: ran(one) })).override_type).toBeNull();
    expect(verdict('text', calm({ ai_tampered: ran(two) })).override_type).toBe('peak_signal');
    expect(
      verdict('text', calm({ ai_tampered: ran(aiBlock(99, { evidence_grade: 'B' })) })).override_type,
    ).toBe('peak_signal');
  });

  it('says when a floor and a ceiling contradict each other', () => {
    const record = verdict('url', calm({ domain: ran(blacklisted) }), contextOf(20, satire));
    expect(record.contradictory).toBe(true);
    expect(verdict('url', calm()).contradictory).toBe(false);
  });

  it('asks to look twice at an article that takes sides as a whole, unless its source is trusted', () => {
    const article = (one_sided: number | null) => ({
      ...contextOf(10),
      article: { one_sided, clickbait: null },
    });
    const plain = calm({ domain: skipped });
    const sided = verdict('text', plain, article(0.85));
    expect(sided).toMatchObject({ risk_score: 40, override_type: 'one_sided_article' });
    expect(sided.risk_category).toBe('questionable');
    expect(verdict('text', plain, article(0.75)).override_type).toBeNull();
    expect(verdict('text', plain, article(null)).override_type).toBeNull();
    const loud = calm({ domain: skipped, techniques: ran(techniquesBlock(85)) });
    expect(verdict('text', loud, article(0.95)).risk_score).toBeLessThanOrEqual(59);
    expect(verdict('url', calm({ domain: ran(domainBlock(95)) }), article(0.95)).risk_score).toBeLessThan(20);
    expect(verdict('text', plain, { ...article(0.95), genre: satire }).risk_score).toBeLessThan(20);
  });

  it('lists every override that fired and marks those that set the number', () => {
    const record = verdict('url', calm({ domain: ran(blacklisted) }), contextOf(20, satire));
    expect(record.context_summary.overrides).toMatchObject([
      { code: 'domain_blacklisted', rank: 5, set_the_number: true },
      { code: 'explicit_satire', rank: 9, set_the_number: false },
    ]);
  });

  it('keeps the earlier band on a re-run within the margin', () => {
    const facts = { ...usualFacts, previous_category: 'minor_concerns' };
    const outcomes = calm({ techniques: ran(techniquesBlock(42)) });
    const now = verdict('url', outcomes, contextOf(20));
    const again = verdict('url', outcomes, contextOf(20), facts);
    expect(now.risk_score).toBeGreaterThan(18);
    expect(now.risk_score).toBeLessThan(20);
    expect(now.risk_category).toBe('no_significant_risk');
    expect(again.risk_category).toBe('minor_concerns');
  });
});
