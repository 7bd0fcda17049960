import type { ColourPicture } from '../colour-picture.ts';
import type { GreyPicture } from './grey-picture.ts';

/** Letters are drawn over pictures in light colours with a dark edge, or in dark ones with a light edge. */
export type LetterShade = 'light' | 'dark';

/** A group of touching pixels of one kind. */
interface Component {
  readonly label: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
  pixels: number;
  /** Sum of the brightness of its pixels. */
  brightness: number;
  /** Its ink: pixels that are no lighter, or no darker, than its mean, and sums of their colours. Edges are a mixture. */
  ink: number;
  red: number;
  green: number;
  blue: number;
  /** Ways out of it, and those of them on which something stands out from it. */
  ways: number;
  contrasting: number;
}

/** Light letters are white or a strong light colour, dark ones nearly black. */
const INK = { lightest: 200, light: 185, dark: 70 };
/** How much darker the edge of light letters is, or lighter that of dark ones. */
const LEAST_DIFFERENCE = 75;
/** Share of the ways out on which that is so: letters that touch others, or the border of the picture, have less. */
const LEAST_CONTRAST = 0.75;
/** Pixels of a way out: the edge that is drawn around letters is nearer. */
const WAY = 5;
/** A picture with more of them shows a texture: no page that is read has so many letters. */
const MOST_LETTERS = 20_000;
/** Heights of letters in pixels, and their share of the picture at most. */
const HEIGHT = { least: 7, share: 0.3 };
/** Letters are not much wider than high, unless they touch each other. */
const WIDEST = 12;
/** How high marks are at most, how far from the letter, how far within its height, and of how many pixels at least, by the height of the letter. */
const MARK = { height: 0.6, distance: 0.45, inside: 0.15, pixels: 0.007 };
/** A line has so many letters at least; neighbours differ by so much in height, are so far apart, and stand or hang on one line but for so much, in heights. Of a line so many stand on it, none is farther from it, and it rises no more. */
const LINE = { letters: 3, taller: 1.9, gap: 1.6, slack: 0.12, standing: 0.5, band: 0.45, slope: 0.2 };

function inkOf({ width, height, rgb }: ColourPicture, ink: LetterShade): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (let index = 0, at = 0; index < mask.length; index += 1, at += 3) {
    const [red, green, blue] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0];
    const isInk =
      ink === 'dark'
        ? Math.max(red, green, blue) < INK.dark
        : Math.min(red, green, blue) > INK.light ||
          (Math.max(red, green) > INK.lightest && green > INK.light);
    if (isInk) mask[index] = 1;
  }
  return mask;
}

/** Numbers the groups of touching pixels of a mask, from 1; 0 is the ground. */
function labelComponents(
  mask: Uint8Array,
  { width, height, pixels }: GreyPicture,
): { labels: Int32Array; components: Component[] } {
  const labels = new Int32Array(mask.length);
  const components: Component[] = [];
  const open: number[] = [];
  for (let start = 0; start < mask.length; start += 1) {
    if (mask[start] === 0 || labels[start] !== 0) continue;
    const number = components.length + 1;
    const one: Component = {
      label: number,
      left: width,
      top: height,
      right: 0,
      bottom: 0,
      pixels: 0,
      brightness: 0,
      ink: 0,
      red: 0,
      green: 0,
      blue: 0,
      ways: 0,
      contrasting: 0,
    };
    labels[start] = number;
    open.push(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      one.pixels += 1;
      one.brightness += pixels[at] ?? 0;
      one.left = Math.min(one.left, x);
      one.right = Math.max(one.right, x);
      one.top = Math.min(one.top, y);
      one.bottom = Math.max(one.bottom, y);
      for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v += 1)
        for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u += 1) {
          const near = v * width + u;
          if (mask[near] === 0 || labels[near] !== 0) continue;
          labels[near] = number;
          open.push(near);
        }
    }
    components.push(one);
  }
  return { labels, components };
}

/** Adds up the colour of the ink of each component. */
function addInkColours(
  labels: Int32Array,
  components: readonly Component[],
  { rgb }: ColourPicture,
  { pixels }: GreyPicture,
  ink: LetterShade,
): void {
  const sign = ink === 'light' ? 1 : -1;
  for (let at = 0; at < labels.length; at += 1) {
    const one = components[(labels[at] ?? 0) - 1];
    if (one === undefined || sign * ((pixels[at] ?? 0) - one.brightness / one.pixels) < 0) continue;
    one.ink += 1;
    one.red += rgb[3 * at] ?? 0;
    one.green += rgb[3 * at + 1] ?? 0;
    one.blue += rgb[3 * at + 2] ?? 0;
  }
}

const DIRECTIONS = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;

/** Walks out of each component and counts the ways on which something stands out from it. */
function measureContrast(
  labels: Int32Array,
  components: readonly Component[],
  { width, height, pixels }: GreyPicture,
  ink: LetterShade,
): void {
  const sign = ink === 'light' ? 1 : -1;
  for (let at = 0; at < labels.length; at += 1) {
    const number = labels[at] ?? 0;
    if (number === 0) continue;
    const one = components[number - 1] as Component;
    const own = one.brightness / one.pixels;
    const [x, y] = [at % width, Math.floor(at / width)];
    for (const [right, down] of DIRECTIONS) {
      let most = 0;
      let steps = 0;
      for (let step = 1; step <= WAY; step += 1) {
        const [u, v] = [x + step * right, y + step * down];
        if (u < 0 || v < 0 || u >= width || v >= height) break;
        const near = v * width + u;
        if (labels[near] === number) break;
        steps = step;
        most = Math.max(most, sign * (own - (pixels[near] ?? 0)));
      }
      if (steps === 0) continue;
      one.ways += 1;
      if (most >= LEAST_DIFFERENCE) one.contrasting += 1;
    }
  }
}

const heightOf = ({ top, bottom }: Component) => bottom - top + 1;
const widthOf = ({ left, right }: Component) => right - left + 1;

/** How far apart the colours of letters and marks of one line are at most (root of squares, of 255 each): marks are thin, and their colours blurred. */
const FARTHEST_COLOUR = { letter: 32, mark: 75 };

function areOfOneColour(one: Component, other: Component, farthest: number): boolean {
  const apart = (sum: (of: Component) => number) => sum(one) / one.ink - sum(other) / other.ink;
  const [red, green, blue] = [apart((of) => of.red), apart((of) => of.green), apart((of) => of.blue)];
  return Math.hypot(red, green, blue) <= farthest;
}

/** Whether two letters stand beside each other in a line that falls by so much for each pixel to the right. */
function areNeighbours(one: Component, other: Component, slope: number): boolean {
  const fall = (slope * (other.left + other.right - one.left - one.right)) / 2;
  const [top, bottom] = [other.top - fall, other.bottom - fall];
  const [low, high] = [Math.min(heightOf(one), heightOf(other)), Math.max(heightOf(one), heightOf(other))];
  const overlap = Math.min(one.bottom, bottom) - Math.max(one.top, top);
  const gap = Math.max(one.left, other.left) - Math.min(one.right, other.right);
  const isNear = high <= LINE.taller * low && overlap >= low / 2 && gap <= LINE.gap * high;
  const feet = Math.abs(one.bottom - bottom);
  const heads = Math.abs(one.top - top);
  const isAligned = Math.min(feet, heads) <= LINE.slack * high;
  return isNear && isAligned && areOfOneColour(one, other, FARTHEST_COLOUR.letter);
}

/** Those letters that stand in a line with some others. */
function lettersInLines(letters: readonly Component[], slope: number): Component[] {
  const sorted = [...letters].sort((one, other) => one.left - other.left);
  const group = new Map<Component, Component>(sorted.map((one) => [one, one]));
  const rootOf = (one: Component): Component => {
    let root = one;
    for (let next = group.get(root) ?? root; next !== root; next = group.get(root) ?? root) root = next;
    group.set(one, root);
    return root;
  };
  for (const [index, one] of sorted.entries())
    for (let next = index + 1; next < sorted.length; next += 1) {
      const other = sorted[next] as Component;
      if (other.left > one.right + LINE.gap * LINE.taller * heightOf(one)) break;
      if (areNeighbours(one, other, slope)) group.set(rootOf(other), rootOf(one));
    }
  const groups = new Map<Component, Component[]>();
  for (const one of sorted) {
    const group = groups.get(rootOf(one));
    if (group === undefined) groups.set(rootOf(one), [one]);
    else group.push(one);
  }
  return [...groups.values()].flatMap(lettersInBand);
}

const medianOf = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

/** The letters of a group that lie in a straight band; none when too few of them stand on one line: leaves and stones form groups, too. */
function lettersInBand(group: readonly Component[]): Component[] {
  if (group.length < LINE.letters) return [];
  const high = medianOf(group.map(heightOf));
  const middles = group.map(({ left, right }) => (left + right) / 2);
  const [middle, foot] = [medianOf(middles), medianOf(group.map(({ bottom }) => bottom))];
  const spread = middles.reduce((sum, x) => sum + (x - middle) ** 2, 0);
  const rise = group.reduce(
    (sum, { bottom }, at) => sum + ((middles[at] ?? 0) - middle) * (bottom - foot),
    0,
  );
  const slope = Math.max(-LINE.slope, Math.min(LINE.slope, spread === 0 ? 0 : rise / spread));
  const distances = group.map(({ bottom }, at) => bottom - foot - slope * ((middles[at] ?? 0) - middle));
  const ground = medianOf(distances);
  const standing = distances.filter((distance) => Math.abs(distance - ground) <= LINE.slack * high).length;
  if (standing < Math.max(LINE.letters, LINE.standing * group.length)) return [];
  return group.filter((_, at) => Math.abs((distances[at] ?? 0) - ground) <= LINE.band * high);
}

/** Whether something small belongs to a letter: over it or under it, as in ă, ș and i, or beside it, as full stops are. */
function isMarkOf(letter: Component, mark: Component): boolean {
  const high = heightOf(letter);
  const isSmall = heightOf(mark) <= MARK.height * high && widthOf(mark) <= widthOf(letter) + high / 2;
  if (!isSmall || mark.pixels < MARK.pixels * high * high) return false;
  const across = Math.min(mark.right, letter.right) - Math.max(mark.left, letter.left);
  const down = Math.min(mark.bottom, letter.bottom) - Math.max(mark.top, letter.top);
  // What lies within the box of a letter is a speck of the picture.
  const isBeside = across < 0 && -across <= high / 2 && down >= -MARK.distance * high;
  const isOverOrUnder = down < MARK.inside * high && -down <= MARK.distance * high && across >= 0;
  return (isBeside || isOverOrUnder) && areOfOneColour(mark, letter, FARTHEST_COLOUR.mark);
}

/** Width of the columns in which letters are looked for, in pixels. */
const COLUMN = 64;

/** Those small components that belong to a letter. */
function marksOf(letters: readonly Component[], small: readonly Component[]): Component[] {
  const columns = new Map<number, Component[]>();
  for (const letter of letters) {
    const [first, last] = [letter.left - heightOf(letter), letter.right + heightOf(letter)];
    for (let column = Math.floor(first / COLUMN); column <= Math.floor(last / COLUMN); column += 1) {
      const inColumn = columns.get(column);
      if (inColumn === undefined) columns.set(column, [letter]);
      else inColumn.push(letter);
    }
  }
  return small.filter((mark) =>
    (columns.get(Math.floor(mark.left / COLUMN)) ?? []).some((letter) => isMarkOf(letter, mark)),
  );
}

/** Draws letters black on white, with the soft edges that they have in the picture. */
function drawLetters(
  labels: Int32Array,
  kept: ReadonlyMap<number, Component>,
  { width, height, pixels }: GreyPicture,
  ink: LetterShade,
): GreyPicture {
  const sign = ink === 'light' ? 1 : -1;
  const page = new Uint8Array(width * height).fill(255);
  for (let at = 0; at < labels.length; at += 1) {
    const one = kept.get(labels[at] ?? 0);
    if (one === undefined) continue;
    const own = one.brightness / one.pixels;
    const x = at % width;
    for (const near of [
      at,
      at - width,
      at + width,
      ...(x > 0 ? [at - 1] : []),
      ...(x < width - 1 ? [at + 1] : []),
    ]) {
      const difference = sign * (own - (pixels[near] ?? own));
      const shade = Math.max(0, Math.min(255, Math.round((255 * difference) / LEAST_DIFFERENCE)));
      if (near >= 0 && near < page.length) page[near] = Math.min(page[near] ?? 255, shade);
    }
  }
  return { width, height, pixels: page };
}

/** A picture of the letters alone, black on white; undefined when there are none. `slope`: pixels that lines fall for each to the right. */
export function textComponents(
  picture: ColourPicture,
  grey: GreyPicture,
  ink: LetterShade,
  slope = 0,
): GreyPicture | undefined {
  const { labels, components } = labelComponents(inkOf(picture, ink), grey);
  addInkColours(labels, components, picture, grey, ink);
  measureContrast(labels, components, grey, ink);
  const standing = components.filter(({ ways, contrasting }) => contrasting >= LEAST_CONTRAST * ways);
  const isLetter = (one: Component) =>
    heightOf(one) >= HEIGHT.least &&
    heightOf(one) <= HEIGHT.share * grey.height &&
    widthOf(one) <= WIDEST * heightOf(one);
  const candidates = standing.filter(isLetter);
  if (candidates.length > MOST_LETTERS) return undefined;
  const letters = lettersInLines(candidates, slope);
  if (letters.length === 0) return undefined;
  const kept = [...letters, ...marksOf(letters, standing)];
  return drawLetters(labels, new Map(kept.map((one) => [one.label, one])), grey, ink);
}
