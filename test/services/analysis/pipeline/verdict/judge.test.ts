import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContextFinding,
  computeVerdict,
  type Judgement,
} from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import { MEDIA_TYPES, type MediaType } from '../../../../../src/services/analysis/resources/media-types.ts';
import { SCORES } from '../../../../../src/services/analysis/resources/verdict-config.ts';
import {
  profileOf,
  shippedVerdictRules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import type {
  Outcome,
  Outcomes,
  Reliability,
  VerdictFacts,
} from '../../../../../src/services/analysis/session/outcome.ts';
import { runs } from '../../../../campaign.ts';
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

function contextOf(score: number | null, genre: ContextFinding['genre'] = null): ContextFinding {
  return { score, quality: 0.8, genre, summary: {} };
}

function verdict(
  media: MediaType,
  outcomes: Outcomes,
  context = contextOf(5),
  facts: VerdictFacts = usualFacts,
): Judgement {
  return computeVerdict(
    outcomes,
    context,
    { rules: shippedVerdictRules, profile: profileOf(shippedVerdictRules, media) },
    facts,
  );
}

function sumOf(record: Judgement): number {
  return SCORES.reduce((sum, name) => sum + record.applied_weights[name] * (record[`score_${name}`] ?? 0), 0);
}

const satire = { code: 'satire', confidence: 0.95, labelled: true };
const blacklisted = domainBlock(12, {
  is_blacklisted: true,
  lists: [{ list: 'example list', label: 'fake', harmful: true, updated_at: '2025-01-01' }],
});
const falseClaims = [claim('verified_false', 3), claim('verified_false', 3), claim('verified_true', 2)];
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
const conclusive = indicator('image_provenance', 'conclusive');

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

  it('lists every override that fired and marks those that set the number', () => {
    const record = verdict('url', calm({ domain: ran(blacklisted) }), contextOf(20, satire));
    expect(record.context_summary.overrides).toMatchObject([
      { code: 'domain_blacklisted', rank: 5, set_the_number: true },
      { code: 'explicit_satire', rank: 8, set_the_number: false },
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

const percent = fc.double({ min: 0, max: 100, noNaN: true });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });

function outcomeOf<Block>(block: fc.Arbitrary<Block>): fc.Arbitrary<Outcome<Block>> {
  return fc.oneof(
    { arbitrary: fc.constantFrom<Outcome<Block>>(skipped, lost), weight: 1 },
    {
      weight: 4,
      arbitrary: fc
        .record({
          block,
          reliability: fc.constantFrom<Reliability>('planned', 'fallback', 'degraded'),
          quality: fc.double({ min: 0, max: 1, noNaN: true }),
          fallbacks: fc.nat(6),
          out_of_scope: fc.boolean(),
        })
        .map((fields) => ({ state: 'ran' as const, ...fields })),
    },
  );
}

const outcomes: fc.Arbitrary<Outcomes> = fc.record({
  techniques: outcomeOf(maybe(percent).map((score) => techniquesBlock(score))),
  ai_tampered: outcomeOf(
    fc
      .tuple(maybe(percent), fc.boolean(), fc.subarray([conclusive, indicator('image_local_edit', 'weak')]))
      .map(([score, disclosure_explicit, indicators_detected]) =>
        aiBlock(score, { disclosure_explicit, indicators_detected }),
      ),
  ),
  claims: outcomeOf(
    fc
      .tuple(maybe(percent), fc.subarray([...falseClaims, claim('unverified', 1)]))
      .map(([score, items]) => claimsBlock(score, items)),
  ),
  domain: outcomeOf(
    fc
      .tuple(maybe(percent), fc.boolean())
      .map(([trust, bad]) =>
        domainBlock(trust, bad ? { is_blacklisted: true, lists: blacklisted.lists } : {}),
      ),
  ),
});

const facts: fc.Arbitrary<VerdictFacts> = fc.record(
  {
    text_length: maybe(fc.nat(50_000)),
    language: fc.constantFrom('ro', 'en', 'fr', null),
    known_false_match: fc.record({
      similarity: fc.double({ min: 0, max: 1, noNaN: true }),
      entails: fc.boolean(),
    }),
    presented_as_real: fc.boolean(),
    label_dropped: fc.boolean(),
    human_risk_score: percent,
    material_losses: fc.nat(2),
  },
  { requiredKeys: ['text_length', 'language'] },
);

const context: fc.Arbitrary<ContextFinding> = fc
  .tuple(maybe(percent), fc.boolean())
  .map(([score, funny]) => contextOf(score, funny ? satire : null));

const cases = fc.tuple(fc.constantFrom(...MEDIA_TYPES), outcomes, context, facts);

/** Names of the promises that a record breaks. */
function brokenRules(record: Judgement, known: VerdictFacts): string[] {
  const units = SCORES.reduce((sum, name) => sum + Math.round(record.applied_weights[name] * 10_000), 0);
  const scored = SCORES.some((name) => record[`score_${name}`] !== null);
  const risk = record.risk_score;
  const within = (value: number, low: number, high: number) => value >= low && value <= high;
  const fired = record.context_summary.overrides as { code: string }[];
  const uncapped = fired.some(({ code }) => code === 'human_ground_truth' || code === 'persuasion_only');
  const promises: Record<string, boolean> = {
    weights: units === (scored ? 10_000 : 0),
    confidence: within(record.confidence, 0, 1),
    null: (risk === null) === (!scored && known.human_risk_score === undefined),
    range: risk === null || within(risk, 0, 100),
    decimals: risk === null || risk === Number(risk.toFixed(1)),
    invariant: risk === null || Math.abs(risk - sumOf(record) - record.override_adjustment) <= 0.06,
    cap: uncapped || Math.abs(record.override_adjustment) <= 30 + 1e-9,
    type: record.override_applied === (record.override_type !== null),
    silence: record.override_applied || record.override_adjustment === 0,
  };
  return Object.keys(promises).filter((name) => promises[name] === false);
}

describe('every record', () => {
  it('can be redone: weights, invariant, range, cap', () => {
    fc.assert(
      fc.property(cases, ([media, results, surroundings, known]) => {
        const record = verdict(media, results, surroundings, known);
        expect(brokenRules(record, known)).toEqual([]);
      }),
      { numRuns: runs(6_000) },
    );
  });

  it('never falls when a score rises under the same overrides', () => {
    const pair = fc.tuple(
      fc.constantFrom(...MEDIA_TYPES),
      percent,
      percent,
      percent,
      percent,
      percent,
      percent,
    );
    fc.assert(
      fc.property(pair, ([media, manipulation, credibility, ai, trust, around, higher]) => {
        const at = (score: number) =>
          verdict(
            media,
            calm({
              techniques: ran(techniquesBlock(score)),
              claims: ran(claimsBlock(credibility)),
              ai_tampered: ran(aiBlock(ai)),
              domain: ran(domainBlock(trust)),
            }),
            contextOf(around),
          );
        const low = at(Math.min(manipulation, higher));
        const high = at(Math.max(manipulation, higher));
        const fired = (record: Judgement) =>
          JSON.stringify((record.context_summary.overrides as { code: string }[]).map((rule) => rule.code));
        if (fired(low) === fired(high)) {
          expect(high.risk_score ?? 0).toBeGreaterThanOrEqual(low.risk_score ?? 0);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('never passes 59 on wording alone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MEDIA_TYPES), percent, percent, (media, manipulation, around) => {
        const record = verdict(
          media,
          calm({
            techniques: ran(techniquesBlock(manipulation), { quality: 1 }),
            claims: ran(claimsBlock(null)),
            domain: skipped,
            ai_tampered: skipped,
          }),
          contextOf(around),
        );
        expect(record.risk_score).toBeLessThanOrEqual(59);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
