import { type DomElement, type DomNode, elementNode, textNode } from './dom.ts';

const blockElements = new Set(
  (
    'address article aside blockquote br caption center dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** Elements whose text nobody reads. */
const silentElements = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'head',
  'iframe',
  'object',
]);

/** Text of a tree with one line for each block: words of neighbouring blocks never run together. */
export function blockText(root: DomNode): string {
  const parts: string[] = [];
  append(root, parts);
  return parts
    .join('')
    .replace(/[ \t\f\v\u00a0]+/g, ' ')
    .replace(/ ?[\n\r][\s]*/g, '\n')
    .trim();
}

/** Recursion is safe: the tree's depth is bounded when it is parsed. */
function append(parent: DomNode, parts: string[]): void {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === textNode) parts.push((node.nodeValue ?? '').replace(/[\n\r]/g, ' '));
    if (node.nodeType !== elementNode) continue;
    const name = (node as DomElement).localName;
    if (silentElements.has(name)) continue;
    const isBlock = blockElements.has(name);
    if (isBlock) parts.push('\n');
    append(node, parts);
    if (isBlock) parts.push('\n');
  }
}

/** One line: all white space, and the breaks between blocks, become single spaces. */
export const squash = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
