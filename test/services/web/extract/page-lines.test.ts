import { describe, expect, it } from 'vitest';
import { chooseLines } from '../../../../src/services/web/extract/article.ts';
import { parseDocument } from '../../../../src/services/web/extract/dom.ts';
import { pageLines } from '../../../../src/services/web/extract/page-lines.ts';

const read = (body: string, isArticle = false) =>
  pageLines(parseDocument(`<html><body>${body}</body></html>`), isArticle).map(({ text }) => text);
const offers = Array.from({ length: 30 }, (_, index) => `<li>Oferta numărul ${index}</li>`).join('');

describe('the lines of a page', () => {
  it('are those outside of its navigation and side columns', () => {
    const lines = read(
      `<header>Sigla</header><nav>Meniu</nav><div class="breadcrumb">Acasă</div><ul>${offers}</ul>
       <div hidden>ascuns</div><form><label>Caută</label></form><aside>Populare</aside><footer>©</footer>`,
    );
    expect(lines).toHaveLength(30);
    expect(lines[0]).toBe('Oferta numărul 0');
  });

  it('are those of a main element that holds enough', () => {
    expect(read(`<div>Altceva</div><main><ul>${offers}</ul></main>`)[0]).toBe('Oferta numărul 0');
    expect(read(`<div>Altceva</div><main>gol</main><ul>${offers}</ul>`)[0]).toBe('Altceva');
  });

  it('keep a wrapper whose name sounds like navigation', () => {
    expect(read(`<div class="page-with-sidebar"><ul>${offers}</ul></div>`)).toHaveLength(30);
  });

  it('are without comments around an article, and the comments on a forum', () => {
    const page = `<ul>${offers}</ul><div id="comments">Un comentariu</div>`;
    expect(read(page, true)).toHaveLength(30);
    expect(read(page, false)).toHaveLength(31);
  });
});

describe('the choice between article and page', () => {
  const lines = (size: number) => [{ text: 'x'.repeat(size), linked: 0, tag: 'p' }];
  it.each([
    [0, 0, false, 'none'],
    [0, 100, false, 'page'],
    [40, 100, false, 'page'],
    [50, 100, false, 'article'],
    [40, 100, true, 'article'],
    [10, 100, true, 'page'],
  ] as const)('%i of %i characters, article %s: %s', (article, page, isArticle, choice) => {
    expect(chooseLines(article === 0 ? [] : lines(article), page === 0 ? [] : lines(page), isArticle)).toBe(
      choice,
    );
  });
});
