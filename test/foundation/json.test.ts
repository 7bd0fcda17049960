import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/foundation/json.ts';

describe('a text as JSON', () => {
  it.each([
    ['an object', '{"a": [1]}', { a: [1] }],
    ['null', 'null', null],
    ['a text that is none', '{"a":', undefined],
    ['an empty text', '', undefined],
  ])('is read: %s', (_name, text, value) => expect(parseJson(text)).toEqual(value));
});
