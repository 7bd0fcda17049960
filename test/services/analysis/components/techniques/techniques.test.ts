import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { techniquesQuality } from '../../../../../src/services/analysis/components/techniques/techniques.ts';
import type { TechniqueItem } from '../../../../../src/services/analysis/resources/techniques-result.ts';

const found = (...confidences: number[]) => ({
  techniques_detected: confidences.map((confidence) => ({ confidence }) as TechniqueItem),
});

describe('the quality of a techniques answer', () => {
  it.each([
    [[0.5], 0],
    [[1], 1],
    [[0.9, 0.6], 0.5],
  ])('of findings with confidences %j is their mean margin, %s', (confidences, quality) => {
    expect(techniquesQuality(found(...confidences))).toBeCloseTo(quality, 10);
  });

  it('without findings is that of the whole score, as its card has it', () => {
    const card = readFileSync(packageFile('models', 'techniques.md'), 'utf8');
    const ranked = Number(/([\d.]+) % of the time/.exec(card)?.[1]) / 100;
    expect(techniquesQuality(found())).toBeCloseTo(2 * ranked - 1, 10);
  });
});
