import { describe, expect, it } from 'vitest';
import { brightnessSamples } from '../../../../src/media/image/decode-frame.ts';
import { brightnessSteps, readJpegStructure } from '../../../../src/media/image/jpeg-structure.ts';
import { brightnessOf, type Raster } from '../../../../src/media/image/raster.ts';
import { logBinomialTail } from '../../../../src/services/forensic/detectors/binomial.ts';
import {
  componentBounds,
  connectedComponents,
} from '../../../../src/services/forensic/detectors/components.ts';
import { findCopyMove } from '../../../../src/services/forensic/detectors/copy-move.ts';
import {
  DETECTION_THRESHOLD,
  findDoubleQuantisation,
} from '../../../../src/services/forensic/detectors/double-quantisation.ts';
import { findJpegGrid } from '../../../../src/services/forensic/detectors/jpeg-grid.ts';
import { noiseRatios } from '../../../../src/services/forensic/detectors/noise.ts';
import { errorLevels, ghostQualities } from '../../../../src/services/forensic/detectors/recompression.ts';
import { insideOutside, opened, pasted, photoLike, saved } from '../pictures.ts';

const PLACE = { x: 160, y: 96, width: 160, height: 144 };
const background = photoLike(512, 384, 1);
const donor = photoLike(512, 384, 2);

async function quantisationOf(file: Buffer) {
  const structure = readJpegStructure(file);
  const steps = structure && brightnessSteps(structure);
  if (steps === undefined) throw new Error('the sample has no table');
  const picture = await opened(file);
  const { clipped } = brightnessSamples(picture.rgb, picture.width, picture.height);
  const blocks = { width: Math.ceil(picture.width / 8), height: Math.ceil(picture.height / 8) };
  return findDoubleQuantisation(
    brightnessOf(picture),
    { ...blocks, values: Float32Array.from(clipped) },
    steps,
  );
}

describe('double quantisation', () => {
  it('shows a part that was put between two saves, and where it is', async () => {
    const first = await opened(await saved(background, 60));
    const found = await quantisationOf(await saved(pasted(first, donor, PLACE, { x: 100, y: 50 }), 92));
    expect(found).toMatchObject({ savedTwice: true });
    expect(found?.score).toBeGreaterThan(DETECTION_THRESHOLD);
    const { inside, outside } = insideOutside(
      found?.map ?? { width: 0, height: 0, values: new Float32Array() },
      8,
      PLACE,
    );
    expect(inside).toBeGreaterThan(outside + 3);
  });

  it('flags neither one save nor two of the whole picture', async () => {
    const once = await quantisationOf(await saved(background, 92));
    expect(once?.score ?? 0).toBeLessThan(DETECTION_THRESHOLD);
    const twice = await quantisationOf(await saved(await opened(await saved(background, 60)), 92));
    expect(twice).toMatchObject({ savedTwice: true });
    expect(twice?.score).toBeLessThan(DETECTION_THRESHOLD);
  });

  it('says nothing of a picture without enough blocks', async () => {
    expect(await quantisationOf(await saved(photoLike(96, 96, 3), 80))).toBeUndefined();
  });
});

describe('copy-move', () => {
  it('finds a part that stands in the picture twice, and the way between', async () => {
    const copied = pasted(background, background, PLACE, { x: 24, y: 220 });
    const found = findCopyMove(brightnessOf(await opened(await saved(copied, 90))));
    expect(found.verified).toBe(true);
    expect([Math.abs(found.shift?.x ?? 0), Math.abs(found.shift?.y ?? 0)]).toEqual([136, 124]);
  });

  it.each([
    ['a picture', background],
    ['stripes', striped()],
    ['one colour', { ...background, rgb: background.rgb.map(() => 90) }],
  ])('finds none in %s', (_name, picture) => {
    expect(findCopyMove(brightnessOf(picture))).toMatchObject({ verified: false });
  });
});

/** Bars that are alike at many shifts along them. */
function striped(): Raster {
  const rgb = new Uint8Array(3 * 512 * 384);
  for (let pixel = 0; pixel < 512 * 384; pixel += 1) {
    const x = pixel % 512;
    rgb.fill(x * x > 20_000 && x % 97 < 40 ? 200 : 40, 3 * pixel, 3 * pixel + 3);
  }
  return { width: 512, height: 384, rgb };
}

describe('the JPEG grid', () => {
  it('is found in a picture that was a JPEG, with the part that lies on another one', async () => {
    const first = await opened(await saved(background, 75));
    const other = await opened(await saved(donor, 75));
    const found = findJpegGrid(brightnessOf(pasted(first, other, PLACE, { x: 99, y: 53 })));
    expect(found.main).toEqual({ x: 0, y: 0 });
    expect(found.conflicts.length).toBeGreaterThan(0);
    for (const { x, y, size } of found.conflicts) {
      expect(x + size).toBeGreaterThan(PLACE.x);
      expect(x).toBeLessThan(PLACE.x + PLACE.width);
      expect(y + size).toBeGreaterThan(PLACE.y);
      expect(y).toBeLessThan(PLACE.y + PLACE.height);
    }
  });

  it('tells where a picture was cropped, and that there is none', async () => {
    const file = await opened(await saved(background, 75));
    const cropped = pasted(
      { width: 400, height: 300, rgb: new Uint8Array(3 * 400 * 300) },
      file,
      { x: 0, y: 0, width: 400, height: 300 },
      { x: 3, y: 6 },
    );
    expect(findJpegGrid(brightnessOf(cropped)).main).toEqual({ x: 5, y: 2 });
    expect(findJpegGrid(brightnessOf(background)).main).toBeNull();
  });
});

describe('an even ground', () => {
  it('has no grid of its own, whatever the steps between its blocks look like', async () => {
    const picture = photoLike(512, 384, 5);
    for (let y = 0; y < 384; y += 1)
      for (let x = 0; x < 320; x += 1) {
        const shade = 120 + 12 * Math.sin(x / 70) * Math.cos(y / 90) + 10 * Math.sin((x + y) / 50);
        picture.rgb.fill(Math.round(shade), 3 * (y * 512 + x), 3 * (y * 512 + x) + 3);
      }
    const { main, conflicts } = findJpegGrid(brightnessOf(await opened(await saved(picture, 50))));
    expect(main).toEqual({ x: 0, y: 0 });
    expect(conflicts).toEqual([]);
  });
});

describe('maps for people', () => {
  it('show changes by one more save where a part was saved less', async () => {
    const first = await opened(await saved(background, 40));
    const mixed = brightnessOf(pasted(first, donor, PLACE, { x: 100, y: 50 }));
    const { inside, outside } = insideOutside(errorLevels(mixed), 16, PLACE);
    expect(inside).toBeGreaterThan(1.3 * outside);
  });

  it('name the quality at which a picture was saved before', async () => {
    const qualities = ghostQualities(brightnessOf(await opened(await saved(background, 60))));
    const sorted = qualities.values.filter((quality) => quality > 0).sort();
    expect(sorted[sorted.length >> 1]).toBe(60);
  });

  it('show a part of other noise', () => {
    const quiet = { ...background, rgb: background.rgb.map((value) => (value & 0xf8) | 4) };
    const { inside, outside } = insideOutside(
      noiseRatios(
        brightnessOf(
          pasted(
            { ...quiet, rgb: quiet.rgb.map((value) => Math.round(value * 0.5 + 60)) },
            background,
            PLACE,
            PLACE,
          ),
        ),
      ),
      32,
      PLACE,
    );
    expect(inside).toBeGreaterThan(1.3 * outside);
  });
});

describe('numbers behind the detectors', () => {
  // At or below the mean the tail counts as certain: only the improbable is asked for.
  it.each([
    [5, 10, 0.5, 1],
    [8, 10, 0.5, 56 / 1024],
    [10, 10, 0.5, 1 / 1024],
    [11, 10, 0.5, 0],
    [3, 64, 1 / 64, 0.0788],
  ])('%i of %i at %d', (successes, trials, probability, expected) => {
    expect(Math.exp(logBinomialTail(successes, trials, probability))).toBeCloseTo(expected, 4);
  });

  it('joins cells that touch', () => {
    const marked = Uint8Array.from([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1]);
    expect(connectedComponents(marked, 4).map(({ cells }) => cells.length)).toEqual([3, 2]);
    expect(componentBounds(marked, 4, 8, 3)).toEqual([{ x: 0, y: 0, width: 16, height: 16 }]);
  });
});
