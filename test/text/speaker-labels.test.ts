import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSpeakers } from '../../src/text/speaker-labels.ts';

const blank = (label: string, rest: string) => ' '.repeat(label.length) + rest;

describe('who speaks at the beginning of sentences', () => {
  it('is blank in as many characters where a conversation is written down', () => {
    const said = ['Ana Pop: Bună.', 'Ion Dinu: Bună ziua.', 'Ana Pop: Știți?', 'Da.', 'Ion Dinu: Nu.'];
    expect(withoutSpeakers(said)).toEqual([
      blank('Ana Pop: ', 'Bună.'),
      blank('Ion Dinu: ', 'Bună ziua.'),
      blank('Ana Pop: ', 'Știți?'),
      'Da.',
      blank('Ion Dinu: ', 'Nu.'),
    ]);
  });

  it('may be a first name where most sentences have a speaker', () => {
    const said = ['Ana: One.', 'Ion: Two.', 'Ana: Three.', 'Ion: Four.'];
    expect(withoutSpeakers(said)[0]).toBe(blank('Ana: ', 'One.'));
    const few = [...said, ...Array.from({ length: 8 }, (_, at) => `Sentence ${at}.`)];
    expect(withoutSpeakers(few)).toEqual(few);
  });

  it.each([
    ['once', ['Ana Pop: One.', 'Ion Dinu: Two.', 'Three.']],
    ['one speaker', ['Ana Pop: One.', 'Ana Pop: Two.', 'Ana Pop: Three.']],
    ['myths and facts', ['Myth: One.', 'Fact: Two.', 'Myth: Three.', 'Fact: Four.']],
    ['mituri și adevăruri', ['Mit: Unu.', 'Adevăr: Doi.', 'Mit: Trei.', 'Adevăr: Patru.']],
    ['without diacritics', ['Afirmatie: Unu.', 'Adevar: Doi.', 'Afirmatie: Trei.', 'Adevar: Patru.']],
    ['with a cedilla', ['Afirmaţie: Unu.', 'Afirmaţia: Doi.', 'Afirmaţie: Trei.', 'Afirmaţia: Patru.']],
    ['small letters', ['ana: one.', 'ion: two.', 'ana: three.', 'ion: four.']],
    ['nothing behind it', ['Ana Pop:', 'Ion Dinu:', 'Ana Pop:', 'Ion Dinu:']],
  ])('stays: %s', (_, said) => expect(withoutSpeakers(said)).toEqual(said));

  it('changes no length and nothing behind the names', () => {
    const name = fc.constantFrom('Ana Pop: ', 'Ion Dinu: ', 'Ana: ', 'Myth: ', '', 'x: ');
    const sentence = fc.tuple(name, fc.string()).map(([label, rest]) => label + rest);
    fc.assert(
      fc.property(fc.array(sentence), (sentences) => {
        withoutSpeakers(sentences).forEach((read, at) => {
          const own = sentences[at] ?? '';
          expect(read).toHaveLength(own.length);
          expect(own.endsWith(read.trimStart())).toBe(true);
        });
      }),
    );
  });
});
