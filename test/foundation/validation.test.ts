import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Detail, defineFailures } from '../../src/foundation/errors.ts';
import { check, details, parseJsonBody } from '../../src/foundation/validation.ts';

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'Too large.'],
  not_found: [404, 'Nothing.'],
  internal_error: [500, 'Wrong.'],
  shutting_down: [503, 'Stopping.'],
});
const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJsonBody(bytes(text), errors);
const DEEPEST = 64;

describe('a JSON body', () => {
  it.each([
    ['nothing', '', undefined],
    ['an object', '{"a": [1, null, true, "x"]}', { a: [1, null, true, 'x'] }],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    [
      'brackets in strings',
      `{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`,
      { a: `${'['.repeat(500)}"${'{'.repeat(500)}` },
    ],
    ['many values side by side', `[${'[],'.repeat(500)}[]]`, Array.from({ length: 501 }, () => [])],
  ])('of %s is read', (_name, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    ['half an object', '{"a":'],
    ['words', 'media_type=text'],
    ['two values', '{}{}'],
    ['white space', '   '],
    ['an apostrophe', "{'a':1}"],
    ['an open string', '"abc'],
  ])('of %s is refused', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  it('is read up to 64 levels and no deeper', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
      expect(() => parse(nested(DEEPEST))).not.toThrow();
      expect(() => parse(nested(DEEPEST + 1))).toThrow(/deeper than 64/);
      expect(() => parse(nested(200_000))).toThrow(/deeper than 64/);
    }
  });

  it('must be UTF-8', () => {
    for (const wrong of ['22c328' + '22', '22ff22', '22eda08022', '22f8888080' + '22', '22c022'])
      expect(() => parseJsonBody(Buffer.from(wrong, 'hex'), errors), wrong).toThrow(/not JSON/);
  });

  it('gives what was written, whatever it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(JSON.stringify(parse(JSON.stringify(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is refused with invalid_json, and nothing else, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (given) => {
        try {
          parseJsonBody(given, errors);
        } catch (error) {
          expect((error as { code: string }).code).toBe('invalid_json');
        }
      }),
    );
  });
});

describe('details', () => {
  const told = (schema: z.ZodType, input: unknown): Detail[] => {
    const result = schema.safeParse(input);
    return result.success ? [] : details(result.error.issues, input, 'body');
  };

  it.each<[string, z.ZodType, unknown, string, string]>([
    ['a text', z.string(), 5, 'string_type', 'Input should be a valid string'],
    ['a number', z.number(), true, 'float_type', 'Input should be a valid number'],
    ['a number in quotes', z.number(), '1', 'float_type', 'Input should be a valid number'],
    [
      'a word for a number',
      z.number(),
      'x',
      'float_parsing',
      'Input should be a valid number, unable to parse string as a number',
    ],
    [
      'an endless number',
      z.number(),
      Number.POSITIVE_INFINITY,
      'finite_number',
      'Input should be a finite number',
    ],
    [
      'a whole number',
      z.int(),
      1.5,
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    [
      'a whole number beyond its limit',
      z.int().max(9),
      1e20,
      'less_than_equal',
      'Input should be less than or equal to 9',
    ],
    ['a switch', z.boolean(), 'x', 'bool_type', 'Input should be a valid boolean'],
    ['a list', z.array(z.string()), {}, 'list_type', 'Input should be a valid list'],
    [
      'an object',
      z.object({}),
      [],
      'model_attributes_type',
      'Input should be a valid dictionary or object to extract fields from',
    ],
    ['a map', z.record(z.string(), z.string()), 'x', 'dict_type', 'Input should be a valid dictionary'],
    ['null for a text', z.string(), null, 'string_type', 'Input should be a valid string'],
    ['a short text', z.string().min(3), 'x', 'string_too_short', 'String should have at least 3 characters'],
    ['a long text', z.string().max(1), 'xy', 'string_too_long', 'String should have at most 1 character'],
    ['a short list', z.array(z.string()).min(1), [], 'too_short', 'List should have at least 1 item'],
    ['a long list', z.array(z.int()).max(1), [1, 2], 'too_long', 'List should have at most 1 item'],
    [
      'a small number',
      z.number().min(1),
      0,
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    ['a number at a limit below', z.number().gt(1), 1, 'greater_than', 'Input should be greater than 1'],
    ['a large number', z.number().max(1), 2, 'less_than_equal', 'Input should be less than or equal to 1'],
    ['a number at a limit above', z.number().lt(1), 1, 'less_than', 'Input should be less than 1'],
    ['an unknown word', z.enum(['a', 'b']), 'c', 'literal_error', "Input should be 'a' or 'b'"],
    ['one of three words', z.enum(['a', 'b', 'c']), 'd', 'literal_error', "Input should be 'a', 'b' or 'c'"],
    ['the only word', z.literal('a'), 'b', 'literal_error', "Input should be 'a'"],
    [
      'a text that a pattern refuses',
      z.string().regex(/\S/, { error: 'there is no text in it' }),
      ' ',
      'string_pattern_mismatch',
      'there is no text in it',
    ],
    ['a broken uuid', z.uuid(), 'x', 'uuid_parsing', 'Input should be a valid uuid'],
    ['a rule of our own', z.string().refine(() => false, 'must rhyme'), 'x', 'value_error', 'must rhyme'],
  ])('say of %s what is wrong', (_name, type, value, code, message) => {
    expect(told(z.object({ a: type }), { a: value })).toEqual([
      { path: ['body', 'a'], type: code, message, ...(value !== undefined && { input: value }) },
    ]);
  });

  it('show around a missing field what was there instead', () => {
    expect(told(z.object({ a: z.object({ b: z.string() }) }), { a: { c: 1 } })).toEqual([
      { path: ['body', 'a', 'b'], type: 'missing', message: 'Field required', input: { c: 1 } },
    ]);
    for (const type of [
      z.enum(['x']),
      z.literal(1),
      z.union([z.string(), z.int()]),
      z.uuid(),
      z.array(z.int()),
    ])
      expect(told(z.object({ a: type }), {})).toMatchObject([{ type: 'missing', message: 'Field required' }]);
  });

  it('say of a union what is wrong with the alternative that came closest', () => {
    const schema = z.object({ a: z.union([z.string(), z.array(z.string().min(2))]) });
    expect(told(schema, { a: 3 })).toMatchObject([{ path: ['body', 'a'], type: 'string_type', input: 3 }]);
    expect(told(schema, { a: ['xy', 'x', 3] })).toMatchObject([
      { path: ['body', 'a', 1], type: 'string_too_short', input: 'x' },
      { path: ['body', 'a', 2], type: 'string_type', input: 3 },
    ]);
  });

  it('name the place in lists', () => {
    const [found] = told(z.object({ a: z.array(z.object({ b: z.int() })) }), { a: [{ b: 1 }, { b: 'x' }] });
    expect(found?.path).toEqual(['body', 'a', 1, 'b']);
  });

  it('are gathered over the parts of a request', () => {
    const problems: Detail[] = [];
    expect(check(z.object({ a: z.coerce.number() }), { a: '1' }, 'query', problems)).toEqual({ a: 1 });
    expect(check(undefined, 'anything', 'body', problems)).toBeUndefined();
    expect(problems).toEqual([]);
    expect(check(z.object({ a: z.string() }), undefined, 'body', problems)).toBeUndefined();
    check(z.object({ p: z.coerce.number().min(1) }), { p: '0' }, 'query', problems);
    expect(problems.map(({ path, type }) => [path.join('.'), type])).toEqual([
      ['body', 'missing'],
      ['query.p', 'greater_than_equal'],
    ]);
  });
});
