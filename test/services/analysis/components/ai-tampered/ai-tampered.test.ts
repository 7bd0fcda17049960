import { describe, expect, it } from 'vitest';
import { aiTampered } from '../../../../../src/services/analysis/components/ai-tampered/ai-tampered.ts';
import { aiBlock } from '../../pipeline/blocks.ts';

describe('the AI score', () => {
  it.each([
    ['inconclusive, low', 4, 'inconclusive', null],
    ['inconclusive, high', 71, 'inconclusive', null],
    ['nothing found', 4, 'no_ai_or_tampering_found', 4],
    ['likely', 64, 'likely_ai_or_tampered', 64],
    ['disclosed', 95, 'disclosed_ai', 95],
    ['no number', null, 'inconclusive', null],
  ])('%s', (_, probability, verdict, score) => {
    expect(aiTampered.scoreOf(aiBlock(probability, { verdict }))).toBe(score);
  });
});
