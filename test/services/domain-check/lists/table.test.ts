import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SortedTable } from '../../../../src/services/domain-check/lists/table.ts';

const tableOf = (lines: string[]) => new SortedTable(Buffer.from(lines.map((line) => `${line}\n`).join('')));

describe('SortedTable', () => {
  test('finds cells, bare names and nothing', () => {
    const table = tableOf(['a.com\tx\ty', 'a.com.co', 'b.ro\tz']);
    expect(table.find('a.com')).toEqual(['x', 'y']);
    expect(table.find('a.com.co')).toEqual([]);
    expect(table.find('b.ro')).toEqual(['z']);
    for (const name of ['', 'a', 'a.co', 'a.com.', 'b.r', 'c.ro', 'x'])
      expect(table.find(name)).toBeUndefined();
    expect([...table.domains()]).toEqual(['a.com', 'a.com.co', 'b.ro']);
  });

  test('an empty table has nothing', () => {
    expect(tableOf([]).find('a.com')).toBeUndefined();
    expect([...tableOf([]).domains()]).toEqual([]);
  });

  test('agrees with a map on any names', () => {
    const name = fc.stringMatching(/^[a-c-]{1,4}\.[a-b]{1,2}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name), name, (names, other) => {
        const sorted = [...names].sort();
        const table = tableOf(sorted.map((entry, index) => `${entry}\t${index}`));
        sorted.forEach((entry, index) => {
          expect(table.find(entry)).toEqual([String(index)]);
        });
        expect(table.find(other) !== undefined).toBe(names.includes(other));
      }),
    );
  });
});
