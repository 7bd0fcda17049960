import type { Human, RawFace } from '../../../media/human.ts';
import type { FrameRun } from '../../../media/recording/window.ts';

/** What is measured of the face in one frame. */
export interface FaceFrame {
  /** Pixels between the outer corners of the eyes. */
  readonly eyeDistance: number;
  /** Mean change of brightness around the mouth since the frame before, 0 to 255, the face held still; null after a cut. */
  readonly mouthMotion: number | null;
  /** Mean colour of forehead and cheeks, 0 to 255 each; null when too few pixels are skin in usable light. */
  readonly skin: readonly [red: number, green: number, blue: number] | null;
}

/** The largest face of a run of frames, frame by frame; null where there is none. */
export type FaceTrack = readonly (FaceFrame | null)[];

/** Points of the mesh: the outer corners of the eyes, and the middles of forehead and cheeks. */
const [EYE, OTHER_EYE] = [33, 263];
const SKIN_POINTS = [151, 50, 280];
/** Sides of the squares of skin, and of the mouth with its place below the eyes, in distances of the eyes. */
const SKIN_SIDE = 0.25;
const MOUTH = { below: 0.95, width: 0.8, height: 0.6, columns: 32, rows: 24 };
/** A face that moves by more of itself between two frames is another one. */
const JUMP = 0.5;
/** Pixels that are skin in usable light: red enough, not burnt out, redder than green. */
const [DARKEST, BRIGHTEST, LEAST_RED] = [40, 250, 0.9];
const LEAST_SKIN_PIXELS = 60;

/** The configuration of Human for films: one face with its mesh, searched for twice a second and followed between. */
export const FACE_PARTS = {
  face: {
    detector: { rotation: false, maxDetected: 1, minConfidence: 0.7, skipFrames: 12, skipTime: 1e9 },
    mesh: { enabled: true },
  },
  object: { enabled: false },
};

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

interface Eyes {
  readonly x: number;
  readonly y: number;
  readonly distance: number;
  /** The direction from one eye to the other. */
  readonly across: readonly [number, number];
}

function eyesOf(mesh: NonNullable<RawFace['mesh']>): Eyes | undefined {
  const [one, other] = [mesh[EYE], mesh[OTHER_EYE]];
  if (one === undefined || other === undefined) return undefined;
  const [dx, dy] = [other[0] - one[0], other[1] - one[1]];
  const distance = Math.hypot(dx, dy);
  if (distance < 1) return undefined;
  const middle = { x: (one[0] + other[0]) / 2, y: (one[1] + other[1]) / 2 };
  return { ...middle, distance, across: [dx / distance, dy / distance] };
}

/** Where the pixel of a place begins; places outside are drawn to the edge. */
function pixelAt({ width, height }: Picture, x: number, y: number): number {
  const column = Math.max(0, Math.min(width - 1, Math.round(x)));
  const row = Math.max(0, Math.min(height - 1, Math.round(y)));
  return 3 * (row * width + column);
}

/** The brightness around the mouth, in the frame of the eyes: it stays still when the head moves or turns in the picture. */
function mouthOf(picture: Picture, { x, y, distance, across: [ux, uy] }: Eyes): Float32Array {
  const { below, width, height, columns, rows } = MOUTH;
  return Float32Array.from({ length: columns * rows }, (_, index) => {
    const right = distance * (((index % columns) / (columns - 1) - 0.5) * width);
    const down = distance * (below + (Math.floor(index / columns) / (rows - 1) - 0.5) * height);
    const at = pixelAt(picture, x + right * ux - down * uy, y + right * uy + down * ux);
    const { rgb } = picture;
    return 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
  });
}

function skinOf(picture: Picture, mesh: NonNullable<RawFace['mesh']>, distance: number): FaceFrame['skin'] {
  const sums: [number, number, number] = [0, 0, 0];
  let pixels = 0;
  const reach = (SKIN_SIDE * distance) / 2;
  for (const point of SKIN_POINTS) {
    const [x = 0, y = 0] = mesh[point] ?? [];
    for (let row = Math.ceil(y - reach); row <= y + reach; row += 1)
      for (let column = Math.ceil(x - reach); column <= x + reach; column += 1) {
        const at = pixelAt(picture, column, row);
        const [red = 0, green = 0, blue = 0] = picture.rgb.subarray(at, at + 3);
        if (red < DARKEST || red > BRIGHTEST || red <= LEAST_RED * green) continue;
        sums[0] += red;
        sums[1] += green;
        sums[2] += blue;
        pixels += 1;
      }
  }
  return pixels < LEAST_SKIN_PIXELS ? null : [sums[0] / pixels, sums[1] / pixels, sums[2] / pixels];
}

function meanChange(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1)
    sum += Math.abs((one[index] ?? 0) - (other[index] ?? 0));
  return sum / one.length;
}

/** Follows the face through a run of frames. */
export async function trackFaces(human: Human, run: FrameRun): Promise<FaceTrack> {
  const { width, height, count } = run;
  const frames: (FaceFrame | null)[] = [];
  let before: { readonly eyes: Eyes; readonly mouth: Float32Array } | undefined;
  for (let index = 0; index < count; index += 1) {
    const rgb = run.rgb.subarray(3 * width * height * index, 3 * width * height * (index + 1));
    const picture = { width, height, rgb };
    const tensor = human.tf.tidy(() =>
      human.tf.cast(human.tf.tensor(rgb, [height, width, 3], 'int32'), 'float32'),
    );
    const { face, error } = await human.detect(tensor).finally(() => tensor.dispose());
    if (typeof error === 'string' && error !== '') throw new Error(error);
    const mesh = face[0]?.mesh;
    const eyes = mesh && eyesOf(mesh);
    if (mesh === undefined || eyes === undefined) {
      before = undefined;
      frames.push(null);
      continue;
    }
    const mouth = mouthOf(picture, eyes);
    const jumped =
      before !== undefined &&
      Math.hypot(before.eyes.x - eyes.x, before.eyes.y - eyes.y) > JUMP * eyes.distance;
    frames.push({
      eyeDistance: eyes.distance,
      mouthMotion: before === undefined || jumped ? null : meanChange(mouth, before.mouth),
      skin: skinOf(picture, mesh, eyes.distance),
    });
    before = { eyes, mouth };
  }
  return frames;
}
