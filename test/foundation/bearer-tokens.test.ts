import { describe, expect, it } from 'vitest';
import { ANONYMOUS, callerName, createTokenCheck, INTERNAL } from '../../src/foundation/bearer-tokens.ts';

describe('createTokenCheck', () => {
  const check = createTokenCheck(['alpha', 'beta']);

  it.each<[string | undefined, string | undefined]>([
    ['Bearer alpha', callerName('alpha')],
    ['bearer  beta ', callerName('beta')],
    ['Bearer gamma', undefined],
    ['Bearer alph', undefined],
    ['Bearer alphaa', undefined],
    ['Bearer alpha\0', undefined],
    ['Bearer ', undefined],
    ['Basic alpha', undefined],
    ['alpha', undefined],
    ['', undefined],
    [undefined, undefined],
    [`Bearer ${'a'.repeat(5000)}`, undefined],
  ])('%#', (header, expected) => {
    expect(check(header)).toBe(expected);
  });

  it('asks for nothing without tokens', () => {
    expect(createTokenCheck([])(undefined)).toBe(ANONYMOUS);
  });

  it('knows our own services, whether tokens are asked for or not', () => {
    const open = createTokenCheck([], 'own');
    expect([open('Bearer own'), open('Bearer other'), open('x'), open(undefined)]).toEqual([
      INTERNAL,
      ANONYMOUS,
      ANONYMOUS,
      ANONYMOUS,
    ]);
    const closed = createTokenCheck(['alpha'], 'own');
    expect([closed('Bearer own'), closed('Bearer alpha'), closed('Bearer x'), closed(undefined)]).toEqual([
      INTERNAL,
      callerName('alpha'),
      undefined,
      undefined,
    ]);
  });

  it('does not give a token away in the name of its caller', () => {
    expect(callerName('alpha')).not.toContain('alpha');
  });
});
