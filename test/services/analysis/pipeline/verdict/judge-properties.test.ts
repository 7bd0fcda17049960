import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  ContextFinding,
  Judgement,
} from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import { MEDIA_TYPES } from '../../../../../src/services/analysis/resources/media-types.ts';
import { SCORES } from '../../../../../src/services/analysis/resources/verdict-config.ts';
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
} from '../blocks.ts';
import { blacklisted, conclusive, contextOf, falseClaims, satire, sumOf, verdict } from './judged.ts';

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
