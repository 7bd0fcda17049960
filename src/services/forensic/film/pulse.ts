/** A mean colour of skin. */
export type SkinColour = readonly [red: number, green: number, blue: number];

/** A rhythm in the colour of a skin. */
export interface Rhythm {
  readonly beatsPerMinute: number;
  /** Power at the rhythm and at twice of it over all other power, in decibels. */
  readonly signalToNoise: number;
}

/** What two methods find. */
export interface Pulse {
  /** Plane orthogonal to skin (Wang et al. 2017). */
  readonly pos: Rhythm;
  /** Chrominance (de Haan and Jeanne 2013). */
  readonly chrom: Rhythm;
}

/** Length of the windows of both methods in seconds. */
const WINDOW_SECONDS = 1.6;
/** Hearts beat so often: 39 to 240 times a minute. */
const [SLOWEST_HERTZ, FASTEST_HERTZ] = [0.65, 4];
const STEP_HERTZ = 1 / 120;
/** Width of a rhythm and of its double. */
const [NEAR_HERTZ, NEAR_DOUBLE_HERTZ] = [0.1, 0.2];
const DETREND_SECONDS = 1;

/** Two mixtures of red, green and blue, and the sign with which the second is added, each divided by its spread. */
interface Method {
  readonly first: SkinColour;
  readonly second: SkinColour;
  readonly sign: 1 | -1;
}

const POS: Method = { first: [0, 1, -1], second: [-2, 1, 1], sign: 1 };
const CHROM: Method = { first: [3, -2, 0], second: [1.5, 1, -1.5], sign: -1 };

const meanOf = (values: ArrayLike<number>) =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
function spreadOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

/** The signal of a method: overlapping windows, each over its own mean colour, added up. */
function signalOf(
  colours: readonly SkinColour[],
  framesPerSecond: number,
  { first, second, sign }: Method,
): Float64Array {
  const length = Math.round(WINDOW_SECONDS * framesPerSecond);
  const signal = new Float64Array(colours.length);
  const mixed = ([red, green, blue]: SkinColour, [r, g, b]: SkinColour) => r * red + g * green + b * blue;
  for (let from = 0; from + length <= colours.length; from += 1) {
    const part = colours.slice(from, from + length);
    const [red, green, blue] = [0, 1, 2].map((channel) => meanOf(part.map((colour) => colour[channel] ?? 0)));
    const over = part.map(
      (colour): SkinColour => [colour[0] / (red ?? 1), colour[1] / (green ?? 1), colour[2] / (blue ?? 1)],
    );
    const [one, two] = [
      over.map((colour) => mixed(colour, first)),
      over.map((colour) => mixed(colour, second)),
    ];
    const share = (sign * spreadOf(one)) / (spreadOf(two) || 1);
    const sum = one.map((value, index) => value + share * (two[index] ?? 0));
    const mean = meanOf(sum);
    sum.forEach((value, index) => {
      signal[from + index] = (signal[from + index] ?? 0) + value - mean;
    });
  }
  return signal;
}

/** The signal without what changes slowly, faded in and out (Hann). */
function prepared(signal: Float64Array, framesPerSecond: number): Float64Array {
  const reach = Math.round((DETREND_SECONDS * framesPerSecond) / 2);
  return signal.map((value, index) => {
    const near = signal.subarray(Math.max(0, index - reach), index + reach + 1);
    const fade = 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (signal.length - 1));
    return fade * (value - meanOf(near));
  });
}

function rhythmOf(signal: Float64Array, framesPerSecond: number): Rhythm {
  const values = prepared(signal, framesPerSecond);
  const powers: { hertz: number; power: number }[] = [];
  for (let hertz = SLOWEST_HERTZ; hertz <= FASTEST_HERTZ; hertz += STEP_HERTZ) {
    let [real, imaginary] = [0, 0];
    values.forEach((value, index) => {
      const angle = (2 * Math.PI * hertz * index) / framesPerSecond;
      real += value * Math.cos(angle);
      imaginary += value * Math.sin(angle);
    });
    powers.push({ hertz, power: real ** 2 + imaginary ** 2 });
  }
  const best = powers.reduce((one, two) => (two.power > one.power ? two : one));
  const belongs = (hertz: number) =>
    Math.abs(hertz - best.hertz) <= NEAR_HERTZ || Math.abs(hertz - 2 * best.hertz) <= NEAR_DOUBLE_HERTZ;
  const sum = (of: (hertz: number) => boolean) =>
    powers.reduce((total, { hertz, power }) => total + (of(hertz) ? power : 0), 0);
  const ratio = (sum(belongs) + 1e-12) / (sum((hertz) => !belongs(hertz)) + 1e-12);
  return { beatsPerMinute: 60 * best.hertz, signalToNoise: 10 * Math.log10(ratio) };
}

/** Looks for a pulse in the colour of a skin, frame by frame at an even rate. */
export const detectPulse = (colours: readonly SkinColour[], framesPerSecond: number): Pulse => ({
  pos: rhythmOf(signalOf(colours, framesPerSecond, POS), framesPerSecond),
  chrom: rhythmOf(signalOf(colours, framesPerSecond, CHROM), framesPerSecond),
});
