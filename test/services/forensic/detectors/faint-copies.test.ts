import { describe, expect, it } from 'vitest';
import { brightnessOf, type Raster } from '../../../../src/media/image/raster.ts';
import { findCopyMove } from '../../../../src/services/forensic/detectors/copy-move.ts';
import { findFaintCopy } from '../../../../src/services/forensic/detectors/faint-copies.ts';
import { squareTransform } from '../../../../src/services/forensic/detectors/fourier.ts';
import { insideOutside, opened, pasted, photoLike, saved } from '../pictures.ts';

/** A sky: hardly any contrast, but what a camera leaves in it. */
function sky(): Raster {
  const { width, height, rgb } = photoLike(800, 600, 4);
  const paler = rgb.map(
    (value, at) => 150 + Math.floor(at / (3 * width * 8)) + Math.round((value - 128) / 12),
  );
  return { width, height, rgb: paler };
}

describe('faint copies', () => {
  it('are found on even surfaces, where blocks are all alike', async () => {
    const place = { x: 480, y: 320, width: 200, height: 180 };
    const copied = pasted(sky(), sky(), place, { x: 90, y: 70 });
    const plane = brightnessOf(await opened(await saved(copied, 90)));
    expect(findCopyMove(plane)).toMatchObject({ verified: false });
    const found = findFaintCopy(plane);
    expect(found.verified).toBe(true);
    expect(Math.abs(Math.abs(found.shift?.x ?? 0) - 390)).toBeLessThanOrEqual(4);
    expect(Math.abs(Math.abs(found.shift?.y ?? 0) - 250)).toBeLessThanOrEqual(4);
    const { inside } = insideOutside(found.map, found.cellSide, place);
    const source = insideOutside(found.map, found.cellSide, { ...place, x: 90, y: 70 });
    expect(inside).toBeGreaterThan(0.5);
    expect(source.inside).toBeGreaterThan(0.5);
  });

  it.each([
    ['an untouched sky', sky()],
    ['an untouched photo', photoLike(800, 600, 9)],
    [
      'a rendered gradient',
      {
        width: 800,
        height: 600,
        rgb: Uint8Array.from({ length: 3 * 800 * 600 }, (_, at) => 40 + Math.floor(at / (3 * 800 * 4))),
      },
    ],
    ['a picture smaller than a tile', photoLike(40, 40, 2)],
  ])('are not found in %s', async (_name, picture) => {
    const plane = brightnessOf(await opened(await saved(picture, 80)));
    expect(findFaintCopy(plane)).toMatchObject({ verified: false });
  });
});

describe('the transform of a square', () => {
  it('tells the frequency of a wave, and is undone by its inverse', () => {
    const side = 16;
    const { forward, backward } = squareTransform(side);
    const wave = Float32Array.from({ length: side * side }, (_, at) =>
      Math.cos((2 * Math.PI * (3 * (at % side) + 5 * Math.floor(at / side))) / side),
    );
    const [real, imaginary] = [Float32Array.from(wave), new Float32Array(side * side)];
    forward(real, imaginary);
    const strong = [...real.keys()].filter((at) => Math.hypot(real[at] ?? 0, imaginary[at] ?? 0) > 1);
    expect(strong).toEqual([5 * side + 3, 11 * side + 13]);
    backward(real, imaginary);
    real.forEach((value, at) => {
      expect(value / side ** 2).toBeCloseTo(wave[at] ?? 0, 4);
    });
  });
});
