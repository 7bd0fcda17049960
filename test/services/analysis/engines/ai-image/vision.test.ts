import { describe, expect, it } from 'vitest';
import type { VisionAssessment } from '../../../../../src/services/analysis/dependencies/vision.ts';
import { combineTraces } from '../../../../../src/services/analysis/engines/ai-image/fusion.ts';
import {
  visionIndicators,
  visionTraces,
} from '../../../../../src/services/analysis/engines/ai-image/vision.ts';
import { indicatorItem } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';

const view = (generated: number, altered: number): VisionAssessment => ({
  model: 'm',
  description: 'A street.',
  reasons: ['Six fingers.'],
  nudity: null,
  gore: null,
  generated,
  altered,
});

describe('the word of a vision model', () => {
  it('weighs at most two nats, is of grade C, and convicts nobody', () => {
    const traces = visionTraces(view(1, 0.4));
    expect(traces).toMatchObject([{ part: 'generated', grade: 'C', weight: { value: 2 } }]);
    const { probability, grade } = combineTraces(traces);
    // sigmoid(logit(0.1) + 2), and beside it the prior of the other part.
    expect(probability).toBeCloseTo(1 - (1 - 0.4509) * 0.9, 3);
    expect(grade).toBe('C');
  });

  it('weighs as much as it is sure in between', () => {
    expect(visionTraces(view(0.2, 0.7))).toMatchObject([{ part: 'manipulated', weight: { value: 0.8473 } }]);
  });

  it('speaks against nothing: words in a picture may have told it what to answer', () => {
    expect(visionTraces(view(0, 0))).toEqual([]);
    expect(visionTraces(undefined)).toEqual([]);
  });

  it('is told as a weak sign with what it says and what to think of it', () => {
    const [item, ...others] = visionIndicators(view(0.8, 0.2), 12);
    expect(others).toEqual([]);
    expect(indicatorItem.parse(item)).toMatchObject({
      code: 'vision_model_suspicion',
      strength: 'weak',
      dependency: 'vision',
    });
    expect(item?.explanation_en).toContain('80 of 100 for a picture made by a model. It says: Six fingers.');
    expect(item?.explanation_ro).toContain('80 din 100 pentru o imagine făcută de un model.');
    expect(visionIndicators(view(0.4, 0.4), 12)).toEqual([]);
  });
});
