import { expect, test } from 'vitest';
import { isAltered } from '../../../../src/services/web/gather/altered-copies.ts';

const english =
  'Work went on for five years. The bridge cost 40 million euros in 2023, the company wrote. It was opened in May.';
const romanian =
  'Lucrările au durat cinci ani. Podul a costat 40 de milioane de euro în 2023, potrivit companiei. A fost deschis în mai.';

test.each<[string, string, string, boolean]>([
  ['the same sentence', 'The bridge cost 40 million euros in 2023, the company wrote.', english, false],
  [
    'without diacritics',
    'Podul a costat 40 de milioane de euro in 2023, potrivit companiei.',
    romanian,
    false,
  ],
  [
    'with a frame of its own',
    'By our reporter. The bridge cost 40 million euros in 2023, the company wrote.',
    english,
    false,
  ],
  [
    'with one word in the place of another',
    'The bridge cost 40 million euros in 2023, the firm wrote.',
    english,
    false,
  ],
  ['denied', 'The bridge did not cost 40 million euros in 2023, the auditors wrote.', english, true],
  [
    'denied by a short form',
    "The bridge didn't cost 40 million euros in 2023, the company wrote.",
    english,
    true,
  ],
  ['with another number', 'The bridge cost 400 million euros in 2023, the company wrote.', english, true],
  ['with another year', 'Podul a costat 40 de milioane de euro în 2013, potrivit companiei.', romanian, true],
  [
    'denied in Romanian',
    'Podul nu a costat 40 de milioane de euro în 2023, potrivit companiei.',
    romanian,
    true,
  ],
  [
    'with a correction behind it',
    'The bridge cost 40 million euros in 2023, the company wrote. Auditors refuted this.',
    english,
    true,
  ],
  ['nothing at all', '', english, false],
])('a passage of a copy: %s', (_name, passage, text, expected) => {
  expect(isAltered(passage, text)).toBe(expected);
});
