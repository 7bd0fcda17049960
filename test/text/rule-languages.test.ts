import { describe, expect, it } from 'vitest';
import { ruleLanguagesOf } from '../../src/text/rule-languages.ts';

const english =
  'they want to silence anyone who asks what was in the water that they and the mayor have taken from the lake';
const romanian =
  'guvernul nu spune ce este in apa din lac si nu va spune nici maine sau poimaine dar noi sunt atenti';

describe('languages to read a text in', () => {
  it.each([
    ['one language', romanian, 'ro', ['ro']],
    ['one language', english, 'en', ['en']],
    ['a name from the other', `${romanian} the wall street journal`, 'ro', ['ro']],
    ['a passage in English', `${romanian} ${english}`, 'ro', ['en', 'ro']],
    ['a passage in Romanian', `${english} ${romanian}`, 'en', ['en', 'ro']],
    ['a language without rules', 'der bericht liegt vor', 'de', ['en', 'ro']],
    ['no language', '', 'und', ['en', 'ro']],
  ])('%s: %s', (_, text, language, expected) =>
    expect(ruleLanguagesOf(text.split(' '), language)).toEqual(expected),
  );
});
