import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRangeValid, isUnchanged, requestedRange } from '../../../src/foundation/service/byte-ranges.ts';

describe('the range to serve', () => {
  it.each<[string | undefined, ReturnType<typeof requestedRange>]>([
    [undefined, 'whole'],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=10-', { start: 10, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=90-1000', { start: 90, end: 99 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['Bytes = 1-2', { start: 1, end: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=200-300,5-6,1-2', { start: 5, end: 6 }],
    ['bytes=1-2, 5-6', { start: 1, end: 2 }],
    ['bytes=200-,300-', 'unsatisfiable'],
    ['bytes=5-1', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1-2,x', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['lines=1-2', 'whole'],
    ['1-2', 'whole'],
  ])('of %s in 100 bytes is %j', (header, range) => {
    expect(requestedRange(header, 100)).toEqual(range);
  });

  it('of nothing is nothing', () => {
    expect(requestedRange('bytes=0-0', 0)).toBe('unsatisfiable');
    expect(requestedRange('bytes=-1', 0)).toBe('unsatisfiable');
  });

  it('lies within the content, whatever is asked', () => {
    const piece = fc.constantFrom('bytes=', '0', '7', '99', '100', '-', ',', ' ', '99999999999999999999');
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 0, max: 100 }), (pieces, size) => {
        const range = requestedRange(pieces.join(''), size);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});

describe('conditions', () => {
  const validators = { etag: 'v1', modified: new Date('2026-01-02T03:04:05.678Z') };
  const date = 'Fri, 02 Jan 2026 03:04:05 GMT';
  const later = 'Fri, 02 Jan 2026 03:04:06 GMT';
  const earlier = 'Fri, 02 Jan 2026 03:04:04 GMT';

  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['"v1"', true],
    ['"v2"', false],
    ['W/"v1"', false],
    [date, true],
    [later, false],
    [earlier, false],
    ['nonsense', false],
  ])('If-Range %s lets a range hold: %s', (header, holds) => {
    expect(isRangeValid({ 'if-range': header }, validators)).toBe(holds);
  });

  it('If-Range needs something to compare with', () => {
    expect(isRangeValid({ 'if-range': '"v1"' }, {})).toBe(false);
    expect(isRangeValid({ 'if-range': date }, {})).toBe(false);
  });

  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ 'if-none-match': '"v1"' }, true],
    [{ 'if-none-match': 'W/"v1"' }, true],
    [{ 'if-none-match': '"v0", "v1"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"v2"' }, false],
    [{ 'if-none-match': 'v1' }, false],
    [{ 'if-modified-since': date }, true],
    [{ 'if-modified-since': later }, true],
    [{ 'if-modified-since': earlier }, false],
    [{ 'if-modified-since': 'nonsense' }, false],
    [{ 'if-none-match': '"v2"', 'if-modified-since': later }, false],
  ])('%j means unchanged: %s', (headers, unchanged) => {
    expect(isUnchanged(headers, validators)).toBe(unchanged);
  });
});
