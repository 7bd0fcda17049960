import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/foundation/html.ts';
import { codePoint } from '../code-points.ts';

describe('the html tag', () => {
  it('escapes text, and leaves HTML of its own as it is', () => {
    const inner = html`<b>${'a < b & "c" \'d\''}</b>`;
    expect(String(html`<p title="${'"'}">${inner}</p>`)).toBe(
      '<p title="&quot;"><b>a &lt; b &amp; &quot;c&quot; &#39;d&#39;</b></p>',
    );
  });

  it('joins lists, prints numbers, and prints nothing for null and false', () => {
    expect(String(html`${['a', html`<i>b</i>`, ['c', null]]}|${0}|${null}${false}`)).toBe('a<i>b</i>c|0|');
  });

  it('keeps line breaks and tabs, and replaces control characters and half surrogates', () => {
    expect(String(html`${'a\n\tb\0\u001b\ud800'}`)).toBe('a\n\tb\ufffd\ufffd\ufffd');
  });

  it('lets no value leave the element or the attribute that it stands in', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (value) => {
        const [, attribute = '', text = ''] = /^<p title="([^"]*)">([\s\S]*)<\/p>$/.exec(
          String(html`<p title="${value}">${value}</p>`),
        ) ?? ['', '<', '<'];
        expect(attribute).not.toMatch(/[<>"']/);
        expect(text).not.toMatch(/[<>"']/);
      }),
    );
  });
});
