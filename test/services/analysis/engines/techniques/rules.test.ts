import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { applyRules, parseRuleBook } from '../../../../../src/services/analysis/engines/techniques/rules.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';

const book = parseRuleBook({
  lists: { bad: 'corrupt crooked' },
  reporting: [],
  studying: [],
  rules: [
    {
      code: 'name_calling_labeling',
      confidence: 0.5,
      unless: ['museum'],
      patterns: ['@bad mayor'],
      hints: ['sly mayor'],
    },
  ],
});

function originsIn(text: string) {
  const tokens = tokenise(text);
  return applyRules(book, tokens, sentenceRanges(text, tokens)).map(({ code, origin }) => [code, origin]);
}

describe('rules', () => {
  it.each([
    ['Our crooked mayor smiled.', [['name_calling_labeling', 'rule']]],
    ['Our sly mayor smiled.', [['name_calling_labeling', 'hint']]],
    ['The crooked mayor stands in the museum. So does the sly mayor.', [['name_calling_labeling', 'hint']]],
    ['The sly mayor stands in the museum.', []],
    ['Our mayor smiled.', []],
  ])('%s', (text, expected) => {
    expect(originsIn(text)).toEqual(expected);
  });

  it('refuse an extent that is none', () => {
    const rules = [{ code: 'doubt', confidence: 0.5, extent: 'page', patterns: ['really ?'] }];
    expect(() => parseRuleBook({ lists: {}, reporting: [], studying: [], rules })).toThrow('page');
  });
});

describe('hints', () => {
  // Without an encoding the rules and the words of the trained stages stand alone.
  const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
  const codesIn = (text: string) =>
    engine.analyse(text, { language: 'en' }).techniques_detected.map(({ code }) => code);

  it('name nothing by themselves', () => {
    expect(codesIn('The committee found that there is no doubt about the date of the letter.')).toEqual([]);
  });

  it('leave the rules beside them as they were', () => {
    expect(codesIn('Share this before they delete it! Wake up, sheeple!').length).toBeGreaterThan(0);
  });
});
