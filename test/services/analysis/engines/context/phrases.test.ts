import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import cueData from '../../../../../data/context/cues.json' with { type: 'json' };
import genreData from '../../../../../data/context/genres.json' with { type: 'json' };
import topicData from '../../../../../data/context/topics.json' with { type: 'json' };
import {
  foldedWords,
  PhraseIndex,
  withoutOverlap,
} from '../../../../../src/services/analysis/engines/context/phrases.ts';

function found(phrases: string[], text: string): string[] {
  const index = new PhraseIndex(phrases.map((phrase) => ({ phrase, value: phrase })));
  return index.find(foldedWords(text)).map((match) => match.value);
}

describe('PhraseIndex', () => {
  it.each([
    ['one word', ['share'], 'Please SHARE it', ['share']],
    ['a phrase over a hyphen', ['mail in vote*'], 'Mail-in voting began', []],
    ['a stem at the end', ['mail in vot*'], 'Mail-in voting began', ['mail in vot*']],
    ['a stem at the front', ['vaccin* campaign'], 'the vaccination campaign', ['vaccin* campaign']],
    ['any one word', ['which _ are you'], 'Which animal are you?', ['which _ are you']],
    ['no word for the gap', ['which _ are you'], 'Which are you?', []],
    ['diacritics in the lexicon only', ['dați mai departe'], 'DATI MAI DEPARTE', ['dați mai departe']],
    ['cedilla letters', ['înainte să fie șters'], 'Înainte să fie şters', ['înainte să fie șters']],
    ['an apostrophe of either kind', ["don't wait"], 'Don’t wait', ["don't wait"]],
    ['a cut off phrase', ['act now'], 'You must act', []],
    ['both of two that overlap', ['share this', 'share'], 'share this', ['share this', 'share']],
  ])('finds %s', (_, phrases, text, wanted) =>
    expect(found(phrases, text).sort()).toEqual([...wanted].sort()),
  );

  it.each(['', '_ word', '***'])('refuses the phrase "%s"', (phrase) =>
    expect(() => new PhraseIndex([{ phrase, value: 1 }]).find([])).toThrow(/word/),
  );

  it('keeps the longest of overlapping matches', () => {
    const index = new PhraseIndex([
      { phrase: 'share', value: 'short' },
      { phrase: 'share this', value: 'long' },
    ]);
    const matches = withoutOverlap(index.find(foldedWords('share this and share')));
    expect(matches.map((match) => match.value)).toEqual(['long', 'short']);
  });

  it('finds a stem wherever a word begins with it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,8}$/), fc.stringMatching(/^[a-z]{0,5}$/), (stem, ending) => {
        expect(found([`${stem}*`], `x ${stem}${ending} y`)).toEqual([`${stem}*`]);
      }),
    );
  });
});

describe('lexicons', () => {
  const lists = [
    ...Object.values(cueData.cues).flatMap((cue) => [cue.en, cue.ro]),
    ...genreData.genres.flatMap((genre) => [genre.en, genre.ro]),
    ...topicData.topics.flatMap((topic) => [topic.en, topic.ro]),
  ].map((weights) => Object.values(weights).flat());

  it('hold each phrase once in its list and no cedilla letters', () => {
    for (const list of lists) {
      expect(list.filter((phrase, at) => list.indexOf(phrase) !== at)).toEqual([]);
      expect(list.filter((phrase) => /[şţŞŢ]/.test(phrase) || phrase !== phrase.trim())).toEqual([]);
    }
  });
});
