import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { type ExtractedPage, extractPage } from '../../src/services/web/extract/extract.ts';
import { TooComplexError } from '../../src/services/web/extract/page.ts';
import { type FuzzTarget, mutated } from './target.ts';

const PARAGRAPH = 'Consiliul local a votat marți bugetul pe anul viitor, după o ședință de trei ore. '.repeat(
  4,
);
const EXAMPLES = [
  `<!doctype html><html lang="ro"><head><title>Bugetul a trecut | Ziarul</title><meta property="og:title" content="Bugetul"><meta name="author" content="Ana Pop"><link rel="canonical" href="/a/1"></head><body><nav><a href="/">Acasă</a></nav><article><h1>Bugetul</h1><time datetime="2024-03-05T08:00">marți</time><p>${PARAGRAPH}</p><p>${PARAGRAPH}</p></article><footer>© 2024</footer></body></html>`,
  `<html><head><script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"A","author":[{"@type":"Person","name":"B"}],"datePublished":"2024-03-05","image":["http://a.example/x.png"]}</script></head><body><div class="content"><table><tr><td><p>${PARAGRAPH}</table></div></body></html>`,
  `<p>${PARAGRAPH}<ul><li>one<li>two</ul><svg><title>x</title></svg><template><p>y</template><noscript><img src="x"></noscript>`,
  Buffer.from(`<meta charset="iso-8859-2"><p>\xbetiin\xfe\xe3 ${PARAGRAPH}</p>`, 'latin1'),
];
const WORDS = [
  '<',
  '>',
  '</',
  '/>',
  '<p>',
  '</div>',
  '<table>',
  '<script>',
  '</script>',
  '<!--',
  '-->',
  '<![CDATA[',
  '<article>',
  '<svg>',
  '<template>',
  '<plaintext>',
  '&#0;',
  '&#x10ffff;',
  '&amp;',
  '&nbsp',
  '"',
  "'",
  '=',
  ' class="comments"',
  '<meta charset="utf-16">',
  '<meta charset="x-user-defined">',
  '{"@type":',
  '[]',
  'null',
  '<base href="//[">',
  ' datetime="0000-00-00"',
  '\0',
  '\u202e',
  '\ud800',
  '<frameset>',
  '<math><mi>',
];
const TYPES = [
  undefined,
  'text/html',
  'text/html; charset=utf-8',
  'text/html; charset=windows-1250',
  'text/html; charset=utf-16le',
  'text/html; charset=nonsense',
];

type Outcome = ExtractedPage | 'too complex';

function extracted(bytes: Buffer, contentType: string | undefined, mediaType: string): Outcome {
  try {
    const page = { bytes, contentType, mediaType, url: 'http://a.example/x' };
    return extractPage(page, '2026-01-31');
  } catch (error) {
    if (error instanceof TooComplexError) return 'too complex';
    throw error;
  }
}

/** Pages: any bytes are a page, the same bytes are the same page, and what is read of it can be stored and sent. */
export const extraction: FuzzTarget = {
  name: 'extraction',
  open: async () => ({
    property: fc.asyncProperty(
      mutated(EXAMPLES, WORDS),
      fc.constantFrom(...TYPES),
      fc.constantFrom('text/html', 'text/plain'),
      async (bytes, contentType, mediaType) => {
        const page = extracted(bytes, contentType, mediaType);
        deepStrictEqual(extracted(bytes, contentType, mediaType), page);
        if (page === 'too complex') return;
        const characters = [page.text, page.metadata.title ?? '', page.metadata.author ?? ''].join('\n');
        ok(characters.isWellFormed(), 'half of a surrogate pair');
        ok(!characters.includes('\0'), 'NUL');
        deepStrictEqual(JSON.parse(JSON.stringify(page.metadata)), page.metadata);
        const { canonical_url: canonical, published_at: published } = page.metadata;
        if (canonical !== null) ok(/^https?:/.test(canonical), `a canonical address ${canonical}`);
        if (published !== null) ok(!Number.isNaN(Date.parse(published)), `published ${published}`);
      },
    ),
    close: async () => undefined,
  }),
};
