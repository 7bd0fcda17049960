import { expect, it } from 'vitest';
import { decideClaim } from '../../../../../src/services/analysis/components/claims/claim-decision.ts';
import { explainDecision } from '../../../../../src/services/analysis/components/claims/decision-explanation.ts';
import type { EvidenceItem } from '../../../../../src/services/analysis/resources/claims-result.ts';

const now = new Date('2026-06-01T00:00:00Z');

function item(site: string, publisher: string | null, credibility: number | null, method = 'http') {
  const shown = { publisher, credibility_score: credibility, url: `https://${site}/page`, stance: 'refutes' };
  const provenance = { extraction_method: method, fallback_chain: [] };
  return { ...shown, provenance, independent_group: site, published_at: null } as unknown as EvidenceItem;
}

function explained(evidence: readonly EvidenceItem[]) {
  const weighed = evidence.map((one) => ({ ...one, isReviewed: false }));
  return explainDecision(
    decideClaim({ type: 'event', evidence: weighed, isMisleading: false }, now),
    evidence,
  );
}

it('names only the sources that decided', () => {
  const words = explained([
    item('poor.example', 'Poor Daily', 12),
    item('one.example', 'One', 80),
    item('two.example', 'Two', 90),
  ]);
  expect(words.explanation_en).toBe('2 independent sources refute it: One and Two.');
  expect(words.explanation_ro).toBe('2 surse independente o infirmă: One și Two.');
});

it('names the site of a source that nobody rated beside what it calls itself', () => {
  const words = explained([
    item('news-agency.example', 'Reuters', null),
    item('nameless.example', null, null),
    item('imported.example', 'The Library', null, 'index'),
  ]);
  expect(words.explanation_en).toBe(
    'Too few independent sources of known quality decide it; what was found: Reuters (news-agency.example), nameless.example and The Library.',
  );
});
