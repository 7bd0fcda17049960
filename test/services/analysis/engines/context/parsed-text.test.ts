import { describe, expect, it } from 'vitest';
import { cueMatches, parseText } from '../../../../../src/services/analysis/engines/context/parsed-text.ts';

/** The phrases of a cue in a text. */
function found(cue: Parameters<typeof cueMatches>[1], text: string, language: string): string[] {
  const parsed = parseText({ text, title: null, language, flags: [], satirical_source: false });
  return cueMatches(parsed, cue).map(({ phrase }) => phrase);
}

/** The phrases of haste in a text. */
const haste = (text: string, language: string) => found('urgency', text, language);

describe('words that press for haste', () => {
  it.each([
    ['en', 'The ministry did not comment immediately on the report.'],
    ['en', 'The company did not immediately respond to questions.'],
    ['en', 'Use the staircase only in an emergency.'],
    ['en', 'In case of emergency, call the number on the door.'],
    ['en', 'The emergency services were on the spot within the hour.'],
    ['en', 'The council met today, only two members came.'],
    ['en', 'You are right, now let us look at the figures.'],
    ['ro', 'În caz de urgență, sunați la numărul de pe ușă.'],
    ['ro', 'Guvernul a adoptat o ordonanță de urgență privind salariile.'],
    ['ro', 'Ministerul nu a răspuns imediat solicitării.'],
    ['ro', 'A plouat mult, și chiar, acum câteva zile, a nins.'],
  ])('do not where nobody is pressed (%s): %s', (language, text) =>
    expect(haste(text, language)).toEqual([]),
  );

  it.each([
    ['en', 'Send the money immediately.', 'immediately'],
    ['en', 'This is an emergency, act now!', 'act now'],
    ['en', 'Half price today only!', 'today only'],
    ['ro', 'Trimiteți banii de urgență!', 'de urgență'],
    ['ro', 'Ofertă valabilă doar azi.', 'doar azi'],
  ])('do elsewhere (%s): %s', (language, text, phrase) => expect(haste(text, language)).toContain(phrase));
});

describe('words that claim a secret', () => {
  it('do not where a coast is exposed to the wind', () => {
    expect(found('secrecy', 'Gusts of 80 miles an hour are expected on exposed coasts.', 'en')).toEqual([]);
    expect(found('secrecy', 'The plot is exposed at last.', 'en')).toEqual(['exposed']);
  });
});
