import { Readability } from '@mozilla/readability';
import { type KnownFacts, trimArticle } from './article-lines.ts';
import { blockLines, blockText, type Line } from './blocks.ts';
import type { DomDocument, DomElement } from './dom.ts';

/** The main text of a page and where it came from. */
export interface ArticleText {
  text: string;
  /** `none` when the page has no text at all. */
  source: 'readability' | 'whole_page' | 'plain_text' | 'none';
  /** Pictures within the main text, in order, as the page spells their addresses. */
  pictures: { address: string; alt: string }[];
}

/** Characters that Readability wants before it stops lowering its standards; its own default. */
const enoughCharacters = 500;

const captions =
  'figcaption, [class*=caption], [class*=Caption], [itemprop=caption], [class*=photo-credit], [class*=image-credit], [class*=wp-caption-text]';
/** Longer than any caption: a wrapper whose name merely contains the word. */
const longestCaption = 500;

/** Captions tell about pictures; in the running text they would be sentences out of nowhere. */
function removeCaptions(document: DomDocument): void {
  for (const element of document.querySelectorAll(captions)) {
    if ((element.textContent ?? '').length <= longestCaption) {
      if (element.querySelector('img') === null) element.remove();
    }
  }
}

/** Reads the main text. Changes the document: everything else has to be read before. */
export function readArticle(document: DomDocument, known: KnownFacts): ArticleText {
  const wholePage = document.body === null ? '' : blockText(document.body);
  const pictures: ArticleText['pictures'] = [];
  let lines: Line[] = [];
  removeCaptions(document);
  const reader = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    charThreshold: enoughCharacters,
    serializer: (root) => {
      pictures.push(...picturesIn(root as unknown as DomElement));
      lines = trimArticle(blockLines(root as unknown as DomElement), known);
      return '';
    },
  });
  reader.parse();
  const text = lines.map((line) => line.text).join('\n');
  if (text !== '') return { text, source: 'readability', pictures };
  return { text: wholePage, source: wholePage === '' ? 'none' : 'whole_page', pictures };
}

function picturesIn(root: DomElement): ArticleText['pictures'] {
  return [...root.querySelectorAll('img')].flatMap((image) => {
    const address = image.getAttribute('src') ?? image.getAttribute('data-src');
    return address === null || address === '' ? [] : [{ address, alt: image.getAttribute('alt') ?? '' }];
  });
}
