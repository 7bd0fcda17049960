import { describe, expect, it } from 'vitest';
import {
  elementText,
  readPage,
  TooComplexError,
  TREE_LIMITS,
} from '../../../../src/services/web/extract/page.ts';
import { REGIONS } from '../../../../src/services/web/extract/regions.ts';

const linesOf = (html: string) => readPage(html).lines.map(({ text }) => text);

describe('a page read once', () => {
  const cases: Array<[what: string, html: string, lines: string[]]> = [
    ['blocks', '<div>Unu <b>doi</b><p>trei</p>patru</div>', ['Unu doi', 'trei', 'patru']],
    ['line breaks', 'unu<br>doi<br/>trei', ['unu', 'doi', 'trei']],
    ['white space', '<p>  unu\n\t doi&nbsp; trei </p><p> &nbsp; </p>', ['unu doi trei']],
    ['what is not shown', '<style>a</style><script>b</script><svg><title>c</title></svg><p>d</p>', ['d']],
    ['a head that is never closed', '<head><title>t</title><body><p>unu', ['unu']],
    ['no root at all', 'unu<p>doi', ['unu', 'doi']],
    [
      'noscript beside text',
      `<noscript>fără</noscript><p>${'text '.repeat(60)}</p>`,
      ['text '.repeat(60).trim()],
    ],
    [
      'noscript as all there is',
      '<div id="app"></div><noscript><p>Textul paginii</p></noscript>',
      ['Textul paginii'],
    ],
    ['a CDATA section, which HTML does not have', '<body><![CDATA[<p>unu</p><p>doi</p>', ['unu', 'doi']],
  ];
  it.each(cases)('has the lines of %s', (_what, html, lines) => {
    expect(linesOf(html)).toEqual(lines);
  });

  it('measures links and emphasis in characters that are seen', () => {
    const [line] = readPage('<p>unu <a href="/">doi <b>trei</b></a></p>').lines;
    expect(line).toMatchObject({ size: 10, linked: 7, strong: 4 });
  });

  it('knows for each element which lines and words it holds', () => {
    const page = readPage('<p>unu</p><div id="x"><p>doi</p><p>trei <i>patru</i></p></div><p>cinci</p>');
    const [element] = page.named;
    expect([element?.firstLine, element?.endLine]).toEqual([1, 3]);
    expect(element && elementText(page, element)).toBe('doitrei patru');
    expect(element && elementText(page, element, 5)).toBeUndefined();
  });

  it('knows the regions around each line', () => {
    const regions = readPage('<main><article><ul role="navigation"><li hidden>unu</ul></article></main>')
      .lines[0]?.inner.regions;
    const expected = REGIONS.main | REGIONS.article | REGIONS.navigation | REGIONS.list | REGIONS.hidden;
    expect((regions ?? 0) & expected).toBe(expected);
  });

  it('takes the first title that is not of a picture, the language and the data', () => {
    const page = readPage(
      '<html lang="ro"><svg><title>no</title></svg><title> Un  titlu</title><script type="application/ld+json">{"a":"</p>"}</script>',
    );
    expect([page.title, page.language, page.data]).toEqual(['Un titlu', 'ro', ['{"a":"</p>"}']]);
  });

  it.each([
    ['too deep', '<div>'.repeat(TREE_LIMITS.depth + 1)],
    ['too many elements', '<p>'.repeat(TREE_LIMITS.tags + 1)],
  ])('gives up one that is %s', (_what, html) => {
    expect(() => readPage(html)).toThrow(TooComplexError);
  });
});
