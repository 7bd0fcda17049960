import { describe, expect, it } from 'vitest';
import { isoDate, plainSnippet } from '../../../../src/services/web/search/provider.ts';

describe('words of vendors', () => {
  it.each([
    ['20240506T101500Z', '2024-05-06T10:15:00Z'],
    ['20240506', '2024-05-06'],
    ['2024-05-06', '2024-05-06'],
    ['2024-05-06T07:08:09', '2024-05-06T07:08:09'],
    ['2024-05-06 soon', '2024-05-06'],
    ['May 6, 2024', '2024-05-06'],
    ['Mon, 06 May 2024 07:08:09 GMT', '2024-05-06'],
    ['3 days ago', null],
    ['', null],
    [null, null],
    ['never', null],
  ])('date %j is %j', (written, date) => {
    expect(isoDate(written)).toBe(date);
  });

  it('snippets lose their marks', () => {
    expect(plainSnippet('<b>a</b>&nbsp;&lt;b&gt; &amp;amp; \n c')).toBe('a <b> &amp; c');
  });
});
