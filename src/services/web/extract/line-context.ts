import type { LineWording } from './line-wording.ts';
import { nameGroups } from './names.ts';
import type { Page, PageElement, PageLine } from './page.ts';

/** Sums over lines; those of an element are the difference of two. Sizes in characters that are not white space. */
interface Sums {
  readonly size: number;
  readonly linked: number;
  readonly prose: number;
  readonly sentences: number;
  readonly replies: number;
  readonly cut: number;
  readonly dates: number;
}

const NOTHING: Sums = { size: 0, linked: 0, prose: 0, sentences: 0, replies: 0, cut: 0, dates: 0 };

/** What an element holds. */
export interface ElementSums extends Sums {
  readonly lines: number;
}

/** What surrounds the lines of one block. */
export interface BlockContext {
  readonly block: PageElement;
  /** Elements around it that hold ever more lines, the innermost first. */
  readonly levels: readonly PageElement[];
  /** Name groups of the block and of the two elements around it. */
  readonly near: number;
  /** Name groups of all elements around it that do not hold most of the page. */
  readonly far: number;
  /** Most siblings alike, of an element around it, and how much of the page these hold. */
  readonly repeats: number;
  readonly repeatedShare: number;
  /** Place among those siblings, from 0. */
  readonly repeatedPlace: number;
  /** Same for lines of the same make: names and classes of the block and of two elements around it. */
  readonly make: string;
}

/** An element with this share of the page's text is content, whatever its name. */
const WRAPPER_SHARE = 0.7;
/** Siblings alike that are a list. */
const FEWEST_REPEATS = 3;
/** Elements around a block that are looked at; honest pages are less deep. */
const FARTHEST = 60;

const signatureOf = ({ name, attributes }: PageElement) => `${name}.${(attributes.class ?? '').slice(0, 40)}`;

interface Siblings {
  count: number;
  size: number;
}

/** What is kept of an element that holds lines, for all lines within it. */
interface ElementContext {
  readonly element: PageElement;
  readonly size: number;
  readonly groups: number;
  readonly signature: string;
  readonly alike: Siblings;
  /** Place among its siblings alike. */
  readonly place: number;
  readonly around: ElementContext | undefined;
}

/** Looks at what surrounds each line, once for each block. */
export class LineContexts {
  private readonly sums: Sums[];
  private readonly contexts = new Map<PageElement, BlockContext>();
  private readonly groups = new Map<string, number>();
  private readonly siblings = new Map<string, Siblings>();
  private readonly kept = new Map<PageElement, ElementContext>();
  readonly whole: ElementSums;

  constructor(page: Page, wordings: readonly LineWording[]) {
    this.sums = sumsOf(page.lines, wordings);
    this.whole = this.between(0, page.lines.length);
    for (const { block } of page.lines) this.keep(block);
  }

  /** What the lines of an element add up to. */
  sumsOfElement = (element: PageElement): ElementSums => this.between(element.firstLine, element.endLine);

  /** What the lines from one on and before another add up to. */
  between(first: number, end: number): ElementSums {
    const [from, to] = [this.sums[first], this.sums[end]];
    if (from === undefined || to === undefined) return { ...NOTHING, lines: 0 };
    return {
      size: to.size - from.size,
      linked: to.linked - from.linked,
      prose: to.prose - from.prose,
      sentences: to.sentences - from.sentences,
      replies: to.replies - from.replies,
      cut: to.cut - from.cut,
      dates: to.dates - from.dates,
      lines: end - first,
    };
  }

  of(block: PageElement): BlockContext {
    const known = this.contexts.get(block);
    if (known !== undefined) return known;
    const context = this.read(block);
    this.contexts.set(block, context);
    return context;
  }

  private groupsOf({ attributes }: PageElement): number {
    if (attributes.class === undefined && attributes.id === undefined) return 0;
    const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`;
    const known = this.groups.get(names);
    if (known !== undefined) return known;
    const groups = nameGroups(names);
    this.groups.set(names, groups);
    return groups;
  }

  private read(block: PageElement): BlockContext {
    const levels: PageElement[] = [];
    let [near, far, repeats, repeatedShare, repeatedPlace, steps] = [0, 0, 0, 0, 0, 0];
    let make = '';
    for (
      let each = this.kept.get(block);
      each !== undefined && steps < FARTHEST;
      each = each.around, steps++
    ) {
      const { element, groups, alike } = each;
      const outer = levels.at(-1);
      const isWider =
        outer === undefined || element.endLine - element.firstLine > outer.endLine - outer.firstLine;
      if (isWider) levels.push(element);
      if (steps < 3) near |= groups;
      if (steps < 3) make += `${each.signature} `;
      if (each.size < this.whole.size * WRAPPER_SHARE) far |= groups;
      if (alike.count >= FEWEST_REPEATS && alike.size > repeatedShare * this.whole.size) {
        repeats = alike.count;
        repeatedShare = alike.size / this.whole.size;
        repeatedPlace = each.place;
      }
    }
    return { block, levels, near, far, repeats, repeatedShare, repeatedPlace, make };
  }

  /** Keeps what later lines ask again, and counts siblings alike, of an element and of those around it. */
  private keep(element: PageElement): ElementContext {
    const known = this.kept.get(element);
    if (known !== undefined) return known;
    const around = element.parent === null ? undefined : this.keep(element.parent);
    const signature = signatureOf(element);
    const key = `${element.parent?.index ?? 0} ${signature}`;
    const alike = this.siblings.get(key) ?? { count: 0, size: 0 };
    const { size } = this.sumsOfElement(element);
    const kept = {
      element,
      size,
      groups: this.groupsOf(element),
      signature,
      alike,
      place: alike.count,
      around,
    };
    alike.count++;
    alike.size += size;
    this.siblings.set(key, alike);
    this.kept.set(element, kept);
    return kept;
  }
}

function sumsOf(lines: readonly PageLine[], wordings: readonly LineWording[]): Sums[] {
  let last: Sums = NOTHING;
  const sums = [last];
  for (const [at, { size, linked }] of lines.entries()) {
    const wording = wordings[at];
    last = {
      size: last.size + size,
      linked: last.linked + linked,
      prose: last.prose + (wording?.isProse === true ? size : 0),
      sentences: last.sentences + Number(wording?.endsSentence === true),
      replies: last.replies + Number(wording?.isReply === true),
      cut: last.cut + Number(wording?.isCut === true),
      dates: last.dates + Number(wording?.hasDate === true),
    };
    sums.push(last);
  }
  return sums;
}
