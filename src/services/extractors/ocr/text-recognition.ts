import type { ColourPicture } from '../colour-picture.ts';
import type { TEXT_ORIENTATIONS, TEXT_VIEWS } from '../resources/ocr.ts';
import { deskewPage, lineBeforeDeskew, slopeOf } from './deskew.ts';
import { restoreDiacritics } from './diacritics.ts';
import { downscale, type GreyPicture, greyOf } from './grey-picture.ts';
import { likeliestRun } from './likeliest-run.ts';
import { linesOf, mergeLines, type OcrLine, scoreOf } from './lines.ts';
import { lineBeforeRotation, rotatePage } from './orientation.ts';
import type { OcrLanguage, Segmentation, Tesseract } from './tesseract.ts';
import { textComponents } from './text-components.ts';

/** A version of the picture that is given to the OCR engine. */
export type PageView = (typeof TEXT_VIEWS)[number];

/** One run of the OCR engine. */
export interface OcrPass {
  readonly view: PageView;
  readonly language: OcrLanguage;
  /** Number of letters in words of high confidence. */
  readonly score: number;
  readonly durationMs: number;
}

/** The text of a picture with its layout. */
export interface RecognisedText {
  readonly lines: readonly OcrLine[];
  /** The language of the recognised text; undefined where there is none. */
  readonly language: OcrLanguage | undefined;
  readonly passes: readonly OcrPass[];
  /** Views for which no time was left. */
  readonly skipped: readonly PageView[];
  /** Orientation of the letters in the picture. */
  readonly orientation: Orientation;
}

/** Orientation of letters: upright, or rotated or mirrored, which OCR engines do not recognise. */
export type Orientation = (typeof TEXT_ORIENTATIONS)[number];

/** The OCR engines, and the time that is left. */
export interface OcrEngines {
  engine(language: OcrLanguage): Promise<Tesseract>;
  /** Milliseconds that are left. */
  remainingMs(): number;
}

/** Letters, and their mean confidence, from which on a page of letters needs no further runs. */
const ENOUGH = { letters: 12, confidence: 0.9 };
/** A rotated page must score so many times higher than the upright one to be preferred. */
const ROTATED_ADVANTAGE = 2;
/** The whole picture is recognised only while so much time is left: photos full of detail take long. */
const WHOLE_MS = 12_000;

interface OcrRun {
  readonly view: PageView;
  readonly language: OcrLanguage;
  readonly lines: OcrLine[];
}

function isEnough({ lines }: { readonly lines: readonly OcrLine[] }): boolean {
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const weighted = lines.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return letters >= ENOUGH.letters && weighted >= ENOUGH.confidence * letters;
}

/** Letters from this height on are recognised again in a smaller copy, in which the engine misses other diacritics. */
const LARGE_LETTER_HEIGHT = 28;
const DOWNSCALE_FACTOR = 0.6;

/** Lines with the diacritics that are seen in the picture or in a smaller copy of it. */
async function withDiacritics(
  { language, lines }: OcrRun,
  page: GreyPicture,
  engine: OcrEngines['engine'],
): Promise<OcrLine[]> {
  const heights = lines
    .flatMap(({ words }) => words.map(({ box }) => box.height))
    .sort((one, other) => one - other);
  if ((heights[heights.length >> 1] ?? 0) < LARGE_LETTER_HEIGHT) return lines;
  const words = (await engine(language)).read(downscale(page, DOWNSCALE_FACTOR), 'page');
  const inPlace = words.map((word) => ({
    ...word,
    box: {
      x: word.box.x / DOWNSCALE_FACTOR,
      y: word.box.y / DOWNSCALE_FACTOR,
      width: word.box.width / DOWNSCALE_FACTOR,
      height: word.box.height / DOWNSCALE_FACTOR,
    },
  }));
  return restoreDiacritics(lines, inPlace);
}

/** The run with the highest score. */
const bestOf = (runs: readonly OcrRun[]): OcrRun | undefined =>
  [...runs].sort((one, other) => scoreOf(other.lines) - scoreOf(one.lines))[0];

/** Pictures of the letters that stand out, those that there are. */
function letterPages(picture: ColourPicture, grey: GreyPicture, slope = 0): Map<PageView, GreyPicture> {
  const pages = new Map<PageView, GreyPicture>();
  for (const [view, ink] of [
    ['light_letters', 'light'],
    ['dark_letters', 'dark'],
  ] as const) {
    const page = textComponents(picture, grey, ink, slope);
    if (page !== undefined) pages.set(view, page);
  }
  return pages;
}

/** Pages of a picture in which letters stand out, and the engines and languages to recognise them with. */
interface LetterPages {
  readonly pages: ReadonlyMap<PageView, GreyPicture>;
  /** The same pages as they are when lines have a slope: more letters then stand beside each other. */
  readonly sloping: (slope: number) => ReadonlyMap<PageView, GreyPicture>;
  readonly languages: readonly OcrLanguage[];
  readonly reader: OcrEngines;
}

const mapPages = (pages: LetterPages['pages'], change: (page: GreyPicture) => GreyPicture) =>
  new Map([...pages].map(([view, page]) => [view, change(page)] as const));

/** The text, or the text of the deskewed picture where that is more. */
async function recogniseDeskewed(
  upright: RecognisedText,
  { pages, sloping, languages, reader }: LetterPages,
): Promise<RecognisedText> {
  const slope = reader.remainingMs() < WHOLE_MS ? 0 : slopeOf([...pages.values()]);
  const [page] = pages.values();
  if (slope === 0 || page === undefined) return upright;
  const level = mapPages(sloping(slope), (one) => deskewPage(one, slope));
  const read = await recogniseUpright(undefined, level, languages, reader);
  const passes = [...upright.passes, ...read.passes];
  if (scoreOf(read.lines) <= scoreOf(upright.lines)) return { ...upright, passes };
  return { ...read, passes, lines: read.lines.map((line) => lineBeforeDeskew(line, page, slope)) };
}

/** The text, or the text of the rotated or mirrored picture where that is far more. */
async function recogniseRotated(
  upright: RecognisedText,
  { pages, languages, reader }: LetterPages,
): Promise<RecognisedText> {
  const [page] = pages.values();
  if (page === undefined) return upright;
  let passes = upright.passes;
  let best = upright;
  let least = Math.max(ENOUGH.letters, ROTATED_ADVANTAGE * scoreOf(upright.lines));
  for (const orientation of ['upside_down', 'mirrored'] as const) {
    if (reader.remainingMs() < WHOLE_MS || isEnough(best)) break;
    const rotated = mapPages(pages, (one) => rotatePage(one, orientation));
    const read = await recogniseUpright(undefined, rotated, languages, reader);
    passes = [...passes, ...read.passes];
    if (scoreOf(read.lines) < least) continue;
    least = scoreOf(read.lines);
    best = {
      ...read,
      orientation,
      lines: read.lines.map((line) => lineBeforeRotation(line, page, orientation)),
    };
  }
  return { ...best, passes };
}

/**
 * Recognises the text of a picture: letters that stand out first, the whole picture where those are not enough; the best run in each
 * language decides which language it is. Letters that stand out may also be skewed, upside down or mirrored.
 */
export async function recogniseText(
  picture: ColourPicture,
  languages: readonly OcrLanguage[],
  reader: OcrEngines,
): Promise<RecognisedText> {
  const grey = greyOf(picture);
  const pages = letterPages(picture, grey);
  const sloping = (slope: number) => letterPages(picture, grey, slope);
  const letters = { pages, sloping, languages, reader };
  const upright = await recogniseUpright(grey, pages, languages, reader);
  return recogniseRotated(await recogniseDeskewed(upright, letters), letters);
}

/** Runs the engine on one view after the other and records each run. */
function createOcrRunner(pages: ReadonlyMap<PageView, GreyPicture>, engine: OcrEngines['engine']) {
  const passes: OcrPass[] = [];
  const pageOf = (view: PageView): GreyPicture => {
    const page = pages.get(view);
    if (page === undefined) throw new Error(`the picture has no view ${view}`);
    return page;
  };
  const run = async (
    view: PageView,
    language: OcrLanguage,
    segmentation: Segmentation = 'page',
  ): Promise<OcrRun> => {
    const started = performance.now();
    const lines = linesOf((await engine(language)).read(pageOf(view), segmentation));
    passes.push({ view, language, score: scoreOf(lines), durationMs: performance.now() - started });
    return { view, language, lines };
  };
  return { passes, pageOf, run };
}

/** Recognises pages of letters, and the whole picture where it is given and they are not enough. */
async function recogniseUpright(
  grey: GreyPicture | undefined,
  letters: ReadonlyMap<PageView, GreyPicture>,
  languages: readonly OcrLanguage[],
  { engine, remainingMs }: OcrEngines,
): Promise<RecognisedText> {
  const pages = new Map(letters);
  if (grey !== undefined) pages.set('whole', grey);
  const { passes, pageOf, run } = createOcrRunner(pages, engine);
  const [first = 'en', ...others] = languages;
  const runs: OcrRun[] = [];
  for (const view of letters.keys()) runs.push(await run(view, first));
  const leading = bestOf(runs);
  const needsWhole = grey !== undefined && (leading === undefined || !isEnough(leading));
  const lacksTime = needsWhole && remainingMs() < WHOLE_MS;
  if (needsWhole && !lacksTime) runs.push(await run('whole', first));
  const skipped: PageView[] = lacksTime ? ['whole'] : [];
  const chosen = bestOf(runs);
  if (chosen === undefined || chosen.lines.length === 0)
    return { lines: [], language: undefined, passes, skipped, orientation: 'upright' };
  // Only the best view is tried in the other languages.
  const byLanguage = [chosen];
  for (const language of others) byLanguage.push(await run(chosen.view, language));
  const { language, lines } = likeliestRun(byLanguage) ?? chosen;
  // Specks beside letters can make a page look as if half of it were none.
  const more = chosen.view === 'whole' ? [] : [await run(chosen.view, language, 'scattered')];
  for (const other of runs.filter((one) => one !== chosen && one.lines.length > 0))
    more.push(other.language === language ? other : await run(other.view, language));
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
    orientation: 'upright',
  };
}
