import { describe, expect, it } from 'vitest';
import { withWords } from '../../../../../src/services/analysis/engines/ai-image/words.ts';
import { aiBlock, indicator } from '../../pipeline/blocks.ts';

const disclosing = aiBlock(95, {
  verdict: 'disclosed_ai',
  disclosure_detected: true,
  disclosure_explicit: true,
  disclosure_text: 'Made with AI',
  evidence_grade: 'B',
});

describe('the words in a picture', () => {
  it('disclose what the picture does not show', () => {
    const picture = aiBlock(19, { verdict: 'inconclusive', content_type: 'image', evidence_grade: 'D' });
    expect(withWords(picture, disclosing)).toMatchObject({
      verdict: 'disclosed_ai',
      ai_probability: 95,
      disclosure_explicit: true,
      disclosure_text: 'Made with AI',
      content_type: 'image',
    });
  });

  it('change nothing where the picture decides, but are counted', () => {
    const picture = aiBlock(72, { verdict: 'likely_ai_or_tampered', content_type: 'image' });
    const words = aiBlock(4, {
      verdict: 'inconclusive',
      indicators_detected: [indicator('text_style_pattern', 'weak')],
    });
    expect(withWords(picture, words)).toMatchObject({ verdict: 'likely_ai_or_tampered', ai_probability: 72 });
    expect(withWords(picture, words).indicators_count).toBe(1);
  });
});
