import { Readability } from '@mozilla/readability';
import { type KnownFacts, trimArticle } from './article-lines.ts';
import { blockLines, type Line } from './blocks.ts';
import type { DomDocument, DomElement } from './dom.ts';
import { pageLines } from './page-lines.ts';

/** The main text of a page and where it came from. */
export interface ArticleText {
  text: string;
  /** `none` when the page has no text at all. */
  source: 'article' | 'page' | 'plain_text' | 'none';
  /** Pictures within the main text, in order, as the page spells their addresses. */
  pictures: { address: string; alt: string }[];
}

/** Text length from which Readability accepts an article, in characters; its own default. */
const ENOUGH_CHARACTERS = 500;

const CAPTION_MARKUP =
  'figcaption, [class*=caption], [class*=Caption], [itemprop=caption], [class*=photo-credit], [class*=image-credit], [class*=wp-caption-text]';
/** Longer than any caption: a wrapper whose name merely contains the word. */
const LONGEST_CAPTION = 500;

/** Removes captions, which do not belong to the running text. */
function removeCaptions(document: DomDocument): void {
  for (const element of document.querySelectorAll(CAPTION_MARKUP)) {
    if ((element.textContent ?? '').length <= LONGEST_CAPTION) {
      if (element.querySelector('img') === null) element.remove();
    }
  }
}

/**
 * Share of the page's own text below which the article reader missed most of it. Pages that call themselves articles
 * may carry long comments; others are lists, forums and catalogues.
 */
const MISSED_SHARE = { article: 0.15, other: 0.45 };

const sizeOf = (lines: readonly Line[]) => lines.reduce((sum, line) => sum + line.text.length, 0);

/** The article's lines, or the page's when the article reader found too little of it. */
export function chooseLines(article: Line[], page: Line[], isArticle: boolean): 'article' | 'page' | 'none' {
  if (article.length === 0) return page.length === 0 ? 'none' : 'page';
  const least = isArticle ? MISSED_SHARE.article : MISSED_SHARE.other;
  return sizeOf(article) < sizeOf(page) * least ? 'page' : 'article';
}

/** Reads the main text. Changes the document: everything else has to be read before. */
export function readArticle(document: DomDocument, known: KnownFacts, isArticle: boolean): ArticleText {
  const page = pageLines(document, isArticle);
  const pictures: ArticleText['pictures'] = [];
  let article: Line[] = [];
  removeCaptions(document);
  const reader = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    charThreshold: ENOUGH_CHARACTERS,
    serializer: (root) => {
      pictures.push(...picturesIn(root as unknown as DomElement));
      article = trimArticle(blockLines(root as unknown as DomElement), known);
      return '';
    },
  });
  try {
    reader.parse();
  } catch {
    // It throws on some malformed trees; the lines of the page are used instead.
    article = [];
  }
  const source = chooseLines(article, page, isArticle);
  const text = (source === 'page' ? page : article).map((line) => line.text).join('\n');
  return { text, source, pictures };
}

function picturesIn(root: DomElement): ArticleText['pictures'] {
  return [...root.querySelectorAll('img')].flatMap((image) => {
    const address = image.getAttribute('src') ?? image.getAttribute('data-src');
    return address === null || address === '' ? [] : [{ address, alt: image.getAttribute('alt') ?? '' }];
  });
}
