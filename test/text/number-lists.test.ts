import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signedBytes, wholeNumbers } from '../../src/text/number-lists.ts';

describe('a schema of a list of numbers', () => {
  it.each([
    ['no numbers', wholeNumbers(), []],
    ['both bounds', signedBytes(), [-127, 0, 127]],
    ['so many as it must have', signedBytes(2), [1, 2]],
    ['numbers without an upper bound', wholeNumbers({ least: 0 }), [0, 123_456_789]],
  ])('takes %s', (_name, schema, list) => expect(schema.parse(list)).toBe(list));

  it.each([
    ['a fraction', wholeNumbers(), [1, 0.5]],
    ['what is below', signedBytes(), [0, -128]],
    ['what is above', signedBytes(), [128]],
    ['what is no number', wholeNumbers(), [1, '2']],
    ['null', wholeNumbers(), [null]],
    ['too few', signedBytes(3), [1, 2]],
    ['too many', signedBytes(1), [1, 2]],
    ['infinity', wholeNumbers(), [Number.POSITIVE_INFINITY]],
    ['what is no list', wholeNumbers(), { length: 0 }],
  ])('refuses %s', (_name, schema, value) => expect(schema.safeParse(value).success).toBe(false));

  it('says where it stands and what it must be', () => {
    const { error } = z.object({ weights: signedBytes(2) }).safeParse({ weights: [1] });
    expect(error?.issues).toMatchObject([
      { path: ['weights'], message: 'must be a list of 2 whole numbers from -127 to 127' },
    ]);
  });
});
