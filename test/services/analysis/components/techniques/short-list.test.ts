import { describe, expect, it } from 'vitest';
import { shortList } from '../../../../../src/services/analysis/components/techniques/short-list.ts';
import type { TechniqueItem } from '../../../../../src/services/analysis/resources/techniques-result.ts';
import { spanOf } from '../../../../../src/text/positions.ts';

const text = 'They are hiding the truth, and the traitors know it.';
const passage = (from: number, to: number, weight: number) => ({
  ...spanOf(text, from, to),
  confidence: 0.3,
  weight,
});
const item = (code: string, stage: TechniqueItem['stage'], ...spans: TechniqueItem['spans']) =>
  ({
    code,
    severity: 3,
    confidence: 0.6,
    stage,
    spans,
    explanation_en: 'x',
    explanation_ro: 'y',
  }) as TechniqueItem;

const mixed = item('doubt', 'screening', passage(0, 10, 0), passage(9, 25, 0.7));
const listed = item('loaded_language', 'screening', passage(31, 43, 0));

describe('the list of techniques', () => {
  it('is whole where the setting is 0', () => {
    const items = [mixed, listed];
    expect(shortList(items, 0)).toBe(items);
  });

  it('holds, above 0, what counts in the score alone, explained by that', () => {
    const [doubt, ...others] = shortList([mixed, listed], 0.5);
    expect(others).toEqual([]);
    expect(doubt).toMatchObject({ confidence: 0.6, spans: [passage(9, 25, 0.7)] });
    expect(doubt?.explanation_en).toContain('hiding the truth');
    expect(doubt?.explanation_en).not.toContain('They are');
  });

  it('leaves out techniques of less weight, and leaves the words of a text model', () => {
    expect(shortList([mixed], 0.8)).toEqual([]);
    const deep = item('doubt', 'deep', ...mixed.spans);
    expect(shortList([deep], 0.7)).toEqual([{ ...deep, spans: [passage(9, 25, 0.7)] }]);
  });
});
