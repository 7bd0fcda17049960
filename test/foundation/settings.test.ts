import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  address,
  dependency,
  flag,
  integer,
  list,
  number,
  optionalText,
  parseSettings,
  readSettings,
  SettingsError,
  settingRows,
  text,
} from '../../src/foundation/settings.ts';

const read = (type: z.ZodType, value: string | undefined) => {
  const result = readSettings(z.object({ A: type }), value === undefined ? {} : { A: value });
  return 'settings' in result ? result.settings.A : result.problems;
};

describe('settings', () => {
  it.each<[string, z.ZodType, string | undefined, unknown]>([
    ['a text', text('x'), ' y ', 'y'],
    ['an unset text', text('x'), undefined, 'x'],
    ['an empty text', text('x'), '  ', 'x'],
    ['an optional text', optionalText(), undefined, undefined],
    ['a number', number(1, 0, 10), '2.5', 2.5],
    ['an unset number', number(1, 0, 10), undefined, 1],
    ['a number with blanks', number(1, 0, 10), ' 7 ', 7],
    ['a whole number', integer(1, 0, 10), '3', 3],
    ['true', flag(false), 'true', true],
    ['yes', flag(false), 'YES', true],
    ['on', flag(false), 'on', true],
    ['1', flag(false), '1', true],
    ['false', flag(true), 'False', false],
    ['off', flag(true), 'off', false],
    ['0', flag(true), '0', false],
    ['an unset flag', flag(true), undefined, true],
    ['a list', list(), 'a, b ,,c,', ['a', 'b', 'c']],
    ['an unset list', list(), undefined, []],
    ['commas alone', list(), ' , ,', []],
    ['an address', address(), 'https://example.org', 'https://example.org'],
    ['an address with slashes', address(), 'http://example.org:81/a//', 'http://example.org:81/a'],
    ['an unset address', address(), '', undefined],
    ['a dependency', dependency(), 'http://llm:8002/', 'http://llm:8002'],
    ['none', dependency(), 'none', 'none'],
    ['an unset dependency', dependency(), undefined, undefined],
  ])('read %s', (_name, type, value, expected) => {
    expect(read(type, value)).toEqual(expected);
  });

  it.each<[string, z.ZodType, string, RegExp]>([
    ['a word as a number', number(1, 0, 10), 'ten', /^A: .*number/],
    ['a number beyond', number(1, 0, 10), '11', /^A: .*10/],
    ['infinity', number(1, 0, 10), 'Infinity', /^A: /],
    ['half a whole number', integer(1, 0, 10), '1.5', /^A: .*int/],
    ['a flag that is neither', flag(true), 'maybe', /^A: .*true/],
    ['an address of a file', address(), 'file:///etc/passwd', /^A: must be an http or https address$/],
    ['no address', address(), 'example.org', /^A: must be an http or https address$/],
    [
      'a dependency that is no address',
      dependency(),
      'nowhere',
      /^A: must be an http or https address, or none$/,
    ],
  ])('refuse %s', (_name, type, value, problem) => {
    const problems = read(type, value);
    expect(problems).toHaveLength(1);
    expect(String(problems)).toMatch(problem);
  });

  it('are all told at once when they are wrong', () => {
    const schema = z.object({ A: integer(1, 0, 10), B: flag(true), C: text('c') });
    const wrong = () => parseSettings(schema, { A: 'x', B: 'x', C: 'x' });
    expect(wrong).toThrow(SettingsError);
    expect(wrong).toThrow(/A: [\s\S]*B: /);
    expect(parseSettings(schema, { OTHER: '1' })).toEqual({ A: 1, B: true, C: 'c' });
  });

  it('read back any list of items without commas', () => {
    const item = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((value) => value.replaceAll(',', '').trim());
    fc.assert(
      fc.property(
        fc.array(
          item.filter((value) => value !== ''),
          { minLength: 1 },
        ),
        (items) => {
          expect(read(list(), items.join(' , '))).toEqual(items);
        },
      ),
    );
  });

  it('are described for the documentation', () => {
    const schema = z.object({
      A: integer(1, 0, 10).describe('A number.'),
      B: optionalText().describe('A text.'),
      C: list(),
    });
    expect(settingRows(schema)).toEqual([
      { name: 'A', description: 'A number.', fallback: '1' },
      { name: 'B', description: 'A text.', fallback: '' },
      { name: 'C', description: '', fallback: '[]' },
    ]);
  });
});
