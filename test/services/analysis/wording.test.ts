import { describe, expect, it } from 'vitest';
import { wordingOf } from '../../../src/services/analysis/wording.ts';

const pattern = (one: Record<string, unknown>, parts: Record<string, unknown> = {}) => {
  const file = { parts, patterns: { one: { why: 'a test', ...one } } };
  return wordingOf(file)('one');
};

describe('the wording of rules', () => {
  it.each([
    ['whole_words', 'a vote', ['a vote', 'cast a vote, then'], ['a voter', 'extra vote']],
    ['first_words', 'a vote', ['a vote', 'a vote was held'], ['cast a vote', 'a voter']],
    ['word_beginnings', 'rig', ['the rigged one', 'rig'], ['brig']],
    ['as_written', ', it', ['vote, it', 'vote, item'], ['it']],
    ['whole_words', 'vaccin*', ['vaccin', 'the vaccines'], ['avaccin']],
    ['whole_words', 'theor_', ['theory'], ['theor']],
    ['whole_words', 'as _ as', ['as big as'], ['as as', 'as big a as']],
    ['whole_words', '(no|any) votes?', ['no vote', 'any votes'], ['no', 'votes']],
    ['as_written', '[(_*]+$', ['a(_*'], ['abc']],
    ['as_written', '\\s*\\*', [' *', '*'], ['a']],
  ])('reads %s: %s', (place, entry, found, missed) => {
    const read = pattern({ place, en: [entry] });
    for (const text of found) expect(text).toMatch(read);
    for (const text of missed) expect(text).not.toMatch(read);
  });

  it('reads the entries of both languages and of none', () => {
    const read = pattern({ place: 'whole_words', en: ['vote'], ro: ['vot'], any: ['\\d+'] });
    for (const text of ['vote', 'vot', '12']) expect(text).toMatch(read);
  });

  it('writes parts out, parts of parts too', () => {
    const parts = {
      who: { why: 'a test', en: ['they', '{name}'] },
      name: { why: 'a test', en: ['ana', 'ion'] },
    };
    const read = pattern({ place: 'first_words', any: ['{who} (said|say)'] }, parts);
    expect('ion said').toMatch(read);
    expect('they say').toMatch(read);
    expect('who said').not.toMatch(read);
  });

  it('can find all places', () => {
    const read = wordingOf({ patterns: { one: { why: 'a test', place: 'whole_words', en: ['no'] } } });
    expect('no, no'.replace(read('one', 'g'), '-')).toBe('-, -');
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
    ['capitals', { place: 'whole_words', en: ['NATO'] }, {}, /folded/],
    ['diacritics', { place: 'whole_words', ro: ['alegătorul'] }, {}, /folded/],
    ['a place that does not exist', { place: 'somewhere', en: ['a'] }, {}, /place/],
    ['a part that does not exist', { place: 'whole_words', en: ['{who}'] }, {}, /who/],
    ['no entries', { place: 'whole_words' }, {}, /entries/],
    [
      'a part that holds itself',
      { place: 'whole_words', en: ['{who}'] },
      { who: { why: 'a test', en: ['{who} else'] } },
      /holds itself/,
    ],
    ['a language that nobody reads', { place: 'whole_words', fr: ['non'] }, {}, /fr/],
  ])('refuses %s', (_name, one, parts, message) => {
    expect(() => pattern(one, parts)).toThrow(message);
  });
});
