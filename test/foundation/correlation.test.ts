import { describe, expect, it } from 'vitest';
import { type CorrelationForm, correlationIdOf } from '../../src/foundation/correlation.ts';

const UUID = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';

describe('correlationOf', () => {
  it.each<[CorrelationForm, string, string]>([
    ['uuid', UUID, UUID.toLowerCase()],
    ['any', UUID, UUID],
    ['any', 'req_1/~!', 'req_1/~!'],
    ['any', 'x'.repeat(128), 'x'.repeat(128)],
  ])('takes over (%s) %s', (form, given, expected) => {
    expect(correlationIdOf(given, form)).toBe(expected);
  });

  it.each<[CorrelationForm, string | string[] | undefined]>([
    ['uuid', 'req_1'],
    ['uuid', undefined],
    ['any', undefined],
    ['any', ''],
    ['any', 'two words'],
    ['any', 'line\nbreak'],
    ['any', 'ü'],
    ['any', 'x'.repeat(129)],
    ['any', ['a', 'b']],
  ])('makes a new one for (%s) %j', (form, given) => {
    expect(correlationIdOf(given, form)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
