import type { LocalizedText } from '../../../../foundation/localized-text.ts';
/** The colours that a description names. */
export const COLOURS = {
  black: { en: 'black', ro: 'negru' },
  white: { en: 'white', ro: 'alb' },
  grey: { en: 'grey', ro: 'gri' },
  brown: { en: 'brown', ro: 'maro' },
  red: { en: 'red', ro: 'roșu' },
  orange: { en: 'orange', ro: 'portocaliu' },
  yellow: { en: 'yellow', ro: 'galben' },
  green: { en: 'green', ro: 'verde' },
  teal: { en: 'teal', ro: 'turcoaz' },
  blue: { en: 'blue', ro: 'albastru' },
  purple: { en: 'purple', ro: 'violet' },
  pink: { en: 'pink', ro: 'roz' },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** A colour of the table. */
export type Colour = keyof typeof COLOURS;

/** Where a hue, in degrees, ends; the last one leads back to red. */
const HUES: readonly (readonly [until: number, colour: Colour])[] = [
  [15, 'red'],
  [42, 'orange'],
  [70, 'yellow'],
  [160, 'green'],
  [195, 'teal'],
  [255, 'blue'],
  [295, 'purple'],
  [340, 'pink'],
  [361, 'red'],
];
/** Of 0 to 255: darker is black, lighter white; a smaller distance between the channels is no colour. */
const LIMITS = { black: 45, white: 215, colourless: 28, brownUnder: 150, paleRed: 200 };

/** The name of one pixel's colour. */
export function colourOf(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  const spread = most - least;
  if (most < LIMITS.black) return 'black';
  if (spread < LIMITS.colourless) return least > LIMITS.white ? 'white' : 'grey';
  const sector =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const hue = (60 * sector + 360) % 360;
  const colour = HUES.find(([until]) => hue < until)?.[1] ?? 'red';
  if ((colour === 'orange' || colour === 'red') && most < LIMITS.brownUnder && hue > 10) return 'brown';
  return colour === 'red' && least > LIMITS.paleRed / 2 && most > LIMITS.paleRed ? 'pink' : colour;
}

/** A colour with its share of the picture. */
export interface ColourShare {
  readonly colour: Colour;
  readonly share: number;
}

/** The colours of a picture that take at least this share. */
const LEAST_SHARE = 0.08;

/** The main colours of a picture of three channels, the largest first. */
export function mainColours(rgb: Uint8Array): ColourShare[] {
  const counts = new Map<Colour, number>();
  const pixels = Math.floor(rgb.length / 3);
  for (let at = 0; at < 3 * pixels; at += 3) {
    const colour = colourOf(rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts]
    .map(([colour, count]) => ({ colour, share: count / pixels }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((one, other) => other.share - one.share);
}
