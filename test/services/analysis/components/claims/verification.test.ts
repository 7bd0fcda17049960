import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { JudgeStances } from '../../../../../src/services/analysis/components/claims/stance.ts';
import {
  type VerificationDependencies,
  type VerificationLimits,
  verifyClaims,
} from '../../../../../src/services/analysis/components/claims/verification.ts';
import type { RunContext } from '../../../../../src/services/analysis/components/component.ts';
import type { GatheredEvidence } from '../../../../../src/services/analysis/dependencies/evidence.ts';
import { loadClaimComparer } from '../../../../../src/services/analysis/engines/stance/claim-comparer.ts';
import { untimedTask } from '../../../../../src/services/analysis/engines/text-engines.ts';
import { type ClaimItem, claimItem } from '../../../../../src/services/analysis/resources/claims-result.ts';

type Found = GatheredEvidence['items'][number];

const TEXT = 'Vaccines cause autism in children.';
const claim = (more: Partial<ClaimItem> = {}): ClaimItem => ({
  id: 'claim-1',
  text: TEXT,
  span: { start: 0, end: TEXT.length, start_utf16: 0, end_utf16: TEXT.length, quote: TEXT },
  type: 'scientific_health',
  status: 'unverified',
  confidence: null,
  checkworthiness: 0.8,
  evidence: [],
  previous_fact_checks: [],
  searched: false,
  queries: [],
  reviewed_at: null,
  voice: 'author',
  explanation_en: 'Before.',
  explanation_ro: 'Înainte.',
  engine: { model: 'm', version: '1', duration_ms: 1 },
  ...more,
});
const found = (site: string, more: Partial<Found> = {}): Found => ({
  url: `https://${site}.example/page`,
  title: 'A page',
  publisher: site,
  snippet: `What ${site} says.`,
  relevance_score: 0.9,
  credibility_score: 0.8,
  published_at: '2026-01-01',
  retrieved_at: '2026-05-01T00:00:00.000Z',
  full_text_hash: site,
  language: 'en',
  stance: null,
  passages: [],
  copies: [],
  fact_check: null,
  provenance: { extraction_method: 'http', fallback_chain: [], providers: [], query: 'q', origin: null },
  ...more,
});

/** A review of the same claim in other words. */
const review: NonNullable<Found['fact_check']> = {
  claim: 'Autism in children is caused by vaccines.',
  wordings: [],
  claim_key: 'a',
  similarity: 0.9,
  rating: 'false',
  rating_text: 'Fals',
  stance: 'refutes',
  decides: true,
  finding: null,
};

const run: RunContext = { ...untimedTask('ana'), correlationId: 'c', planType: 1, assignments: {} };
const reading = loadClaimComparer();
const limits: VerificationLimits = {
  mostSearched: 5,
  until: Number.POSITIVE_INFINITY,
  source: undefined,
  text: TEXT,
  now: new Date('2026-06-01T00:00:00Z'),
};

/** Vectors that are all the same: they distinguish nothing. */
const alike = async (texts: readonly string[]) =>
  texts.map(() => new Float32Array(512).fill(1 / Math.sqrt(512)));

/** Says of each passage what its words say. */
const judge: JudgeStances = async (_claim, passages) => ({
  stances: passages.map((passage) => ({
    stance: passage.includes('refutes') ? 'refutes' : passage.includes('supports') ? 'supports' : 'context',
    confidence: 0.9,
  })),
  model: null,
  reply: { state: 'off' },
});

function parts(
  items: readonly Found[] | 'lost',
  more: Partial<VerificationDependencies> = {},
): VerificationDependencies & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    reading,
    encode: alike,
    judge,
    evidence: {
      gather: async (text) => {
        asked.push(text);
        return items === 'lost'
          ? { lost: 'rate_limited' }
          : { items: [...items], queries: ['a query'], searches: 1 };
      },
    },
    ...more,
  };
}
const check = async (
  items: readonly Found[] | 'lost',
  given: Partial<VerificationLimits> = {},
  claims = [claim()],
) => {
  const used = parts(items);
  const verified = await verifyClaims(
    claims,
    used,
    { ...limits, ...given, until: given.until ?? performance.now() + 60_000 },
    run,
  );
  for (const item of verified.claims) claimItem.parse(item);
  return { ...verified, asked: used.asked, first: verified.claims[0] };
};

describe('a search that fails', () => {
  const failing = (gather: VerificationDependencies['evidence']['gather']) => ({ evidence: { gather } });
  const verifyWith = (gather: VerificationDependencies['evidence']['gather'], ms = 60_000) =>
    verifyClaims([claim()], parts([], failing(gather)), { ...limits, until: performance.now() + ms }, run);

  it('is a timeout where its time is over', async () => {
    const { degraded } = await verifyWith(
      (_text, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      1_050,
    );
    expect(degraded).toEqual([expect.objectContaining({ reason: 'timeout' })]);
  });

  it('is a timeout though memory is cleared meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const clear: unknown = runInNewContext('gc');
    const clearing = setInterval(() => typeof clear === 'function' && clear(), 50);
    const verified = verifyWith(
      (_text, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      1_050,
    );
    const ended = await Promise.race([verified, sleep(20_000, 'never', { ref: false })]);
    clearInterval(clearing);
    expect(ended).toMatchObject({ degraded: [{ reason: 'timeout' }] });
  });

  it('by a defect is told as one', async () => {
    const defect = new TypeError('no such field');
    await expect(verifyWith(() => Promise.reject(defect))).rejects.toBe(defect);
  });

  it('by a defect cancels those beside it and begins no other', async () => {
    const defect = new TypeError('no such field');
    const cancelled: unknown[] = [];
    let searches = 0;
    const gather: VerificationDependencies['evidence']['gather'] = (_text, { signal }) => {
      searches += 1;
      if (searches === 3) return Promise.reject(defect);
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          cancelled.push(signal.reason);
          reject(signal.reason);
        }),
      );
    };
    const five = Array.from({ length: 5 }, (_, at) => claim({ id: `c${at}` }));
    const until = performance.now() + 60_000;
    const verified = verifyClaims(five, parts([], failing(gather)), { ...limits, until }, run);
    await expect(verified).rejects.toBe(defect);
    expect(cancelled).toMatchObject([{ reason: 'aborted' }, { reason: 'aborted' }]);
    expect(searches).toBe(3);
  });
});

describe('a claim that is checked', () => {
  it('is refuted by two independent sources, with their words', async () => {
    const { first, searches } = await check([
      found('one', { snippet: 'It refutes.' }),
      found('two', { snippet: 'It refutes too.' }),
    ]);
    expect(first).toMatchObject({
      status: 'verified_false',
      evidence: [
        { stance: 'refutes', quote: 'It refutes.', independent_group: 'one.example' },
        { stance: 'refutes', quote: 'It refutes too.', independent_group: 'two.example' },
      ],
      explanation_en: '2 independent sources refute it: one and two.',
      explanation_ro: '2 surse independente o infirmă: one și two.',
    });
    expect(first?.confidence).toBeGreaterThan(0.5);
    expect(searches).toBe(1);
  });

  it('names three sources at most, and says that there are more', async () => {
    const sites = ['one', 'two', 'three', 'four'];
    const { first } = await check(sites.map((site) => found(site, { snippet: `It refutes, says ${site}.` })));
    expect(first?.explanation_en).toBe('4 independent sources refute it, among them one, two and three.');
    expect(first?.explanation_ro).toBe('4 surse independente o infirmă, între care one, two și three.');
  });

  it('is no evidence for itself', async () => {
    const items = [found('one', { snippet: 'It refutes.' }), found('two', { snippet: 'It refutes.' })];
    const { first } = await check(items, { source: 'https://www.two.example/article' });
    expect(first?.status).toBe('unverified');
    expect(first?.evidence.map(({ url }) => url)).toEqual(['https://one.example/page']);
  });

  it('stays open when nothing was found, and says that it was searched for', async () => {
    const { first } = await check([]);
    expect(first).toMatchObject({ status: 'unverified', confidence: null });
    expect(first?.explanation_en).toMatch(/was searched for/);
    expect(first?.explanation_ro).toMatch(/A fost căutată/);
    expect(first?.searched).toBe(true);
  });

  it('that was reviewed before has the status of the reviews', async () => {
    const { first } = await check([
      found('one', { fact_check: review }),
      found('two', { fact_check: review }),
    ]);
    expect(first).toMatchObject({
      status: 'verified_false',
      previous_fact_checks: [{ publisher: 'one', match: 'confirmed', rating: 'Fals' }, { publisher: 'two' }],
    });
    // The search led to another wording; the claim has one more that says the same.
    const nearest = {
      ...review,
      claim: 'Children become autistic after their shots.',
      wordings: [review.claim],
    };
    const { first: reworded } = await check([
      found('one', { fact_check: nearest }),
      found('two', { fact_check: nearest }),
    ]);
    expect(reworded).toMatchObject({
      status: 'verified_false',
      previous_fact_checks: [{ claim: review.claim, match: 'confirmed' }, { match: 'confirmed' }],
    });
    const misleading = { ...review, rating: 'misleading' as const };
    const { first: other } = await check([
      found('one', { fact_check: misleading }),
      found('two', { fact_check: misleading }),
    ]);
    expect(other?.status).toBe('misleading');
  });

  it('that narrows a false one to a group is false, one that narrows a true one stays open', async () => {
    const general = { ...review, claim: 'Vaccines cause autism.' };
    const { first } = await check([
      found('one', { fact_check: general }),
      found('two', { fact_check: general }),
    ]);
    expect(first?.status).toBe('verified_false');
    const holds = { ...general, rating: 'true' as const, stance: 'supports' as const };
    const { first: other } = await check([
      found('one', { fact_check: holds }),
      found('two', { fact_check: holds }),
    ]);
    expect(other?.status).toBe('unverified');
  });

  it('that is only like a reviewed one is not decided by its reviews', async () => {
    const denied = { ...review, claim: 'Vaccines do not cause autism in children.' };
    const { first } = await check([
      found('one', { fact_check: denied }),
      found('two', { fact_check: denied }),
    ]);
    expect(first).toMatchObject({ status: 'unverified', previous_fact_checks: [{ match: 'suggested' }, {}] });
    expect(first?.evidence.map(({ stance }) => stance)).toEqual(['context', 'context']);
    expect(first?.explanation_en).toContain('“Vaccines do not cause autism in children.” (one: Fals)');
    expect(first?.explanation_ro).toContain('poate spune altceva, chiar contrariul');
  });

  it('that is an opinion, or more than are searched for, is left as it is', async () => {
    const items = [found('one', { snippet: 'It refutes.' }), found('two', { snippet: 'It refutes.' })];
    const opinion = claim({ id: 'claim-1', type: 'opinion', status: 'opinion' });
    const minor = claim({ id: 'claim-2', checkworthiness: 0.1, text: 'A minor claim stands here.' });
    const major = claim({ id: 'claim-3', checkworthiness: 0.9, text: 'A major claim stands here.' });
    const { claims, asked } = await check(items, { mostSearched: 1 }, [opinion, minor, major]);
    expect(asked).toEqual(['A major claim stands here.']);
    expect(claims.map(({ status }) => status)).toEqual(['opinion', 'unverified', 'verified_false']);
  });
});

describe('what is lost', () => {
  it('of a text model is told, our own stands in', async () => {
    const lost: JudgeStances = async (_claim, passages) => ({
      stances: passages.map(() => ({ stance: 'context', confidence: null })),
      model: null,
      reply: { state: 'lost', reason: 'invalid_answer' },
    });
    const used = parts([found('one')], { judge: lost });
    const { lostModels, degraded } = await verifyClaims(
      [claim()],
      used,
      { ...limits, until: performance.now() + 60_000 },
      run,
    );
    expect([lostModels, degraded]).toEqual([['invalid_answer'], []]);
  });

  it('leaves claims open and is named once', async () => {
    const { claims, degraded } = await check('lost', {}, [claim(), claim({ id: 'claim-2' })]);
    expect(claims.map(({ explanation_en: words }) => words)).toEqual(['Before.', 'Before.']);
    expect(degraded).toEqual([{ dependency: 'brain', reason: 'rate_limited', effect: 'part_missing' }]);
  });

  it('for want of time is a timeout', async () => {
    const { asked, degraded } = await check([], { until: performance.now() });
    expect(asked).toEqual([]);
    expect(degraded).toEqual([{ dependency: 'brain', reason: 'timeout', effect: 'part_missing' }]);
  });

  it('of vectors leaves reviews of the same words', async () => {
    const same = { ...review, claim: TEXT.toUpperCase() };
    const used = parts([found('one', { fact_check: same }), found('two', { fact_check: same })], {
      encode: async () => undefined,
    });
    const { claims } = await verifyClaims(
      [claim()],
      used,
      { ...limits, until: performance.now() + 60_000 },
      run,
    );
    expect(claims[0]).toMatchObject({
      status: 'verified_false',
      previous_fact_checks: [{ match: 'confirmed', similarity: 1 }, {}],
    });
  });

  it('of vectors leaves reviewed claims unmatched rather than guessed', async () => {
    const used = parts([found('one', { fact_check: review }), found('two', { fact_check: review })], {
      encode: async () => undefined,
    });
    const { claims } = await verifyClaims(
      [claim()],
      used,
      { ...limits, until: performance.now() + 60_000 },
      run,
    );
    expect(claims[0]?.status).toBe('unverified');
  });
});
