// The scenes of the labelled pictures, from which tampering is made to measure the detectors (forensic-copies.ts, forensic-tampering.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import { differingBits, hashPicture } from '../src/media/image/pdq.ts';
import type { Raster } from '../src/media/image/raster.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({
        tampered: z.boolean().optional(),
        manipulation: z.string().optional(),
        text: z.string().optional(),
      }),
    }),
  ),
});

/** Untouched pictures are brought to this size, as the labelled ones are: parts are changed in it before it is saved. */
const LONGEST = 1024;
/** No photos: a rendered gradient and a page of letters. */
const DRAWN: readonly string[] = ['image/c2pa/C.jpg', 'image/c2pa/no_manifest.jpg'];
const LEAST_SIDE = 350;
const NEAR_BITS = 31;

/** A picture of a scene that no other picture of the set shows. */
export interface Scene {
  readonly file: string;
  readonly raster: Raster;
}

/** The pixels of a file, with a longer side of at most so many. */
export async function read(file: Buffer, side = LONGEST): Promise<Raster> {
  const { data, info } = await sharp(file, { ignoreIcc: true })
    .removeAlpha()
    .toColourspace('srgb')
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

/** A JPEG of a quality. */
export const saved = ({ width, height, rgb }: Raster, quality: number): Promise<Buffer> =>
  sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();

/** Numbers between 0 and 1, the same at every run. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A photo without its own history: reduced, since earlier saves would be found beside those that are made. */
export const withoutHistory = async ({ width, height, rgb }: Raster): Promise<Raster> =>
  read(
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
    Math.round(0.87 * Math.max(width, height)),
  );

/** Whether a scene is no photo, nor looks like one. */
export const isDrawn = ({ file }: Scene): boolean => DRAWN.includes(file);

/** One picture of each scene of a folder that holds labels.json and the pictures that it names. */
export async function scenesOf(folder: string): Promise<Scene[]> {
  const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
  const kept: (Scene & { hash: string })[] = [];
  for (const { file, media_type: type, expected } of items) {
    const isUntouched = expected.tampered !== true && (expected.manipulation ?? 'none') === 'none';
    if (type !== 'image' || !isUntouched || expected.text !== undefined || /\.heic$/i.test(file)) continue;
    const raster = await read(readFileSync(join(folder, file)));
    if (Math.min(raster.width, raster.height) < LEAST_SIDE) continue;
    const { hash } = hashPicture(await read(await saved(raster, 95), 512));
    if (!kept.some((one) => differingBits(one.hash, hash) <= NEAR_BITS)) kept.push({ file, raster, hash });
  }
  return kept;
}
