import { setImmediate } from 'node:timers/promises';
import type { Sound } from '../../../media/recording/sound.ts';
import type { TimeRange } from '../../../media/recording/voice-activity.ts';
import { createSpectrum } from './spectrum.ts';

/** How the width of a sound changes in steps. */
export interface BandwidthSteps {
  /** Decibels between the loudest audible piece without high sounds and the quietest one with them, above `hertz`. */
  readonly gap: number;
  readonly hertz: number;
  /** Where the high sounds are missing. */
  readonly ranges: readonly TimeRange[];
}

/** Pieces in which levels are compared: shorter ones hold single speech sounds, longer ones hide short parts. */
const PIECE_SECONDS = 0.25;
const WINDOW = 1024;
const BAND_HERTZ = 500;
/** Edges that are tried: from the end of a telephone line to the usual end of the sample rate. */
const LOWEST_EDGE = 3500;
const HIGHEST_SHARE = 0.92;
/** Bands above an edge that are compared: enough that one speech sound fills them. */
const HIGH_BANDS = 3;
/** Audible is what lies within so many decibels of the loudest pieces, between these frequencies in bands. */
const AUDIBLE_DECIBELS = 30;
const AUDIBLE_BANDS: readonly [number, number] = [1, 6];
/** Power below that of the rounding to 16 bits, in the units of the transform. */
const SILENCE = 1e-9;
/** Where hardly a piece is louder above the lowest edge, there is nothing that could be missing in another. */
const NARROW_DECIBELS = -60;
/** Each kind has at least a second, and nowhere less than two pieces on end: a seam lasts, a speech sound does not. */
const LEAST_PIECES = 4;
const SHORTEST_RUN = 2;
/** Longer recordings are compared in parts of 30 s, a new one every 15 s: over minutes rooms and microphones change. */
const PART_PIECES = 120;
const PIECES_AT_ONCE = 32;

/** The mean power of each band in each piece. */
interface Levels {
  readonly bands: readonly Float64Array[];
  readonly pieceSec: number;
}

/** An audible piece: its place and how loud it is above an edge, in decibels. */
interface Piece {
  readonly at: number;
  readonly decibels: number;
}

/** A gap between levels: those of the limit, and the pieces among which it was found. */
interface Step {
  readonly gap: number;
  readonly edge: number;
  readonly limit: number;
  readonly part: readonly Piece[];
}

/**
 * The clearest step of the width: an edge above which all audible pieces are either loud or far quieter, each kind for a while on end. Undefined when
 * the sound is too short or too narrow for one to be looked for.
 */
export async function bandwidthSteps(
  sound: Sound,
  signal?: AbortSignal,
): Promise<BandwidthSteps | undefined> {
  const edges = edgesOf(sound.rate);
  const levels = await levelsOf(sound, signal);
  const audible = audiblePieces(levels);
  const [lowest] = edges;
  if (lowest === undefined || audible.length < 2 * LEAST_PIECES) return undefined;
  const wide = levelsAbove(levels, audible, lowest).filter((piece) => piece.decibels >= NARROW_DECIBELS);
  if (wide.length < LEAST_PIECES) return undefined;
  let best: Step = { gap: 0, edge: 0, limit: 0, part: [] };
  const last = audible.at(-1) ?? 0;
  for (let from = 0; from === 0 || from + PART_PIECES / 2 <= last; from += PART_PIECES / 2) {
    const part = audible.filter((at) => at >= from && at < from + PART_PIECES);
    for (const edge of edges) {
      const step = clearest(levelsAbove(levels, part, edge), edge);
      if (step.gap > best.gap) best = step;
    }
  }
  return { gap: best.gap, hertz: best.edge * BAND_HERTZ, ranges: quietStretches(levels, audible, best) };
}

/** The edges that are tried, as numbers of bands. */
function edgesOf(rate: number): number[] {
  const last = Math.floor((HIGHEST_SHARE * (rate / 2)) / BAND_HERTZ) - HIGH_BANDS;
  const first = LOWEST_EDGE / BAND_HERTZ;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The mean power of each band in each piece. */
async function levelsOf({ rate, samples }: Sound, signal: AbortSignal | undefined): Promise<Levels> {
  const powerOf = createSpectrum(WINDOW);
  const bandOf = Uint16Array.from({ length: WINDOW / 2 }, (_, bin) => (bin * rate) / WINDOW / BAND_HERTZ);
  const windows = Math.max(1, Math.round((PIECE_SECONDS * rate) / (WINDOW / 2)));
  const length = (windows * WINDOW) / 2;
  const share = (BAND_HERTZ * WINDOW) / rate;
  const bands: Float64Array[] = [];
  for (let from = 0; from + length + WINDOW / 2 <= samples.length; from += length) {
    const sums = new Float64Array(Math.floor(rate / 2 / BAND_HERTZ) + 1);
    for (let window = 0; window < windows; window += 1) {
      const at = from + (window * WINDOW) / 2;
      powerOf(samples.subarray(at, at + WINDOW)).forEach((value, bin) => {
        const band = bandOf[bin] ?? 0;
        sums[band] = (sums[band] ?? 0) + value / windows / share;
      });
    }
    bands.push(sums);
    if (bands.length % PIECES_AT_ONCE !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return { bands, pieceSec: length / rate };
}

const sumOf = (level: Float64Array | undefined, from: number, to: number): number =>
  level?.subarray(from, to).reduce((sum, value) => sum + value, 0) ?? 0;

const decibels = (power: number): number => 10 * Math.log10(power + SILENCE);

/** How loud pieces are above an edge, a mean over frequencies. */
const levelsAbove = ({ bands }: Levels, pieces: readonly number[], edge: number): Piece[] =>
  pieces.map((at) => ({ at, decibels: decibels(sumOf(bands[at], edge, edge + HIGH_BANDS) / HIGH_BANDS) }));

/** The pieces in which something is heard that could have high sounds. */
function audiblePieces({ bands }: Levels): number[] {
  const loudness = bands.map((band) => decibels(sumOf(band, ...AUDIBLE_BANDS)));
  const loud = [...loudness].sort((one, two) => one - two)[Math.floor(0.95 * loudness.length)] ?? 0;
  return loudness.flatMap((one, at) => (one > loud - AUDIBLE_DECIBELS ? [at] : []));
}

/** The widest gap between the levels of pieces of which both sides come in runs; 0 when there is none. */
function clearest(pieces: readonly Piece[], edge: number): Step {
  const sorted = pieces.map((piece) => piece.decibels).sort((one, two) => one - two);
  let best: Step = { gap: 0, edge, limit: 0, part: [] };
  for (let index = LEAST_PIECES - 1; index < sorted.length - LEAST_PIECES; index += 1) {
    const [below, next] = [sorted[index] ?? 0, sorted[index + 1] ?? 0];
    const limit = (below + next) / 2;
    if (next - below > best.gap && runsOf(pieces, limit).every(({ length }) => length >= SHORTEST_RUN))
      best = { gap: next - below, edge, limit, part: pieces };
  }
  return best;
}

/** Pieces that follow each other on one side of a level. */
function runsOf(pieces: readonly Piece[], limit: number): Piece[][] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    const isQuiet = piece.decibels < limit;
    if (last !== undefined && (last[0]?.decibels ?? 0) < limit === isQuiet) last.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

/** The runs without high sounds, each as far as it goes beyond the part in which the gap was found. */
function quietStretches(
  levels: Levels,
  audible: readonly number[],
  { gap, edge, limit, part }: Step,
): TimeRange[] {
  if (gap === 0) return [];
  const from = part[0]?.at ?? 0;
  const to = part.at(-1)?.at ?? 0;
  return runsOf(levelsAbove(levels, audible, edge), limit)
    .filter((run) => (run[0]?.decibels ?? 0) < limit && run.some(({ at }) => at >= from && at <= to))
    .map((run) => ({
      startSec: (run[0]?.at ?? 0) * levels.pieceSec,
      endSec: ((run.at(-1)?.at ?? 0) + 1) * levels.pieceSec,
    }));
}
