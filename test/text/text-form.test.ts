import { describe, expect, it } from 'vitest';
import { textForm } from '../../src/text/text-form.ts';
import { rowsOf } from '../../training/judgement/sets.ts';

const cases: readonly (readonly [string, string])[] = [
  [
    'code',
    'import { open } from "files";\n\nfunction read(path) {\n  const text = open(path);\n  if (text === undefined) {\n    return null;\n  }\n  return text.trim();\n}',
  ],
  [
    'code',
    'def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)\n\nprint(mean([1, 2, 3]))',
  ],
  ['code', '<ul>\n<li>One</li>\n<li>Two</li>\n</ul>\n<p>Three</p>\n<p>Four</p>'],
  [
    'lines',
    'Shopping\n- two litres of milk\n- bread\n- six eggs\n- a kilo of potatoes\n- washing powder\n- matches',
  ],
  ['lines', '1. Brașov\n2. Cluj-Napoca\n3. Iași\n4. Timișoara\n5. Constanța\n6. Oradea\n7. Sibiu'],
  [
    'lines',
    'Monday 9:00 History\nMonday 10:00 Physics\nTuesday 9:00 Music\nTuesday 11:00 Sport\nFriday 8:00 French\nFriday 9:00 Art',
  ],
  [
    'lines',
    'The wind came slowly from the sea\nAnd shook the apples from the tree,\nThe old dog slept beside the door\nAs he had done the year before,\nAnd nobody would come that day\nTo take the summer things away.',
  ],
  [
    'lines',
    'Pe drumul vechi de lângă sat\nUn om cu sacul a plecat,\nȘi luna sta pe dealuri sus\nȘi nu știa cine s-a dus,\nIar câinii au lătrat puțin\nPână s-a făcut senin.',
  ],
];

describe('the form of a text', () => {
  it.each(cases)('%s', (form, text) => {
    expect(textForm(text)).toBe(form);
  });

  it('is prose in written calm passages and whole texts, nearly always', () => {
    const rows = [...rowsOf('calm'), ...rowsOf('whole'), ...rowsOf('loud')];
    const others = rows.filter(({ text }) => textForm(text) !== 'prose');
    expect(others.length / rows.length).toBeLessThan(0.03);
  });

  it('is prose in a short text and in posts of a sentence a line', () => {
    expect(textForm('- milk\n- bread')).toBe('prose');
    expect(
      textForm(
        'They lie to us every single day.\nThe hospitals are empty.\nThe news does not tell you.\nAsk who earns from it.\nThe answer will shock you.\nShare this before it is gone.',
      ),
    ).toBe('prose');
  });
});
