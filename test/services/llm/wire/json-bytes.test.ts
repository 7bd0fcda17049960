import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  elementStarts,
  insert,
  members,
  removals,
  skipSpace,
  splice,
  valueEnd,
} from '../../../../src/services/llm/wire/json-bytes.ts';
import { codePoint } from '../../../code-points.ts';

const spacing = fc.constantFrom('', ' ', '\n', '\t ', '  \r\n');

/** JSON texts with any white space between their parts. */
const jsonText = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), spacing, fc.nat(4))
  .map(([value, space, indent]) => `${space}${JSON.stringify(value, null, indent)}${space}`);

const objectText = fc
  .tuple(fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue({ maxDepth: 3 })), fc.nat(3))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe('valueEnd', () => {
  it('finds the end of every JSON value, whatever follows', () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom('', ',1', ']', '}', ' ,"a"'), (text, tail) => {
        const bytes = Buffer.from(text + tail);
        const start = skipSpace(bytes, 0);
        const value = bytes.toString('utf8', start, valueEnd(bytes, start));
        expect(JSON.parse(value)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is not deceived by escaped quotes and backslashes at the end of strings', () => {
    const text = JSON.stringify({ a: '\\', b: '\\"', c: '"}]', d: 'x\\\\' });
    const bytes = Buffer.from(`${text},`);
    expect(valueEnd(bytes, 0)).toBe(bytes.length - 1);
  });

  it('survives depth that recursion would not', () => {
    const bytes = Buffer.from('['.repeat(200_000) + ']'.repeat(200_000));
    expect(valueEnd(bytes, 0)).toBe(bytes.length);
  });
});

describe('members', () => {
  it('names every member with its value, in order', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const bytes = Buffer.from(text);
        const found = members(bytes, 0).map(({ key, valueStart, valueEnd: end }) => [
          key,
          JSON.parse(bytes.toString('utf8', valueStart, end)),
        ]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads escaped keys and keeps repeated ones', () => {
    const bytes = Buffer.from('{"back\\u0065nd":1,"x":2,"backend":3}');
    expect(members(bytes, 0).map(({ key }) => key)).toEqual(['backend', 'x', 'backend']);
  });
});

describe('elementStarts', () => {
  it('finds every element', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 })), fc.nat(2), (values, indent) => {
        const bytes = Buffer.from(JSON.stringify(values, null, indent));
        const found = elementStarts(bytes, 0).map((at) =>
          JSON.parse(bytes.toString('utf8', at, valueEnd(bytes, at))),
        );
        expect(found).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });
});

describe('removals', () => {
  it('takes out exactly the named members, wherever they stand and however often', () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
    fc.assert(
      fc.property(keys, spacing, (names, space) => {
        const body = names.map((name, index) => `${space}"${name}"${space}:${space}${index}`);
        const bytes = Buffer.from(`{${body.join(`${space},`)}${space}}`);
        const edited = splice(bytes, removals(members(bytes, 0), 'a'));
        const left = members(edited, 0);
        expect(() => JSON.parse(edited.toString())).not.toThrow();
        expect(left.map(({ key }) => key)).toEqual(names.filter((name) => name !== 'a'));
      }),
    );
  });
});

describe('splice and insert', () => {
  it('leave every other byte as it was', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string(), fc.nat(), (data, text, place) => {
        const bytes = Buffer.from(data);
        const at = place % (bytes.length + 1);
        const expected = Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)]);
        expect(insert(bytes, at, text).equals(expected)).toBe(true);
        expect(splice(bytes, [{ start: at, end: at, text }]).equals(expected)).toBe(true);
      }),
    );
  });
});
