import { describe, expect, it } from 'vitest';
import {
  occursIn,
  PatternIndex,
  parsePattern,
} from '../../../../../src/services/analysis/engines/techniques/patterns.ts';
import { tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';

function found(pattern: string, text: string, lists: Record<string, string> = {}): string[] {
  const index = new PatternIndex<number>();
  index.add(parsePattern(pattern, lists), 1);
  const tokens = tokenise(text);
  return index
    .matches(tokens, { from: 0, to: tokens.length })
    .map(({ from, to }) => text.slice(tokens[from]?.start, tokens[to - 1]?.end));
}

describe('patterns', () => {
  it.each([
    ['wake up', 'You must Wake UP now', ['Wake UP']],
    ['șterg|șteargă', 'până nu o sterg', ['sterg']],
    ['trăd*', 'trădători și tradare', ['trădători', 'tradare']],
    ['very? bad', 'bad and very bad', ['bad', 'very bad', 'bad']],
    ['why ..3 ?', 'why did he go? yes', ['why did he go?']],
    ['why ..2 ?', 'why did he ever go?', []],
    ['why ..3 now', 'why? Not now', []],
    ['end of story $', 'That is the end of story.', ['end of story']],
    ['end of story $', 'The end of story time', []],
    ['^ shocking', 'Shocking and shocking', ['Shocking']],
    ['# percent', 'about 90 percent', ['90 percent']],
    ['CAPS !', 'the TRUTH!', ['TRUTH!']],
    ['mr NAME', 'mr Popescu and mr nobody', ['mr Popescu']],
    ['@who lied', 'they lied, we lied', ['they lied', 'we lied']],
  ])('%s in "%s"', (pattern, text, expected) => {
    expect(found(pattern, text, { who: 'they we' })).toEqual(expected);
  });

  it('refuses empty patterns and unknown lists', () => {
    expect(() => parsePattern(' ', {})).toThrow('empty');
    expect(() => parsePattern('@nobody', {})).toThrow('Unknown word list');
  });

  it('says whether a pattern occurs', () => {
    const tokens = tokenise('potrivit unui comunicat');
    expect(occursIn(parsePattern('potrivit|conform', {}), tokens, { from: 0, to: tokens.length })).toBe(true);
    expect(occursIn(parsePattern('raport', {}), tokens, { from: 0, to: tokens.length })).toBe(false);
  });
});
