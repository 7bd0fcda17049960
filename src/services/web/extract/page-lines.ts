import { blockLines, type Line } from './blocks.ts';
import type { DomDocument, DomElement } from './dom.ts';

const CHROME_ELEMENTS = new Set(['nav', 'footer', 'aside', 'form', 'dialog', 'select', 'button', 'label']);
const CHROME_ROLES = new Set(['navigation', 'contentinfo', 'banner', 'search', 'dialog', 'alertdialog']);
const CHROME_NAMES =
  /breadcrumb|newsletter|footer|site-header|sidebar|share|social|pagination|menu|navbar|related|cookie|skip-link/i;

/** Comments: not part of an article, but the content of a forum. */
const DISCUSSION_NAMES = /comment|disqus|respond|replies/i;

/** An element with this share of the page's text is content, whatever its name. */
const WRAPPER_SHARE = 0.6;
/** Text from which on a main element is trusted to be the content, in characters. */
const TRUSTED_MAIN = 400;

const lengthOf = (element: DomElement) => (element.textContent ?? '').length;

const namesOf = (element: DomElement) => `${element.getAttribute('class') ?? ''} ${element.id}`;

function isChrome(element: DomElement, body: DomElement): boolean {
  const name = element.localName;
  if (CHROME_ELEMENTS.has(name)) return true;
  if (name === 'header') return element.parentNode === body;
  if (name === 'main' || name === 'article' || name === 'body') return false;
  if (element.hasAttribute('hidden') || element.getAttribute('aria-hidden') === 'true') return true;
  return CHROME_ROLES.has(element.getAttribute('role') ?? '') || CHROME_NAMES.test(namesOf(element));
}

/**
 * The lines of a page without its navigation, side columns and forms: what is read when there is no single article, as
 * on lists, forums and product pages. Leaves the document as it is.
 */
export function pageLines(document: DomDocument, isArticle: boolean): Line[] {
  const { body } = document;
  if (body === null) return [];
  const limit = lengthOf(body) * WRAPPER_SHARE;
  const main = document.querySelector('main, [role=main]');
  const root = main !== null && lengthOf(main) > TRUSTED_MAIN ? main : body;
  const isDiscussion = (element: DomElement) => isArticle && DISCUSSION_NAMES.test(namesOf(element));
  return blockLines(
    root,
    (element) => isDiscussion(element) || (isChrome(element, body) && lengthOf(element) < limit),
  );
}
