import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPath } from '../../src/foundation/contract.ts';

describe('a path filled in', () => {
  it.each([
    ['/v1/a', {}, '/v1/a'],
    ['/v1/{id}', { id: 7 }, '/v1/7'],
    ['/v1/{id}', { id: 'a/b?c#d e' }, '/v1/a%2Fb%3Fc%23d%20e'],
    ['/v1/{id}/x', {}, '/v1//x'],
    ['/v1/{bucket}/{key*}', { bucket: 'b', key: 'ș/ț 1.png' }, '/v1/b/%C8%99/%C8%9B%201.png'],
    ['/v1/{a}/{a}', { a: '$1' }, '/v1/%241/%241'],
  ])('%s with %j is %s', (path, params, filled) => {
    expect(fillPath(path, params)).toBe(filled);
  });

  it('keeps every value whole: reading it back gives what went in', () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(value, fc.array(value, { minLength: 1, maxLength: 4 }), (id, rest) => {
        const filled = fillPath('/v1/{id}/files/{rest*}', { id, rest: rest.join('/') });
        const [, version, first, files, ...others] = filled.split('/');
        expect([version, files]).toEqual(['v1', 'files']);
        expect(decodeURIComponent(first ?? '')).toBe(id);
        expect(others.map(decodeURIComponent).join('/')).toBe(rest.join('/'));
      }),
    );
  });
});
