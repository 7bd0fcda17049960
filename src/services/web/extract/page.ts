import { Parser } from 'htmlparser2';
import { pageRegionsOf, REGIONS } from './regions.ts';

/** Limits beyond which a page is an attack or a data dump, not something people read. */
export const TREE_LIMITS = { tags: 300_000, depth: 600 };

/** A page that is too large or too deep to be read. */
export class TooComplexError extends Error {}

/** An element as it was met; its text and its lines are ranges of what the whole page holds. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: PageElement | null;
  readonly depth: number;
  /** Bits of REGIONS that hold here: its own and those of everything around it. */
  readonly regions: number;
  /** Range of the pieces of text within it; the end is set when it closes. */
  readonly firstPiece: number;
  endPiece: number;
  /** Range of the lines within it; meaningful for blocks. */
  readonly firstLine: number;
  endLine: number;
  /** Order among all elements. */
  readonly index: number;
}

/** One line of a page: the text between two block borders. */
export interface PageLine {
  readonly text: string;
  /** Characters that are not white space, and those of them within links and within emphasis. */
  readonly size: number;
  readonly linked: number;
  readonly strong: number;
  /** The block that it stands in, and the innermost element of its first words. */
  readonly block: PageElement;
  readonly inner: PageElement;
}

/** A page read once: its lines, and the elements that say something of the page. */
export interface Page {
  readonly lines: readonly PageLine[];
  /** Visible text as it was written, in document order; elements hold ranges of it. */
  readonly pieces: readonly string[];
  readonly title: string | null;
  readonly language: string | null;
  readonly metas: readonly PageElement[];
  readonly links: readonly PageElement[];
  readonly headings: readonly PageElement[];
  readonly images: readonly PageElement[];
  /** Sources of JSON-LD. */
  readonly data: readonly string[];
  /** Elements with a class, an id, a role, a source or an item property, and all time elements, in document order. */
  readonly named: readonly PageElement[];
  readonly elements: number;
}

const words = (list: string) => new Set(list.split(' '));
const BLOCKS = words(
  'address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr html li main nav ol optgroup option p pre section select summary table tbody td textarea tfoot th thead tr ul',
);
/** Elements whose text is not shown. */
const INVISIBLE = words(
  'script style noscript template svg iframe object title canvas audio video math-annotation',
);
const NAMING = ['class', 'id', 'role', 'itemprop', 'rel'] as const;
/** Elements of which all are of interest. */
const ALWAYS_NAMED = words('time abbr iframe script');

/** What stands where a CDATA section began; scripts have it as well. */
export const CDATA_MARK = '<!CDATA>';

const isSpace = (code: number) => code <= 32 || code === 160;

/** Characters that are not white space. */
function visibleLength(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) count++;
  return count;
}

/** One line: all white space becomes single spaces. */
export const collapseWhitespace = (text: string | null | undefined) =>
  (text ?? '').replace(/\s+/g, ' ').trim();

/** The text within an element on one line; undefined when it is longer than `longest` units as written. */
export function elementText(
  page: Page,
  element: PageElement,
  longest = Number.POSITIVE_INFINITY,
): string | undefined {
  let length = 0;
  for (let at = element.firstPiece; at < element.endPiece; at++) {
    length += page.pieces[at]?.length ?? 0;
    if (length > longest) return undefined;
  }
  return collapseWhitespace(page.pieces.slice(element.firstPiece, element.endPiece).join(''));
}

/** Tags that the parser may see: a bound on the elements, known before any is read. */
function countTags(html: string): number {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags++;
  return tags;
}

/** Text outside of noscript below which that is the page, as on sites that build their pages by scripts. In characters. */
const NEXT_TO_NOTHING = 200;

/** Reads a page as it is parsed, without making a tree; throws TooComplexError beyond the limits. */
export function readPage(html: string): Page {
  if (countTags(html) > TREE_LIMITS.tags) throw new TooComplexError('too many elements');
  // In HTML this is no section but a declaration that ends at once; the parser would skip the rest of the page.
  const source = html.includes('<![CDATA[') ? html.replaceAll('<![CDATA[', CDATA_MARK) : html;
  const page = parsePage(source, { withNoscript: false });
  const shown = page.lines.reduce((sum, { size }) => sum + size, 0);
  return shown < NEXT_TO_NOTHING && source.includes('<noscript')
    ? parsePage(source, { withNoscript: true })
    : page;
}

function parsePage(html: string, { withNoscript }: { readonly withNoscript: boolean }): Page {
  const reader = new PageExtractor(withNoscript);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      onclosetag: () => reader.close(),
      ontext: (text) => reader.add(text),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return reader.finish();
}

const ROOT: PageElement = {
  name: 'html',
  attributes: {},
  parent: null,
  depth: 0,
  regions: 0,
  firstPiece: 0,
  endPiece: 0,
  firstLine: 0,
  endLine: 0,
  index: 0,
};

/** The state of one reading. */
class PageExtractor {
  private readonly lines: PageLine[] = [];
  private readonly pieces: string[] = [];
  private readonly metas: PageElement[] = [];
  private readonly links: PageElement[] = [];
  private readonly headings: PageElement[] = [];
  private readonly images: PageElement[] = [];
  private readonly named: PageElement[] = [];
  private readonly data: string[] = [];
  private readonly root: PageElement = { ...ROOT };
  private current: PageElement = this.root;
  private block: PageElement = this.root;
  private count = 1;
  private title: string | null = null;
  private language: string | null = null;
  /** The element whose text is taken as it is, and that text. */
  private capturing: PageElement | null = null;
  private captured: string[] = [];
  private readonly withNoscript: boolean;
  // The line that is being read.
  private from = 0;
  private size = 0;
  private linked = 0;
  private strong = 0;
  private inner: PageElement | null = null;

  constructor(withNoscript: boolean) {
    this.withNoscript = withNoscript;
  }

  open(name: string, attributes: Record<string, string>): void {
    const parent = this.current;
    if (parent.depth >= TREE_LIMITS.depth) throw new TooComplexError('nested too deeply');
    if (BLOCKS.has(name)) this.flush();
    const element: PageElement = {
      name,
      attributes,
      parent,
      depth: parent.depth + 1,
      regions: pageRegionsOf(name, attributes, parent.regions, this.hides(name)),
      firstPiece: this.pieces.length,
      endPiece: this.pieces.length,
      firstLine: this.lines.length,
      endLine: this.lines.length,
      index: this.count++,
    };
    this.current = element;
    if (BLOCKS.has(name) && name !== 'br') this.block = element;
    this.note(element);
  }

  close(): void {
    const element = this.current;
    if (BLOCKS.has(element.name)) this.flush();
    element.endPiece = this.pieces.length;
    element.endLine = this.lines.length;
    this.current = element.parent ?? this.root;
    if (this.block === element) this.block = blockAround(this.current) ?? this.root;
    if (this.capturing === element) this.capture(element);
  }

  add(text: string): void {
    if (this.capturing !== null) this.captured.push(text);
    const { regions } = this.current;
    if ((regions & REGIONS.invisible) !== 0) return;
    this.pieces.push(text);
    const size = visibleLength(text);
    if (size === 0) return;
    this.size += size;
    if ((regions & REGIONS.link) !== 0) this.linked += size;
    if ((regions & REGIONS.strong) !== 0) this.strong += size;
    this.inner ??= this.current;
  }

  finish(): Page {
    this.flush();
    this.root.endPiece = this.pieces.length;
    this.root.endLine = this.lines.length;
    const { lines, pieces, title, language, metas, links, headings, images, data, named, count } = this;
    return { lines, pieces, title, language, metas, links, headings, images, data, named, elements: count };
  }

  private hides(name: string): boolean {
    return INVISIBLE.has(name) && !(this.withNoscript && name === 'noscript');
  }

  /** Keeps an element that is read later. */
  private note(element: PageElement): void {
    const { name, attributes } = element;
    if (name === 'meta') this.metas.push(element);
    else if (name === 'link') this.links.push(element);
    else if (name === 'h1') this.headings.push(element);
    else if (name === 'img') this.images.push(element);
    else if (name === 'html') this.language ??= attributes.lang ?? attributes['xml:lang'] ?? null;
    const isInByline = name === 'a' && (element.regions & REGIONS.byline) !== 0;
    if (isInByline || ALWAYS_NAMED.has(name) || NAMING.some((key) => attributes[key] !== undefined))
      this.named.push(element);
    const isShown = ((element.parent?.regions ?? 0) & REGIONS.invisible) === 0;
    const isTitle = name === 'title' && this.title === null && isShown;
    if (isTitle || (name === 'script' && attributes.type === 'application/ld+json')) {
      this.capturing = element;
      this.captured = [];
    }
  }

  private capture(element: PageElement): void {
    const text = this.captured.join('');
    if (element.name === 'title') this.title = collapseWhitespace(text);
    else this.data.push(text);
    this.capturing = null;
    this.captured = [];
  }

  /** Ends the line at a border of blocks. */
  private flush(): void {
    if (this.size > 0) {
      const { size, linked, strong, block } = this;
      const text = collapseWhitespace(this.pieces.slice(this.from).join(''));
      this.lines.push({ text, size, linked, strong, block, inner: this.inner ?? block });
      this.size = 0;
      this.linked = 0;
      this.strong = 0;
    }
    this.inner = null;
    this.from = this.pieces.length;
  }
}

/** The element itself or the nearest one around it that is a block. */
function blockAround(element: PageElement | null): PageElement | null {
  let each = element;
  while (each !== null && (!BLOCKS.has(each.name) || each.name === 'br')) each = each.parent;
  return each;
}
