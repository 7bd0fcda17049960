import { brightnessOf, meanOfColumns, meanOfRows, type Plane, type Raster } from './raster.ts';

/** A perceptual hash of a picture (PDQ, Facebook, 2019): pictures that look the same differ in few of its bits. */
export interface PictureHash {
  /** 256 bits as 64 hexadecimal digits, the last bit first, as the reference prints them. */
  readonly hash: string;
  /** 0 to 100: how much there is to see; hashes of less than 50 say little. Near copies differ in at most 31 bits (the published threshold). */
  readonly quality: number;
}

const SIDE = 64;
const BITS_A_SIDE = 16;
const PASSES = 2;

/** Rows of the cosine transform that are kept: frequencies 1 to 16 of 64, the mean left out. */
const TRANSFORM = Float64Array.from({ length: BITS_A_SIDE * SIDE }, (_, index) => {
  const frequency = Math.floor(index / SIDE) + 1;
  const place = index % SIDE;
  return Math.sqrt(2 / SIDE) * Math.cos((Math.PI / (2 * SIDE)) * frequency * (2 * place + 1));
});

/** The box filter of the reference: its window is a 128th of a side and hangs to the right when it is even. */
function smooth(plane: Plane): Plane {
  let smoothed = plane;
  const reach = (length: number): [number, number] => {
    const window = Math.floor((length + 2 * SIDE - 1) / (2 * SIDE));
    const after = Math.floor((window + 2) / 2) - 1;
    return [window - 1 - after, after];
  };
  for (let pass = 0; pass < PASSES; pass += 1)
    smoothed = meanOfColumns(meanOfRows(smoothed, ...reach(plane.width)), ...reach(plane.height));
  return smoothed;
}

function sampled({ width, height, values }: Plane): Float64Array {
  return Float64Array.from({ length: SIDE * SIDE }, (_, index) => {
    const y = Math.floor(((Math.floor(index / SIDE) + 0.5) * height) / SIDE);
    const x = Math.floor((((index % SIDE) + 0.5) * width) / SIDE);
    return values[y * width + x] ?? 0;
  });
}

/** The sum of steps in brightness between neighbours, in hundredths of the range and cut to whole numbers, over 90. */
function qualityOf(samples: Float64Array): number {
  let sum = 0;
  const step = (from: number, to: number) =>
    Math.trunc(Math.abs(((samples[from] ?? 0) - (samples[to] ?? 0)) * 100) / 255);
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) {
      const at = y * SIDE + x;
      if (y + 1 < SIDE) sum += step(at, at + SIDE);
      if (x + 1 < SIDE) sum += step(at, at + 1);
    }
  return Math.min(100, Math.trunc(sum / 90));
}

/** 16 x 16 low frequencies of 64 x 64 samples. */
function lowFrequencies(samples: Float64Array): Float64Array {
  const half = new Float64Array(BITS_A_SIDE * SIDE);
  for (let i = 0; i < BITS_A_SIDE; i += 1)
    for (let j = 0; j < SIDE; j += 1) {
      let sum = 0;
      for (let k = 0; k < SIDE; k += 1) sum += (TRANSFORM[i * SIDE + k] ?? 0) * (samples[k * SIDE + j] ?? 0);
      half[i * SIDE + j] = sum;
    }
  return Float64Array.from({ length: BITS_A_SIDE * BITS_A_SIDE }, (_, index) => {
    const [i, j] = [Math.floor(index / BITS_A_SIDE), index % BITS_A_SIDE];
    let sum = 0;
    for (let k = 0; k < SIDE; k += 1) sum += (half[i * SIDE + k] ?? 0) * (TRANSFORM[j * SIDE + k] ?? 0);
    return sum;
  });
}

/** The hash of a picture of any size. */
export function hashPicture(raster: Raster): PictureHash {
  const samples = sampled(smooth(brightnessOf(raster)));
  const frequencies = lowFrequencies(samples);
  const median = frequencies.slice().sort()[frequencies.length / 2 - 1] ?? 0;
  const words = new Uint16Array(BITS_A_SIDE);
  frequencies.forEach((value, index) => {
    if (value > median) words[index >> 4] = (words[index >> 4] ?? 0) | (1 << (index & 15));
  });
  const hash = [...words].reverse().map((word) => word.toString(16).padStart(4, '0'));
  return { hash: hash.join(''), quality: qualityOf(samples) };
}

/** The 256 bits of a hash as 8 numbers: hashes that are compared with many others are read once. */
export const hashToWords = (hash: string): Uint32Array =>
  Uint32Array.from({ length: hash.length / 8 }, (_, word) =>
    Number.parseInt(hash.slice(8 * word, 8 * word + 8), 16),
  );

/** Bits in which two hashes differ, 0 to 256. */
export const differingBits = (one: string, other: string): number =>
  differingBitsOfWords(hashToWords(one), hashToWords(other));

/** Ones among the bits of a number of 32. */
function onesIn(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Bits in which two hashes differ that were read before, 0 to 256. */
export function differingBitsOfWords(one: Uint32Array, other: Uint32Array): number {
  let bits = 0;
  for (let word = 0; word < one.length; word += 1) bits += onesIn((one[word] ?? 0) ^ (other[word] ?? 0));
  return bits;
}
