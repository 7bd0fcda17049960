import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { componentList } from '../../../../../src/services/analysis/components/index.ts';
import { techniquesQuality } from '../../../../../src/services/analysis/components/techniques/techniques.ts';
import type { TechniquesAnalysis } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { untimedTask } from '../../../../../src/services/analysis/engines/text-engines.ts';
import type { TechniqueItem } from '../../../../../src/services/analysis/resources/techniques-result.ts';

const found = (...confidences: number[]) => ({
  techniques_detected: confidences.map(
    (confidence) => ({ confidence, spans: [{ confidence }] }) as TechniqueItem,
  ),
});

describe('the quality of a techniques answer', () => {
  it.each([
    [[0.5], 0],
    [[1], 1],
    [[0.9, 0.6], 0.5],
  ])('of findings with confidences %j is their mean margin, %s', (confidences, quality) => {
    expect(techniquesQuality(found(...confidences))).toBeCloseTo(quality, 10);
  });

  it('is that of the weights, and what only is listed changes nothing', () => {
    const listed = (confidence: number, weight: number) =>
      ({ confidence, spans: [{ confidence, weight }] }) as TechniqueItem;
    expect(techniquesQuality({ techniques_detected: [listed(0.3, 0.9), listed(0.2, 0)] })).toBeCloseTo(
      0.8,
      10,
    );
    expect(techniquesQuality({ techniques_detected: [listed(0.2, 0)] })).toBe(techniquesQuality(found()));
  });

  it('without findings is that of the whole score, as its card has it', () => {
    const card = readFileSync(packageFile('models', 'techniques.md'), 'utf8');
    const ranked = Number(/([\d.]+) % of the time/.exec(card)?.[1]) / 100;
    expect(techniquesQuality(found())).toBeCloseTo(2 * ranked - 1, 10);
  });
});

/** What the component says of a text when the engine finds so much, and no text model answers. */
async function answered(language: string, techniques: readonly Partial<TechniqueItem>[]) {
  const own = {
    manipulation_score: 12,
    total_severity: 3,
    techniques_count: techniques.length,
    dimensions_affected: [],
    techniques_detected: techniques,
    diffuse_evidence: null,
  } as unknown as TechniquesAnalysis;
  const run = componentList.techniques.create({
    engines: { encode: async () => ({ lost: 'unavailable' }), techniques: async () => own },
    model: { ask: async () => ({ state: 'off' }) },
  } as never);
  const text = { text: 'Le gouvernement vous ment !', language };
  const material = { mediaType: 'text' as const, title: null, parts: { text }, missing: {} };
  const answer = await run(material, {
    ...untimedTask('ana'),
    correlationId: 'c',
    planType: 1,
    assignments: {},
  });
  if (!('block' in answer)) throw new Error('the component gave no block');
  return answer;
}

describe('a text in a language that the engine does not read', () => {
  it('has no number when nothing was found', async () => {
    const { block, out_of_scope } = await answered('fr', []);
    expect(block.manipulation_score).toBeNull();
    expect(out_of_scope).toBe(true);
    expect(componentList.techniques.isUndecided(block)).toBe(true);
  });

  it('has one when something was found, as texts in the languages that it reads always have', async () => {
    const { block, out_of_scope } = await answered('fr', [{ code: 'doubt', confidence: 0.8, spans: [] }]);
    expect([block.manipulation_score, out_of_scope]).toEqual([12, false]);
    for (const language of ['en', 'ro', 'und'])
      expect((await answered(language, [])).block.manipulation_score).toBe(12);
  });
});
