import { type BlockContext, type ElementSums, LineContexts } from './line-context.ts';
import { type LineWording, plainWords, wordingOf } from './line-wording.ts';
import { NAME_GROUPS } from './names.ts';
import type { Page, PageElement, PageLine } from './page.ts';
import { PAGE_FEATURES, type PageStatements, pageFeatures } from './page-features.ts';
import { REGIONS } from './regions.ts';
import type { LineLayout } from './second-stage-features.ts';

const LEVELS = 5;
const NEIGHBOURS = [-3, -2, -1, 1, 2, 3] as const;
const REGION_NAMES = Object.keys(REGIONS) as Array<keyof typeof REGIONS>;
const TAGS = [
  'p li td th dt dd h1 h2 h3 h4 h5 h6 div span a button option pre blockquote figcaption section article summary body form'.split(
    ' ',
  ),
].flat();
const TAG_NUMBERS: ReadonlyMap<string, number> = new Map(TAGS.map((tag, at) => [tag, at + 1]));

const OWN_FEATURES = [
  'units',
  'words',
  'wordLength',
  'linked',
  'strong',
  'tag',
  'innerTag',
  'isHeading',
  'isProse',
  'endsSentence',
  'isLabel',
  'isPointer',
  'isInvitation',
  'isRights',
  'isCredit',
  'isByline',
  'isDateline',
  'hasDate',
  'hasPrice',
  'capitals',
  'digits',
  'commas',
  'isTitle',
  'isAuthor',
  'namesAuthor',
  'repeated',
  'linesOfItsMakeBefore',
  'linesOfItsMake',
  'sizeOfItsMake',
  'linkedOfItsMake',
  'isStated',
  'isCut',
  'isReply',
  'isAddress',
  'isCompanion',
] as const;
const PLACE_FEATURES = [
  'place',
  'placeByText',
  'proseBefore',
  'proseAfter',
  'toHeading',
  'toProseBefore',
  'toProseAfter',
  'headingLevelAbove',
  'headingAboveLinked',
  'headingAboveIsCompanion',
  'toHeadingAbove',
  'companionsBefore',
  'depth',
  'repeats',
  'repeatedShare',
  'repeatedPlace',
  'repeatedLines',
  'inProseHalf',
  'inProseMost',
  'inTextHalf',
  'inTextMost',
  'stepsToProse',
] as const;
const LEVEL_FEATURES = [
  'size',
  'linked',
  'prose',
  'lines',
  'sentences',
  'share',
  'replies',
  'cut',
  'dates',
] as const;
const NEIGHBOUR_FEATURES = ['units', 'linked', 'isHeading', 'endsSentence', 'sharedLevel'] as const;
/** Names of the features of a line, in the order of its row. */
export const LINE_FEATURES: readonly string[] = [
  ...OWN_FEATURES,
  ...REGION_NAMES.map((name) => `region ${name}`),
  ...NAME_GROUPS.map((name) => `near ${name}`),
  ...NAME_GROUPS.map((name) => `far ${name}`),
  ...PLACE_FEATURES,
  ...Array.from({ length: LEVELS }, (_, level) =>
    LEVEL_FEATURES.map((name) => `level ${level} ${name}`),
  ).flat(),
  ...NEIGHBOURS.flatMap((step) => NEIGHBOUR_FEATURES.map((name) => `neighbour ${step} ${name}`)),
  ...PAGE_FEATURES.map((name) => `page ${name}`),
];

const flag = (value: boolean) => (value ? 1 : 0);
const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
const log = (value: number) => Math.log2(1 + Math.max(0, value));
const headingLevel = ({ name }: PageElement) => (/^h[1-6]$/.test(name) ? Number(name[1]) : 0);

/** Measures every line of a page: one row of LINE_FEATURES for each, and where it stands. */
export function lineFeatures(
  page: Page,
  statements: PageStatements,
): { rows: Float32Array[]; places: LineLayout } {
  const wordings = page.lines.map(wordingOf);
  const contexts = new LineContexts(page, wordings);
  const measure = new Measure(page, wordings, contexts, statements);
  const makes = new Map<string, number>();
  const places: LineLayout = {
    words: wordings.map(({ words }) => words),
    levels: page.lines.map(({ block }) => contexts.of(block).levels),
    makes: page.lines.map(({ block }) => {
      const { make } = contexts.of(block);
      const number = makes.get(make) ?? makes.size;
      makes.set(make, number);
      return number;
    }),
  };
  return { rows: page.lines.map((line, at) => measure.row(line, at)), places };
}

/** Lines of one make: those of the page, and those met so far. */
interface Make {
  before: number;
  lines: number;
  size: number;
  linked: number;
}

/** Units of a line that are compared with the title, the author and the data. */
const COMPARED = 200;
/** Shorter lines stand in any text. In units. */
const SHORTEST_STATED = 12;

class Measure {
  private readonly page: Page;
  private readonly wordings: readonly LineWording[];
  private readonly contexts: LineContexts;
  private readonly title: string;
  private readonly author: string;
  private readonly times = new Map<string, number>();
  private readonly makes = new Map<string, Make>();
  private readonly stated: string;
  private readonly ofPage: readonly number[];
  private readonly cores: readonly PageElement[];
  private readonly nextProse: readonly number[];
  private readonly firstHeading: number;
  private lastProse = -1;
  private lastHeading = { at: -1, level: 0, linked: 0 };
  private companions = 0;

  constructor(
    page: Page,
    wordings: readonly LineWording[],
    contexts: LineContexts,
    statements: PageStatements,
  ) {
    this.page = page;
    this.wordings = wordings;
    this.contexts = contexts;
    this.title = plainWords(statements.title ?? '');
    this.author = plainWords(statements.author ?? '');
    for (const { text } of page.lines) this.times.set(text, (this.times.get(text) ?? 0) + 1);
    this.stated = statements.stated;
    for (const line of page.lines) this.countMake(line);
    this.cores = coresOf(page, contexts);
    this.nextProse = distancesToProse(wordings);
    this.firstHeading = page.lines.findIndex(({ block }) => block.name === 'h1');
    this.ofPage = pageFeatures(page, wordings, contexts, statements);
  }

  row(line: PageLine, at: number): Float32Array {
    const context = this.contexts.of(line.block);
    const row = new Float32Array(LINE_FEATURES.length);
    let place = 0;
    const put = (value: number) => {
      row[place++] = value;
    };
    this.own(line, at, context).forEach(put);
    for (const name of REGION_NAMES) put(flag((line.inner.regions & REGIONS[name]) !== 0));
    for (let bit = 0; bit < NAME_GROUPS.length; bit++) put((context.near >>> bit) & 1);
    for (let bit = 0; bit < NAME_GROUPS.length; bit++) put((context.far >>> bit) & 1);
    this.placed(line, at, context).forEach(put);
    for (let level = 0; level < LEVELS; level++) this.level(context, level).forEach(put);
    for (const step of NEIGHBOURS) this.neighbour(at, step, context).forEach(put);
    this.ofPage.forEach(put);
    if (this.wordings[at]?.isProse === true) this.lastProse = at;
    const heading = headingLevel(line.block);
    if (heading > 0) this.lastHeading = { at, level: heading, linked: share(line.linked, line.size) };
    if (heading > 0 && this.wordings[at]?.isCompanion === true) this.companions++;
    return row;
  }

  private countMake({ block, size, linked }: PageLine): void {
    const { make } = this.contexts.of(block);
    const so = this.makes.get(make) ?? { before: 0, lines: 0, size: 0, linked: 0 };
    so.lines++;
    so.size += size;
    so.linked += linked;
    this.makes.set(make, so);
  }

  private own(line: PageLine, at: number, { make }: BlockContext): number[] {
    const { text, size, linked, strong, block, inner } = line;
    const wording = this.wordings[at];
    if (wording === undefined) return [];
    const { capitals, digits, commas } = countCharacters(text);
    const plain = plainWords(text.slice(0, COMPARED));
    const alike = this.makes.get(make) ?? { before: 0, lines: 1, size, linked };
    return [
      text.length,
      wording.words,
      size / wording.words,
      share(linked, size),
      share(strong, size),
      TAG_NUMBERS.get(block.name) ?? 0,
      TAG_NUMBERS.get(inner.name) ?? 0,
      headingLevel(block),
      flag(wording.isProse),
      flag(wording.endsSentence),
      flag(wording.isLabel),
      flag(wording.isPointer),
      flag(wording.isInvitation),
      flag(wording.isRights),
      flag(wording.isCredit),
      flag(wording.isByline),
      flag(wording.isDateline),
      flag(wording.hasDate),
      flag(wording.hasPrice),
      share(capitals, size),
      share(digits, size),
      commas,
      flag(plain !== '' && plain === this.title),
      flag(plain !== '' && plain === this.author),
      flag(this.author !== '' && plain.includes(this.author)),
      this.times.get(text) ?? 1,
      alike.before++,
      alike.lines,
      alike.size / alike.lines,
      share(alike.linked, alike.size),
      flag(plain.length >= SHORTEST_STATED && this.stated.includes(plain)),
      flag(wording.isCut),
      flag(wording.isReply),
      flag(wording.isAddress),
      flag(wording.isCompanion),
    ];
  }

  private placed(line: PageLine, at: number, context: BlockContext): number[] {
    const { contexts, page } = this;
    const { whole } = contexts;
    const before = contexts.between(0, at);
    const { levels, repeats, repeatedShare, repeatedPlace } = context;
    return [
      at / page.lines.length,
      share(before.size, whole.size),
      share(before.prose, whole.prose),
      share(whole.prose - before.prose, whole.prose),
      this.firstHeading < 0 ? -999 : at - this.firstHeading,
      this.lastProse < 0 ? 999 : at - this.lastProse,
      this.nextProse[at] ?? 999,
      this.lastHeading.level,
      this.lastHeading.linked,
      flag(this.wordings[this.lastHeading.at]?.isCompanion === true),
      at - this.lastHeading.at,
      this.companions,
      line.block.depth,
      repeats,
      repeatedShare,
      repeatedPlace,
      repeats === 0 ? 0 : (repeatedShare * whole.size) / repeats,
      ...this.cores.map((core) => flag(at >= core.firstLine && at < core.endLine)),
      levels.findIndex((level) => contexts.sumsOfElement(level).prose * 2 > whole.prose),
    ];
  }

  private level({ levels }: BlockContext, level: number): number[] {
    const element = levels[level] ?? levels.at(-1);
    if (element === undefined) return LEVEL_FEATURES.map(() => 0);
    const held = this.contexts.sumsOfElement(element);
    return [
      log(held.size),
      share(held.linked, held.size),
      share(held.prose, held.size),
      held.lines,
      share(held.sentences, held.lines),
      share(held.size, this.contexts.whole.size),
      share(held.replies, held.lines),
      share(held.cut, held.lines),
      share(held.dates, held.lines),
    ];
  }

  private neighbour(at: number, step: number, { levels }: BlockContext): number[] {
    const line = this.page.lines[at + step];
    if (line === undefined) return [-1, -1, -1, -1, -1];
    const shared = levels.findIndex((level) => at + step >= level.firstLine && at + step < level.endLine);
    return [
      line.text.length,
      share(line.linked, line.size),
      headingLevel(line.block),
      flag(this.wordings[at + step]?.endsSentence === true),
      shared,
    ];
  }
}

function countCharacters(text: string): { capitals: number; digits: number; commas: number } {
  let [capitals, digits, commas] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 65 && code <= 90) capitals++;
    else if (code >= 48 && code <= 57) digits++;
    else if (code === 44) commas++;
  }
  return { capitals, digits, commas };
}

/** Lines from each line to the next running text. */
function distancesToProse(wordings: readonly LineWording[]): number[] {
  const distances: number[] = new Array(wordings.length).fill(999);
  let next = Number.POSITIVE_INFINITY;
  for (let at = wordings.length - 1; at >= 0; at--) {
    distances[at] = Math.min(999, next - at);
    if (wordings[at]?.isProse === true) next = at;
  }
  return distances;
}

const HALF = 0.5;
const MOST = 0.8;

/** The smallest elements that hold half or most of the running text, and of the text that is no link. */
function coresOf(page: Page, contexts: LineContexts): PageElement[] {
  const { whole } = contexts;
  const proseOf = (held: ElementSums) => share(held.prose, whole.prose);
  const textOf = (held: ElementSums) => share(held.size - held.linked, whole.size - whole.linked);
  const wanted: Array<{ measure: (held: ElementSums) => number; least: number }> = [
    { measure: proseOf, least: HALF },
    { measure: proseOf, least: MOST },
    { measure: textOf, least: HALF },
    { measure: textOf, least: MOST },
  ];
  const best: Array<PageElement | undefined> = wanted.map(() => undefined);
  const seen = new Set<PageElement>();
  for (const { block } of page.lines) {
    for (const level of contexts.of(block).levels) {
      if (seen.has(level)) break;
      seen.add(level);
      const held = contexts.sumsOfElement(level);
      for (const [at, { measure, least }] of wanted.entries()) {
        const so = best[at];
        const isSmaller = so === undefined || held.size < contexts.sumsOfElement(so).size;
        if (isSmaller && measure(held) >= least) best[at] = level;
      }
    }
  }
  const none = { firstLine: 0, endLine: 0 } as PageElement;
  return best.map((element) => element ?? none);
}
