import { Parser } from 'htmlparser2';
import { parseHTML } from 'linkedom';

/** The part of the DOM that extraction uses; linkedom's own types want the browser's library. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomElement | null;
  readonly textContent: string | null;
}

/** An element. */
export interface DomElement extends DomNode {
  readonly localName: string;
  readonly id: string;
  readonly outerHTML: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  closest(selector: string): DomElement | null;
  remove(): void;
}

/** A document. */
export interface DomDocument extends DomElement {
  /** Null for a document without a root element. */
  readonly documentElement: DomElement | null;
  readonly head: DomElement | null;
  readonly body: DomElement | null;
  readonly title: string;
}

/** Node kinds that extraction meets. */
export const ELEMENT_NODE = 1;
/** Text within an element. */
export const TEXT_NODE = 3;

/** Limits beyond which a page is an attack or a data dump, not something people read. */
export const TREE_LIMITS = { tags: 300_000, depth: 600 };

/** A page that is too large or too deep to be read. */
export class TooComplexError extends Error {}

/** Opening tags that the parser will see; a bound on the nodes, known before any is made. */
function countTags(html: string): number {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags++;
  return tags;
}

/** Opening tags less closing ones, at most: no tree of this page is deeper, void and unclosed elements counted in. */
function deepestPossible(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    depth = html.charCodeAt(at + 1) === SLASH ? Math.max(0, depth - 1) : depth + 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

const SLASH = 0x2f;

/** Follows the tags with the parser of the tree, but makes none: a tree far too deep takes seconds to build. */
function refuseDepth(html: string): void {
  if (deepestPossible(html) <= TREE_LIMITS.depth) return;
  let depth = 0;
  const parser = new Parser({
    onopentagname: () => {
      depth++;
      if (depth > TREE_LIMITS.depth) throw new TooComplexError('nested too deeply');
    },
    onclosetag: () => {
      depth--;
    },
  });
  parser.end(html);
}

/** Visits every node in document order without recursion, so that no depth can exhaust the stack. */
export function* walk(root: DomNode): Generator<{ node: DomNode; depth: number }> {
  let node: DomNode | null = root.firstChild;
  let depth = 1;
  while (node !== null) {
    yield { node, depth };
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth++;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth--;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
}

/** Parses a page; throws TooComplexError beyond the limits. */
export function parseDocument(html: string): DomDocument {
  if (countTags(html) > TREE_LIMITS.tags) throw new TooComplexError('too many elements');
  refuseDepth(html);
  const document = parseRooted(html);
  for (const { depth } of walk(document))
    if (depth > TREE_LIMITS.depth) throw new TooComplexError('nested too deeply');
  return document;
}

function parse(html: string): DomDocument {
  return (parseHTML(html) as unknown as { document: DomDocument }).document;
}

/** The parser takes the first element for the root; a page without html and body gets them. */
function parseRooted(html: string): DomDocument {
  const document = parse(html);
  if (document.documentElement?.localName === 'html' && document.querySelector('body') !== null)
    return document;
  return parse(`<html><body>${html.replace(/<\/?(?:html|body)(?:\s[^>]{0,1000})?>/gi, '')}</body></html>`);
}
