import type { ColourPicture } from '../colour-picture.ts';
import type { TEXT_STANDINGS, TEXT_VIEWS } from '../resources/ocr.ts';
import { withMarks } from './diacritics.ts';
import { type GreyPicture, greyOf, shrunk } from './grey-picture.ts';
import { joined, linesOf, type ReadLine, scoreOf } from './lines.ts';
import { likelier } from './reading-language.ts';
import { levelled, slopedBack, slopeOf } from './slope.ts';
import { turnedBack, turnedPage } from './standing.ts';
import type { OcrLanguage, Segmentation, Tesseract } from './tesseract.ts';
import { textComponents } from './text-components.ts';

/** A way to look at a picture. */
export type View = (typeof TEXT_VIEWS)[number];

/** One look at a picture. */
export interface Pass {
  readonly view: View;
  readonly language: OcrLanguage;
  /** Letters that were surely read. */
  readonly score: number;
  readonly durationMs: number;
}

/** What was read in a picture. */
export interface Reading {
  readonly lines: readonly ReadLine[];
  /** The language that was read in; undefined where nothing was. */
  readonly language: OcrLanguage | undefined;
  readonly passes: readonly Pass[];
  /** Ways to look for which no time was left. */
  readonly skipped: readonly View[];
  /** How the letters stand in the picture. */
  readonly standing: Standing;
}

/** How letters stand in a picture: as they are read, or turned so that programs overlook them. */
export type Standing = (typeof TEXT_STANDINGS)[number];

/** What a picture is read with. */
export interface Reader {
  engine(language: OcrLanguage): Promise<Tesseract>;
  /** Milliseconds that are left. */
  remainingMs(): number;
}

/** Letters, and their mean confidence, from which on a picture of letters alone is as good as read. */
const ENOUGH = { letters: 12, confidence: 0.9 };
/** So many times more letters are surely read in turned pages than in upright ones before they are taken for what is written. */
const TURNED = 2;
/** The whole picture is looked at only while so much time is left: photos full of detail take long. */
const WHOLE_MS = 12_000;

interface Look {
  readonly view: View;
  readonly language: OcrLanguage;
  readonly lines: ReadLine[];
}

function isEnough({ lines }: { readonly lines: readonly ReadLine[] }): boolean {
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const sure = lines.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return letters >= ENOUGH.letters && sure >= ENOUGH.confidence * letters;
}

/** Letters from this height on are read again in a smaller copy, in which the engine overlooks other marks. */
const LARGE_LETTERS = 28;
const SMALLER = 0.6;

/** Lines with the marks that are seen in the picture or in a smaller copy of it. */
async function marked(
  { language, lines }: Look,
  page: GreyPicture,
  engine: Reader['engine'],
): Promise<ReadLine[]> {
  const heights = lines
    .flatMap(({ words }) => words.map(({ box }) => box.height))
    .sort((one, other) => one - other);
  if ((heights[heights.length >> 1] ?? 0) < LARGE_LETTERS) return lines;
  const words = (await engine(language)).read(shrunk(page, SMALLER), 'page');
  const inPlace = words.map((word) => ({
    ...word,
    box: {
      x: word.box.x / SMALLER,
      y: word.box.y / SMALLER,
      width: word.box.width / SMALLER,
      height: word.box.height / SMALLER,
    },
  }));
  return withMarks(lines, inPlace);
}

/** The look by which most was read. */
const bestOf = (looks: readonly Look[]): Look | undefined =>
  [...looks].sort((one, other) => scoreOf(other.lines) - scoreOf(one.lines))[0];

/** Pictures of the letters that stand out, those that there are. */
function letterPages(picture: ColourPicture, grey: GreyPicture, slope = 0): Map<View, GreyPicture> {
  const pages = new Map<View, GreyPicture>();
  for (const [view, ink] of [
    ['light_letters', 'light'],
    ['dark_letters', 'dark'],
  ] as const) {
    const page = textComponents(picture, grey, ink, slope);
    if (page !== undefined) pages.set(view, page);
  }
  return pages;
}

/** Pages of a picture in which letters stand out, and what they are read with. */
interface Letters {
  readonly pages: ReadonlyMap<View, GreyPicture>;
  /** The same pages as they are when lines have a slope: more letters then stand beside each other. */
  readonly sloping: (slope: number) => ReadonlyMap<View, GreyPicture>;
  readonly languages: readonly OcrLanguage[];
  readonly reader: Reader;
}

const changed = (pages: Letters['pages'], change: (page: GreyPicture) => GreyPicture) =>
  new Map([...pages].map(([view, page]) => [view, change(page)] as const));

/** What was read, or what is read when lines that rise or fall are made level, where that is more. */
async function readSloping(
  upright: Reading,
  { pages, sloping, languages, reader }: Letters,
): Promise<Reading> {
  const slope = reader.remainingMs() < WHOLE_MS ? 0 : slopeOf([...pages.values()]);
  const [page] = pages.values();
  if (slope === 0 || page === undefined) return upright;
  const level = changed(sloping(slope), (one) => levelled(one, slope));
  const read = await readUpright(undefined, level, languages, reader);
  const passes = [...upright.passes, ...read.passes];
  if (scoreOf(read.lines) <= scoreOf(upright.lines)) return { ...upright, passes };
  return { ...read, passes, lines: read.lines.map((line) => slopedBack(line, page, slope)) };
}

/** What was read, or what is read when letters stand on their heads or are mirrored, where that is far more. */
async function readTurned(upright: Reading, { pages, languages, reader }: Letters): Promise<Reading> {
  const [page] = pages.values();
  if (page === undefined) return upright;
  let passes = upright.passes;
  let best = upright;
  let least = Math.max(ENOUGH.letters, TURNED * scoreOf(upright.lines));
  for (const standing of ['upside_down', 'mirrored'] as const) {
    if (reader.remainingMs() < WHOLE_MS || isEnough(best)) break;
    const turned = changed(pages, (one) => turnedPage(one, standing));
    const read = await readUpright(undefined, turned, languages, reader);
    passes = [...passes, ...read.passes];
    if (scoreOf(read.lines) < least) continue;
    least = scoreOf(read.lines);
    best = { ...read, standing, lines: read.lines.map((line) => turnedBack(line, page, standing)) };
  }
  return { ...best, passes };
}

/**
 * Reads a picture: letters that stand out first, the whole where those are not enough; the best look in each language decides which it
 * is. Letters that stand out may also stand in lines that rise or fall, on their heads, or be mirrored.
 */
export async function readPicture(
  picture: ColourPicture,
  languages: readonly OcrLanguage[],
  reader: Reader,
): Promise<Reading> {
  const grey = greyOf(picture);
  const pages = letterPages(picture, grey);
  const sloping = (slope: number) => letterPages(picture, grey, slope);
  const letters = { pages, sloping, languages, reader };
  const upright = await readUpright(grey, pages, languages, reader);
  return readTurned(await readSloping(upright, letters), letters);
}

/** Looks at pages one after the other, and keeps what each brought. */
function createLooks(pages: ReadonlyMap<View, GreyPicture>, engine: Reader['engine']) {
  const passes: Pass[] = [];
  const pageOf = (view: View): GreyPicture => {
    const page = pages.get(view);
    if (page === undefined) throw new Error(`the picture has no view ${view}`);
    return page;
  };
  const look = async (
    view: View,
    language: OcrLanguage,
    segmentation: Segmentation = 'page',
  ): Promise<Look> => {
    const started = performance.now();
    const lines = linesOf((await engine(language)).read(pageOf(view), segmentation));
    passes.push({ view, language, score: scoreOf(lines), durationMs: performance.now() - started });
    return { view, language, lines };
  };
  return { passes, pageOf, look };
}

/** Reads pages of letters, and the whole picture where there is one and they are not enough. */
async function readUpright(
  grey: GreyPicture | undefined,
  letters: ReadonlyMap<View, GreyPicture>,
  languages: readonly OcrLanguage[],
  { engine, remainingMs }: Reader,
): Promise<Reading> {
  const pages = new Map(letters);
  if (grey !== undefined) pages.set('whole', grey);
  const { passes, pageOf, look } = createLooks(pages, engine);
  const [first = 'en', ...others] = languages;
  const looks: Look[] = [];
  for (const view of letters.keys()) looks.push(await look(view, first));
  const leading = bestOf(looks);
  const isWanting = grey !== undefined && (leading === undefined || !isEnough(leading));
  const isHurried = isWanting && remainingMs() < WHOLE_MS;
  if (isWanting && !isHurried) looks.push(await look('whole', first));
  const skipped: View[] = isHurried ? ['whole'] : [];
  const chosen = bestOf(looks);
  if (chosen === undefined || chosen.lines.length === 0)
    return { lines: [], language: undefined, passes, skipped, standing: 'upright' };
  // The other languages see what was read best, and decide only how it is read.
  const readings = [chosen];
  for (const language of others) readings.push(await look(chosen.view, language));
  const { language, lines } = likelier(readings) ?? chosen;
  // Specks beside letters can make a page look as if half of it were none.
  const more = chosen.view === 'whole' ? [] : [await look(chosen.view, language, 'scattered')];
  for (const other of looks.filter((one) => one !== chosen && one.lines.length > 0))
    more.push(other.language === language ? other : await look(other.view, language));
  const own =
    language === 'ro'
      ? await marked({ view: chosen.view, language, lines }, pageOf(chosen.view), engine)
      : lines;
  return {
    lines: joined(
      own,
      more.map((one) => one.lines),
    ),
    language,
    passes,
    skipped,
    standing: 'upright',
  };
}
