import { type DomElement, type DomNode, ELEMENT_NODE, TEXT_NODE } from './dom.ts';

const BLOCK_ELEMENTS = new Set(
  (
    'address article aside blockquote br caption center dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** Elements whose text is not shown. */
const INVISIBLE_ELEMENTS = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'head',
  'iframe',
  'object',
]);

/** One line of a page: the text between two block borders. */
export interface Line {
  text: string;
  /** Share of its characters that stand in links, 0 to 1. */
  linked: number;
  /** The block element that it stands in. */
  tag: string;
}

interface Piece {
  text: string;
  isLink: boolean;
}

const visibleLength = (text: string) => text.replace(/[\s\u00a0]+/g, '').length;

const skipNothing = () => false;

/** The lines of a tree, less the elements to skip: words of neighbouring blocks never run together. */
export function blockLines(root: DomNode, skip: (element: DomElement) => boolean = skipNothing): Line[] {
  const lines: Line[] = [];
  let pieces: Piece[] = [];
  let tag = 'body';
  const flush = () => {
    const text = collapseWhitespace(pieces.map((piece) => piece.text).join(''));
    if (text !== '') {
      const linked = pieces.reduce((sum, piece) => sum + (piece.isLink ? visibleLength(piece.text) : 0), 0);
      lines.push({ text, linked: linked / visibleLength(text), tag });
    }
    pieces = [];
  };
  /** Recursion is safe: the tree's depth is bounded when it is parsed. */
  const visit = (parent: DomNode, block: string, isLink: boolean) => {
    for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === TEXT_NODE) {
        tag = pieces.length === 0 ? block : tag;
        pieces.push({ text: node.nodeValue ?? '', isLink });
      }
      if (node.nodeType !== ELEMENT_NODE) continue;
      const element = node as DomElement;
      const name = element.localName;
      if (INVISIBLE_ELEMENTS.has(name) || skip(element)) continue;
      const isBlock = BLOCK_ELEMENTS.has(name);
      if (isBlock) flush();
      visit(node, isBlock && name !== 'br' ? name : block, isLink || name === 'a');
      if (isBlock) flush();
    }
  };
  visit(root, 'body', false);
  flush();
  return lines;
}

/** Text of a tree, one line for each block. */
export function blockText(root: DomNode): string {
  return blockLines(root)
    .map((line) => line.text)
    .join('\n');
}

/** One line: all white space becomes single spaces. */
export const collapseWhitespace = (text: string | null | undefined) =>
  (text ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
