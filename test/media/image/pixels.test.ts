import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { restoreBlock, transformBlock, transformPlane, ZIGZAG } from '../../../src/media/image/dct.ts';
import { nearestQuality, standardSteps } from '../../../src/media/image/jpeg-quality.ts';
import { brightnessSteps, readJpegStructure } from '../../../src/media/image/jpeg-structure.ts';
import { differingBits, hashPicture } from '../../../src/media/image/pdq.ts';
import { boxMean, cropPlane, shrinkPlane } from '../../../src/media/image/raster.ts';

const block = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 64, maxLength: 64 });
const picture = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#4a7',
      noise: { type: 'gaussian', mean: 120, sigma: 40 },
    },
  });

describe('the cosine transform', () => {
  it('is that of the definition, and is undone by its inverse', () => {
    fc.assert(
      fc.property(block, (values) => {
        const coefficients = new Float32Array(64);
        transformBlock(Float32Array.from(values), 0, 8, coefficients);
        const [u, v] = [3, 5];
        let expected = 0;
        for (let y = 0; y < 8; y += 1)
          for (let x = 0; x < 8; x += 1)
            expected +=
              (values[y * 8 + x] ?? 0) *
              Math.cos(((2 * x + 1) * u * Math.PI) / 16) *
              Math.cos(((2 * y + 1) * v * Math.PI) / 16);
        expect(coefficients[v * 8 + u]).toBeCloseTo(expected / 4, 1);
        const back = new Float32Array(64);
        restoreBlock(coefficients, 0, back);
        for (const [index, value] of back.entries()) expect(value).toBeCloseTo(values[index] ?? 0, 2);
      }),
    );
  });

  it('begins the zig-zag as JPEG does, and passes every place once', () => {
    expect(ZIGZAG.slice(0, 10)).toEqual([0, 1, 8, 16, 9, 2, 3, 10, 17, 24]);
    expect([...ZIGZAG].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 64 }, (_, index) => index),
    );
  });

  it('takes whole blocks alone, from where the grid begins', () => {
    const plane = { width: 20, height: 17, values: new Float32Array(340).fill(8) };
    expect(transformPlane(plane)).toMatchObject({ columns: 2, rows: 2 });
    const shifted = transformPlane(plane, 4, 4);
    expect([shifted.columns, shifted.rows, shifted.coefficients[0]]).toEqual([2, 1, 64]);
  });
});

describe('planes', () => {
  const plane = {
    width: 5,
    height: 4,
    values: Float32Array.from({ length: 20 }, (_, index) => (index * 7) % 11),
  };

  it('have means over squares that are cut off at the edges', () => {
    const means = boxMean(plane, 1);
    for (let y = 0; y < 4; y += 1)
      for (let x = 0; x < 5; x += 1) {
        const window = [-1, 0, 1]
          .flatMap((dy) => [-1, 0, 1].map((dx) => [x + dx, y + dy] as const))
          .filter(([a, b]) => a >= 0 && a < 5 && b >= 0 && b < 4);
        const sum = window.reduce((total, [a, b]) => total + (plane.values[b * 5 + a] ?? 0), 0);
        expect(means.values[y * 5 + x]).toBeCloseTo(sum / window.length, 4);
      }
  });

  it('are cut and shrunk', () => {
    expect([...cropPlane(plane, 1, 2, 2, 1).values]).toEqual([plane.values[11], plane.values[12]]);
    const half = shrinkPlane(plane, 2);
    expect([half.width, half.height]).toEqual([2, 2]);
    expect(half.values[0]).toBeCloseTo(
      ((plane.values[0] ?? 0) + (plane.values[1] ?? 0) + (plane.values[5] ?? 0) + (plane.values[6] ?? 0)) / 4,
    );
  });
});

describe('the headers of a JPEG', () => {
  it.each([
    [35, '4:2:0'],
    [75, '4:2:0'],
    [92, '4:4:4'],
  ] as const)('tell quality %i and %s', async (quality, chromaSubsampling) => {
    const structure = readJpegStructure(
      await picture(70, 50).jpeg({ quality, chromaSubsampling }).toBuffer(),
    );
    expect(structure).toMatchObject({ width: 70, height: 50, progressive: false, trailingBytes: 0 });
    expect(nearestQuality((structure && brightnessSteps(structure)) ?? [])).toEqual({ quality, distance: 0 });
    expect(structure?.components.map(({ across }) => across)).toEqual(
      chromaSubsampling === '4:2:0' ? [2, 1, 1] : [1, 1, 1],
    );
  });

  it('tell several scans, and bytes after the end', async () => {
    const file = await picture(64, 64).jpeg({ progressive: true }).toBuffer();
    expect(readJpegStructure(Buffer.concat([file, Buffer.from('PK more')]))).toMatchObject({
      progressive: true,
      trailingBytes: 7,
    });
  });

  it('are read or given up, whatever the bytes are', async () => {
    const file = await picture(40, 40).jpeg().toBuffer();
    fc.assert(
      fc.property(
        fc.nat(file.length - 1),
        fc.uint8Array({ minLength: 1, maxLength: 30 }),
        fc.nat(file.length),
        (at, bytes, end) => {
          const changed = Buffer.from(file);
          changed.set(bytes.subarray(0, changed.length - at), at);
          const read = readJpegStructure(changed.subarray(0, end));
          expect(read === undefined || read.trailingBytes >= 0).toBe(true);
        },
      ),
    );
    expect(readJpegStructure(Buffer.from('GIF89a'))).toBeUndefined();
  });

  it('have the tables of the standard at quality 50', () => {
    expect(standardSteps(50).slice(0, 8)).toEqual([16, 11, 10, 16, 24, 40, 51, 61]);
    expect(standardSteps(100).every((step) => step === 1)).toBe(true);
  });
});

describe('the perceptual hash', () => {
  it('is that of the reference', async () => {
    // Picture and hash: ThreatExchange, pdq/data/bridge-mods and pdq/python/README.md (BSD-3-Clause).
    const { data, info } = await sharp(readFileSync(packageFile('test', 'media', 'image', 'bridge-160.jpg')))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { hash, quality } = hashPicture({ width: info.width, height: info.height, rgb: data });
    expect(
      differingBits(hash, 'd0f8f1ccc0f4a84d0a370a3a228f67f0b36e2ed5b6623e1d33e6339c4e9c9b22'),
    ).toBeLessThanOrEqual(2);
    expect(quality).toBe(100);
  });

  it('says of an empty picture that it says nothing', () => {
    expect(hashPicture({ width: 20, height: 20, rgb: new Uint8Array(1200).fill(7) }).quality).toBe(0);
  });

  it('counts differing bits', () => {
    expect(differingBits('f'.repeat(64), '0'.repeat(64))).toBe(256);
    expect(differingBits(`${'0'.repeat(63)}3`, '0'.repeat(64))).toBe(2);
  });
});
