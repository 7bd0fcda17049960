import type { ColourPicture } from '../colour-picture.ts';
import type { TEXT_ORIENTATIONS, TEXT_VIEWS } from '../resources/ocr.ts';
import { deskewPage, skewLineBack, slopeOf } from './deskew.ts';
import { restoreDiacritics } from './diacritics.ts';
import { downscale, type GreyPicture, greyOf } from './grey-picture.ts';
import { linesOf, mergeLines, type ReadLine, scoreOf } from './lines.ts';
import { rotateLineBack, rotatePage } from './orientation.ts';
import { likeliestReading } from './reading-language.ts';
import type { OcrLanguage, Segmentation, Tesseract } from './tesseract.ts';
import { textComponents } from './text-components.ts';

/** A version of the picture that is given to the OCR engine. */
export type View = (typeof TEXT_VIEWS)[number];

/** One run of the OCR engine. */
export interface OcrPass {
  readonly view: View;
  readonly language: OcrLanguage;
  /** Number of letters in words of high confidence. */
  readonly score: number;
  readonly durationMs: number;
}

/** The text of a picture with its layout. */
export interface RecognisedText {
  readonly lines: readonly ReadLine[];
  /** The language that was read in; undefined where nothing was. */
  readonly language: OcrLanguage | undefined;
  readonly passes: readonly OcrPass[];
  /** Views for which no time was left. */
  readonly skipped: readonly View[];
  /** Orientation of the letters in the picture. */
  readonly standing: Orientation;
}

/** Orientation of letters: upright, or rotated or mirrored, which OCR engines do not recognise. */
export type Orientation = (typeof TEXT_ORIENTATIONS)[number];

/** The OCR engines, and the time that is left. */
export interface OcrEngines {
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
async function withDiacritics(
  { language, lines }: Look,
  page: GreyPicture,
  engine: OcrEngines['engine'],
): Promise<ReadLine[]> {
  const heights = lines
    .flatMap(({ words }) => words.map(({ box }) => box.height))
    .sort((one, other) => one - other);
  if ((heights[heights.length >> 1] ?? 0) < LARGE_LETTERS) return lines;
  const words = (await engine(language)).read(downscale(page, SMALLER), 'page');
  const inPlace = words.map((word) => ({
    ...word,
    box: {
      x: word.box.x / SMALLER,
      y: word.box.y / SMALLER,
      width: word.box.width / SMALLER,
      height: word.box.height / SMALLER,
    },
  }));
  return restoreDiacritics(lines, inPlace);
}

/** The run that read most. */
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
  readonly reader: OcrEngines;
}

const changed = (pages: Letters['pages'], change: (page: GreyPicture) => GreyPicture) =>
  new Map([...pages].map(([view, page]) => [view, change(page)] as const));

/** The text, or the text of the deskewed picture where that is more. */
async function readSkewed(
  upright: RecognisedText,
  { pages, sloping, languages, reader }: Letters,
): Promise<RecognisedText> {
  const slope = reader.remainingMs() < WHOLE_MS ? 0 : slopeOf([...pages.values()]);
  const [page] = pages.values();
  if (slope === 0 || page === undefined) return upright;
  const level = changed(sloping(slope), (one) => deskewPage(one, slope));
  const read = await readUpright(undefined, level, languages, reader);
  const passes = [...upright.passes, ...read.passes];
  if (scoreOf(read.lines) <= scoreOf(upright.lines)) return { ...upright, passes };
  return { ...read, passes, lines: read.lines.map((line) => skewLineBack(line, page, slope)) };
}

/** The text, or the text of the rotated or mirrored picture where that is far more. */
async function readRotated(
  upright: RecognisedText,
  { pages, languages, reader }: Letters,
): Promise<RecognisedText> {
  const [page] = pages.values();
  if (page === undefined) return upright;
  let passes = upright.passes;
  let best = upright;
  let least = Math.max(ENOUGH.letters, TURNED * scoreOf(upright.lines));
  for (const standing of ['upside_down', 'mirrored'] as const) {
    if (reader.remainingMs() < WHOLE_MS || isEnough(best)) break;
    const turned = changed(pages, (one) => rotatePage(one, standing));
    const read = await readUpright(undefined, turned, languages, reader);
    passes = [...passes, ...read.passes];
    if (scoreOf(read.lines) < least) continue;
    least = scoreOf(read.lines);
    best = { ...read, standing, lines: read.lines.map((line) => rotateLineBack(line, page, standing)) };
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
  reader: OcrEngines,
): Promise<RecognisedText> {
  const grey = greyOf(picture);
  const pages = letterPages(picture, grey);
  const sloping = (slope: number) => letterPages(picture, grey, slope);
  const letters = { pages, sloping, languages, reader };
  const upright = await readUpright(grey, pages, languages, reader);
  return readRotated(await readSkewed(upright, letters), letters);
}

/** Runs the engine on one view after the other and records each run. */
function createLooks(pages: ReadonlyMap<View, GreyPicture>, engine: OcrEngines['engine']) {
  const passes: OcrPass[] = [];
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
  { engine, remainingMs }: OcrEngines,
): Promise<RecognisedText> {
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
  const { language, lines } = likeliestReading(readings) ?? chosen;
  // Specks beside letters can make a page look as if half of it were none.
  const more = chosen.view === 'whole' ? [] : [await look(chosen.view, language, 'scattered')];
  for (const other of looks.filter((one) => one !== chosen && one.lines.length > 0))
    more.push(other.language === language ? other : await look(other.view, language));
  const own =
    language === 'ro'
      ? await withDiacritics({ view: chosen.view, language, lines }, pageOf(chosen.view), engine)
      : lines;
  return {
    lines: mergeLines(
      own,
      more.map((one) => one.lines),
    ),
    language,
    passes,
    skipped,
    standing: 'upright',
  };
}
