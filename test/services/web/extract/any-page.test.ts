import fc from 'fast-check';
import { expect, it } from 'vitest';
import { extractPage } from '../../../../src/services/web/extract/extract.ts';
import { runs } from '../../../campaign.ts';
import { codePoint } from '../../../code-points.ts';

const names =
  'div p a table tr td svg math template script style title h1 meta link html body head select img br article main noscript iframe form time base frameset li ul textarea plaintext !doctype !-- ?xml'.split(
    ' ',
  );
const attributes = [
  '',
  ' class="article"',
  ' id="comments"',
  ' href="http://["',
  ' property="og:title" content="x"',
  ' datetime="2020-02-30"',
  ' =x',
  ' "',
  " a='",
  ' rel=canonical href="javascript:x"',
  ' type="application/ld+json"',
  ' lang="xx-"',
  ' itemprop=author',
];
const contents = [
  '{"@type":"NewsArticle","author":null,"headline":["a",1],"publisher":[[]],"image":{"url":{}}}',
  '&amp;amp;#0;',
  'Consiliul local a votat bugetul. '.repeat(20),
  '\0',
  '<![CDATA[',
  ']]>',
];
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...attributes))
    .map(([name, attribute]) => `<${name}${attribute}>`),
  fc.constantFrom(...names).map((name) => `</${name}>`),
  fc.string({ unit: codePoint, maxLength: 20 }),
  fc.constantFrom(...contents),
);

it('any heap of tags is a page, and the same heap is the same page', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const page = {
        bytes: Buffer.from(pieces.join('')),
        contentType: undefined,
        mediaType: 'text/html',
        url: 'http://a.example/x',
      };
      const first = extractPage(page, '2026-01-31');
      expect(typeof first.text).toBe('string');
      expect(extractPage(page, '2026-01-31')).toEqual(first);
    }),
    { numRuns: runs(300) },
  );
});
