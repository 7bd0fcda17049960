import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from '../../../../src/services/web/extract/date-text.ts';

const latest = '2026-01-31';
const months =
  'ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie'.split(
    ' ',
  );

describe('a written date', () => {
  const cases: Array<[text: string, value: string | undefined]> = [
    ['2024-03-05', '2024-03-05'],
    ['2024-03-05T10:30:00+02:00', '2024-03-05T10:30:00+02:00'],
    ['2024-03-05T10:30:15.123Z', '2024-03-05T10:30:15Z'],
    ['2024-03-05 10:30', '2024-03-05T10:30:00'],
    ['2024-03-05T10:30+0200', '2024-03-05T10:30:00+02:00'],
    ['2024-03-05T10:99', '2024-03-05'],
    ['2024-03-05T10:30:75Z', '2024-03-05'],
    ['2024-03-05T10:30:00+99:99', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['2024/03/05', '2024-03-05'],
    ['05.03.2024', '2024-03-05'],
    ['5/3/2024', '2024-03-05'],
    ['25.12.23', '2023-12-25'],
    ['3/25/2024', '2024-03-25'],
    ['5 martie 2024', '2024-03-05'],
    ['Marți, 5 martie 2024, ora 10:30', '2024-03-05'],
    ['publicat la 12 noi. 2019', '2019-11-12'],
    ['1 IANUARIE 2020', '2020-01-01'],
    ['March 5, 2024', '2024-03-05'],
    ['Sept. 9th, 2019', '2019-09-09'],
    ['5th of March 2024', '2024-03-05'],
    ['5. März 2024', '2024-03-05'],
    ['1er août 2019', '2019-08-01'],
    ['5 de marzo de 2024', '2024-03-05'],
    ['Tue, 05 Mar 2024 10:30:00 GMT', '2024-03-05'],
    ['31 februarie 2024', undefined],
    ['2024-13-45', undefined],
    ['5 martie 1994', undefined],
    ['1 februarie 2026', undefined],
    ['versiunea 1.2.2024.5', undefined],
    ['tel. 0722 123 456', undefined],
    ['noi avem 2024 de motive', undefined],
    ['', undefined],
  ];
  it.each(cases)('%s is %s', (text, value) => {
    expect(parseDate(text, latest)?.value).toBe(value);
  });

  it('puts the month first where that is the custom', () => {
    expect(parseDate('3/5/2024', latest, true)?.day).toBe('2024-03-05');
    expect(parseDate('3/5/2024', latest, false)?.day).toBe('2024-05-03');
    expect(parseDate('3.5.2024', latest, true)?.day).toBe('2024-05-03');
  });

  it('is read back in every Romanian spelling', () => {
    const day = fc.date({ min: new Date('1995-01-01'), max: new Date('2025-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10);
        const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
        for (const text of [`${d} ${months[m]} ${y}`, `${d}.${m + 1}.${y}`, iso.replaceAll('-', '')])
          expect(parseDate(text, latest)?.day).toBe(iso);
      }),
    );
  });
});
