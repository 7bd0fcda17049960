import { describe, expect, test } from 'vitest';
import { attributionOf } from '../../../../../src/services/analysis/engines/claims/attribution.ts';
import { sentencesOf } from '../../../../../src/text/sentences.ts';

/** The voice of the first sentence of a text. */
function voice(text: string) {
  const sentences = sentencesOf(text);
  const first = sentences[0];
  if (first === undefined) throw new Error('no sentence');
  return attributionOf({ text, sentences }, first);
}

describe('the voice of a conditional', () => {
  test.each([
    'If you drink a litre of garlic tea, you cannot catch the virus.',
    'If a child gets this vaccine, then it becomes autistic.',
    'Unless you turn off your phone at night, it gives you cancer.',
    'Dacă bei un litru de ceai de usturoi, nu te poți îmbolnăvi.',
    'Dacă un copil primește acest vaccin, atunci devine autist.',
  ])("is the writer's, who vouches for the whole: %s", (text) => {
    expect(voice(text)).toBe('author');
  });

  test.each([
    'If vaccines cause autism, why is there no study that shows it?',
    'What if the Moon landings were faked, and nobody noticed?',
    'Whether vaccines cause autism, nobody in that room could say.',
    'If vaccines cause autism.',
    'Suppose that the Earth is flat, like a plate.',
    'Dacă vaccinurile provoacă autism, de ce nu arată niciun studiu asta?',
    'Ce-ar fi dacă aselenizările ar fi fost înscenate, iar noi nu am ști?',
    'Să presupunem că Pământul este plat, ca o farfurie.',
  ])('is asked where it only supposes or asks: %s', (text) => {
    expect(voice(text)).toBe('asked');
  });

  test('is another one’s where another one is named', () => {
    expect(voice('If you drink garlic tea, he says, you cannot catch the virus.')).toBe('reported');
  });
});

describe('a claim that denies by its own first words', () => {
  test.each([
    'It is not true that vaccines contain microchips.',
    "No, it isn't true that 5G masts cause cancer.",
    'There is no evidence that vaccines cause autism.',
    'It is a myth that the virus came from space, because viruses need hosts.',
    'Nu este adevărat că rețelele 5G răspândesc virusul.',
    'Nu e adevărat că vaccinurile conțin cipuri.',
    'Este fals că la vot se folosesc pixuri care se șterg.',
    'Nu există nicio dovadă că antenele provoacă boli.',
  ])('denies it: %s', (text) => {
    expect(voice(text)).toBe('denied');
  });

  test.each([
    'It is not true that vaccines are safe.',
    'It is not true that vaccines do not cause autism.',
    'There is no evidence that masks work.',
    'It is not true that vaccines contain microchips, but they cause autism.',
    'It is not true that vaccines contain microchips: they contain poison.',
    'It is not true that vaccines contain microchips, they contain poison.',
    'Nu este adevărat că vaccinurile sunt sigure.',
    'Nu e adevărat că vaccinurile conțin cipuri, ci otravă.',
    'Nu există dovezi că măștile ajută.',
    'It is true that vaccines contain microchips.',
    'It is not true love, it is a trap of the secret services.',
  ])("stays the writer's where more or something good is denied: %s", (text) => {
    expect(voice(text)).toBe('author');
  });

  test('denies it before the place of the claim, too', () => {
    const text = 'It is not true that vaccines contain microchips.';
    const start = text.indexOf('vaccines');
    expect(attributionOf({ text, sentences: sentencesOf(text) }, { start, end: text.length - 1 })).toBe(
      'denied',
    );
  });
});

describe('the sentence after a claim', () => {
  const claim = 'Vor să vă ia pensiile și să le dea bancherilor.';
  test.each([
    'Nu-i lăsați să facă asta!',
    'Nu-l credeți pe ministru.',
    'Nu-mi place deloc ce fac.',
    'Nu-ți poți imagina cât vor lua.',
    'Nu-și mai ascund planul.',
    'Nu-le dați voie!',
    'Nu-s oameni, sunt lacomi.',
  ])('takes nothing back by a clitic: %s', (next) => {
    expect(voice(`${claim} ${next}`)).toBe('author');
  });

  test('takes nothing back by "no-one"', () => {
    expect(voice('They will take your pensions and give them to bankers. No-one will stop them.')).toBe(
      'author',
    );
  });

  test.each(['Nu, asta nu se întâmplă.', 'Nu – este o minciună.', 'Fals.'])('takes it back: %s', (next) => {
    expect(voice(`${claim} ${next}`)).toBe('denied');
  });
});
