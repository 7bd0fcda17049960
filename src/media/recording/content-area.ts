import type { Raster } from '../image/raster.ts';

/** The part of the frames of a film between plain bars, in pixels and fractions of pixels. */
export interface ContentArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Steps of a colour, of 255, that compression leaves in a bar. */
const BAR_STEPS = 16;
/** Pixels by which two bars of a pair differ at most: they end between pixels of small frames. */
const PAIR_PIXELS = 2;
/** What leaves less of a side than this is a small object on a plain background, not a pair of bars. */
const LEAST_LEFT = 0.4;

/** Frames that are examined for bars, evenly over the film: a hundredth of a second of work. */
const FRAMES_LOOKED_AT = 64;

/** The least and the greatest value of each colour of each pixel, over frames of the whole film. */
function extremes(frames: readonly Raster[]): { readonly least: Uint8Array; readonly most: Uint8Array } {
  const length = frames[0]?.rgb.length ?? 0;
  const [least, most] = [new Uint8Array(length).fill(255), new Uint8Array(length)];
  const step = Math.max(1, Math.floor(frames.length / FRAMES_LOOKED_AT));
  for (const { rgb } of frames.filter((_, frame) => frame % step === 0))
    for (let at = 0; at < length; at += 1) {
      const value = rgb[at] ?? 0;
      if (value < (least[at] ?? 0)) least[at] = value;
      if (value > (most[at] ?? 0)) most[at] = value;
    }
  return { least, most };
}

type ColourRange = ReturnType<typeof extremes>;
/** The place of a pixel, by the line, counted from a side on, and its place in the line. */
type PixelAt = (line: number, place: number) => number;

/** How far a line is from the colour of a bar, on average. */
function contrastOf(
  { least, most }: ColourRange,
  bar: readonly number[],
  line: number,
  length: number,
  pixelAt: PixelAt,
) {
  let sum = 0;
  for (let place = 0; place < length; place += 1)
    for (const [colour, value] of bar.entries()) {
      const at = 3 * pixelAt(line, place) + colour;
      sum += Math.abs((least[at] ?? 0) - value) + Math.abs((most[at] ?? 0) - value);
    }
  return sum;
}

/** Lines from one side inwards that have one colour throughout the film; a fraction of the line in which the bar ends. */
function barWidth(colourRange: ColourRange, lines: number, length: number, pixelAt: PixelAt): number {
  const [low, high] = [
    [255, 255, 255],
    [0, 0, 0],
  ];
  for (let line = 0; line < lines; line += 1) {
    const bar = low.map((value, colour) => (value + (high[colour] ?? 0)) / 2);
    for (let place = 0; place < length; place += 1)
      for (let colour = 0; colour < 3; colour += 1) {
        const at = 3 * pixelAt(line, place) + colour;
        low[colour] = Math.min(low[colour] ?? 0, colourRange.least[at] ?? 0);
        high[colour] = Math.max(high[colour] ?? 0, colourRange.most[at] ?? 0);
      }
    if (high.every((value, colour) => value - (low[colour] ?? 0) <= BAR_STEPS)) continue;
    if (line === 0 || line + 1 === lines) return line;
    const [edge, next] = [line, line + 1].map((each) => contrastOf(colourRange, bar, each, length, pixelAt));
    return line + Math.max(0, 1 - (edge ?? 0) / Math.max(1, next ?? 0));
  }
  return lines;
}

/** Bars come in pairs of equal width, at least one pixel; a plain sky on one side is no bar. */
const pairOf = (one: number, other: number): readonly [number, number] =>
  Math.min(one, other) >= 1 && Math.abs(one - other) <= PAIR_PIXELS ? [one, other] : [0, 0];

/** Finds the area between bars (letterbox or pillarbox) in the frames of a film; undefined without bars. */
export function findContentArea(frames: readonly Raster[]): ContentArea | undefined {
  const [first] = frames;
  if (first === undefined) return undefined;
  const { width, height } = first;
  const colourRange = extremes(frames);
  const [top, bottom] = pairOf(
    barWidth(colourRange, height, width, (line, place) => line * width + place),
    barWidth(colourRange, height, width, (line, place) => (height - 1 - line) * width + place),
  );
  const [left, right] = pairOf(
    barWidth(colourRange, width, height, (line, place) => place * width + line),
    barWidth(colourRange, width, height, (line, place) => place * width + (width - 1 - line)),
  );
  const area = { left, top, width: width - left - right, height: height - top - bottom };
  const isWhole = area.width === width && area.height === height;
  const isSmall = area.width < LEAST_LEFT * width || area.height < LEAST_LEFT * height;
  return isWhole || isSmall ? undefined : area;
}

/** The content area of a frame, enlarged to the size of the frame. */
export function enlargeContentArea({ width, height, rgb }: Raster, area: ContentArea): Raster {
  const enlarged = new Uint8Array(rgb.length);
  const places = (length: number, from: number, over: number) =>
    Array.from({ length }, (_, place) => {
      const [first, last] = [Math.ceil(from), Math.floor(from + over) - 1];
      const exact = Math.min(Math.max(from + ((place + 0.5) * over) / length - 0.5, first), last);
      const before = Math.floor(exact);
      return { before, after: Math.min(before + 1, last), share: exact - before };
    });
  const columns = places(width, area.left, area.width);
  for (const [y, row] of places(height, area.top, area.height).entries())
    for (const [x, column] of columns.entries())
      for (let colour = 0; colour < 3; colour += 1) {
        const at = (line: number, place: number) => rgb[3 * (line * width + place) + colour] ?? 0;
        const across = (line: number) =>
          at(line, column.before) * (1 - column.share) + at(line, column.after) * column.share;
        enlarged[3 * (y * width + x) + colour] = Math.round(
          across(row.before) * (1 - row.share) + across(row.after) * row.share,
        );
      }
  return { width, height, rgb: enlarged };
}
