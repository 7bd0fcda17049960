import { describe, expect, it } from 'vitest';
import {
  acceptedClaims,
  claimsTask,
  mergedClaims,
} from '../../../../../src/services/analysis/components/claims/model-claims.ts';
import { summariseClaims } from '../../../../../src/services/analysis/engines/claims/summary.ts';
import { type ClaimItem, claimItem } from '../../../../../src/services/analysis/resources/claims-result.ts';
import { spanOf } from '../../../../../src/text/positions.ts';

const first = 'Inflația a ajuns la 9,3% în martie 2024.';
const second = 'Cred că e cel mai bun guvern.';
const third = 'Vaccinul a fost retras din 12 țări europene.';
const text = `${first} 🙂 ${second} ${third}`;

const sound = {
  quote: third,
  type: 'scientific_health',
  queries: ['vaccin retras 12 țări europene', 'vaccin retragere Europa'],
};

describe('the claims that a model proposes', () => {
  it('are kept when they stand in the text', () => {
    expect(acceptedClaims({ claims: [sound] }, text)).toEqual([
      { span: spanOf(text, text.indexOf(third), text.length), type: sound.type, queries: sound.queries },
    ]);
  });

  it.each<[string, Partial<typeof sound>]>([
    ['an invented quote', { quote: 'Vaccinul a fost retras din 13 țări europene.' }],
    ['a type that nothing can decide', { type: 'opinion' }],
    ['an unknown type', { type: 'lie' }],
    ['too few words', { quote: 'Inflația a ajuns' }],
  ])('are dropped with %s', (_name, wrong) => {
    expect(acceptedClaims({ claims: [{ ...sound, ...wrong }] }, text)).toBeUndefined();
    expect(acceptedClaims({ claims: [{ ...sound, ...wrong }, sound] }, text)).toHaveLength(1);
  });

  it.each([
    'site:evil.example vaccin retras',
    'https://evil.example/vaccin',
    'vaccin <script>',
    'cele mai bune pantofi ieftine',
    'x',
    'vaccin '.repeat(40),
  ])('bring no query such as %j', (query) => {
    expect(acceptedClaims({ claims: [{ ...sound, queries: [query] }] }, text)?.[0]?.queries).toEqual([]);
  });

  it('are asked for without a word on what is true', () => {
    const { fields, prompt } = claimsTask(text);
    expect(fields.types).toContain('- statistical: ');
    expect(fields.types).not.toContain('opinion');
    expect(prompt.system.join(' ')).toContain('You never say whether a statement is true');
  });
});

const engine = { model: 'm', version: 'prompt 1', duration_ms: 5 };

function own(quote: string, more: Partial<ClaimItem> = {}): ClaimItem {
  const from = text.indexOf(quote);
  return claimItem.parse({
    id: 'claim-1',
    text: quote,
    span: spanOf(text, from, from + quote.length),
    type: 'statistical',
    status: 'unverified',
    confidence: null,
    checkworthiness: 0.9,
    evidence: [],
    previous_fact_checks: [],
    reviewed_at: null,
    queries: ['inflație martie'],
    explanation_en: 'Ours.',
    explanation_ro: 'A noastră.',
    engine: { model: 'limpede-claims-1', version: '1', duration_ms: 1 },
    ...more,
  });
}

describe('our claims with those of a model', () => {
  const proposed = acceptedClaims(
    {
      claims: [
        sound,
        { quote: 'Inflația a ajuns la 9,3%', type: 'event', queries: ['rata inflației martie 2024 INS'] },
        { quote: second, type: 'comparison', queries: ['bun guvern'] },
      ],
    },
    text,
  );

  it('keep type and status, and get better queries first', () => {
    const opinion = own(second, { id: 'claim-2', type: 'opinion', status: 'opinion', queries: [] });
    const merged = mergedClaims([own(first), opinion], proposed ?? [], engine, text);
    expect(merged.map(({ id, text: words }) => [id, words])).toEqual([
      ['claim-1', first],
      ['claim-2', second],
      ['claim-3', third],
    ]);
    expect(merged[0]).toMatchObject({
      type: 'statistical',
      status: 'unverified',
      queries: ['rata inflației martie 2024 INS', 'inflație martie'],
    });
    expect(merged[1]).toEqual({ ...opinion, id: 'claim-2' });
  });

  it('grow by unverified ones that weigh less', () => {
    const merged = mergedClaims([own(first)], proposed ?? [], engine, text);
    const added = merged.filter((claim) => claim.engine.model === 'm');
    expect(added).toHaveLength(2);
    for (const claim of added) {
      expect(claimItem.safeParse(claim).success).toBe(true);
      expect(claim).toMatchObject({ status: 'unverified', confidence: null, evidence: [] });
      expect(claim.checkworthiness).toBeLessThan(0.9);
    }
  });

  it('are never decided by it', () => {
    const merged = mergedClaims([own(first)], proposed ?? [], engine, text);
    expect(summariseClaims(merged).credibility_score).toBeNull();
  });
});
