import type { ColourPicture } from '../colour-picture.ts';
import type { TEXT_VIEWS } from '../resources/ocr.ts';
import { withMarks } from './diacritics.ts';
import { type GreyPicture, greyOf, shrunk } from './grey-picture.ts';
import { joined, linesOf, type ReadLine, scoreOf } from './lines.ts';
import { likelier } from './reading-language.ts';
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
}

/** What a picture is read with. */
export interface Reader {
  engine(language: OcrLanguage): Promise<Tesseract>;
  /** Milliseconds that are left. */
  remainingMs(): number;
}

/** Letters, and their mean confidence, from which on a picture of letters alone is as good as read. */
const ENOUGH = { letters: 12, confidence: 0.9 };
/** The whole picture is looked at only while so much time is left: photos full of detail take long. */
const WHOLE_MS = 12_000;

interface Look {
  readonly view: View;
  readonly language: OcrLanguage;
  readonly lines: ReadLine[];
}

function isEnough({ lines }: Look): boolean {
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
function letterPages(picture: ColourPicture, grey: GreyPicture): Map<View, GreyPicture> {
  const pages = new Map<View, GreyPicture>();
  for (const [view, ink] of [
    ['light_letters', 'light'],
    ['dark_letters', 'dark'],
  ] as const) {
    const page = textComponents(picture, grey, ink);
    if (page !== undefined) pages.set(view, page);
  }
  return pages;
}

/** Reads a picture: letters that stand out first, the whole where those are not enough; the best look in each language decides which it is. */
export async function readPicture(
  picture: ColourPicture,
  languages: readonly OcrLanguage[],
  { engine, remainingMs }: Reader,
): Promise<Reading> {
  const grey = greyOf(picture);
  const pages = letterPages(picture, grey);
  const pageOf = (view: View) => pages.get(view) ?? grey;
  const passes: Pass[] = [];
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
  const [first = 'en', ...others] = languages;
  const looks: Look[] = [];
  for (const view of pages.keys()) looks.push(await look(view, first));
  const leading = bestOf(looks);
  const isWanting = leading === undefined || !isEnough(leading);
  const isHurried = isWanting && remainingMs() < WHOLE_MS;
  if (isWanting && !isHurried) looks.push(await look('whole', first));
  const skipped: View[] = isHurried ? ['whole'] : [];
  const chosen = bestOf(looks);
  if (chosen === undefined || chosen.lines.length === 0)
    return { lines: [], language: undefined, passes, skipped };
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
  };
}
