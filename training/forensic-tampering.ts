// Measures the detectors of tampering on pictures that it makes: npx tsx training/forensic-tampering.ts FOLDER [PART OF], where FOLDER holds
// labels.json and the pictures that it names. PART and OF split the scenes among processes; each line is one picture. What is made follows
// the labelled set: parts of a quarter to two fifths of the shorter side, first saves of quality 60 to 82, last ones of 83 to 95.
import sharp from 'sharp';
import { brightnessSamples } from '../src/media/image/decode-frame.ts';
import { brightnessSteps, readJpegStructure } from '../src/media/image/jpeg-structure.ts';
import { boxMean, brightnessOf, type Raster } from '../src/media/image/raster.ts';
import { findCopyMove } from '../src/services/forensic/detectors/copy-move.ts';
import {
  DETECTION_THRESHOLD,
  findDoubleQuantisation,
} from '../src/services/forensic/detectors/double-quantisation.ts';
import { findFaintCopy } from '../src/services/forensic/detectors/faint-copies.ts';
import { findJpegGrid } from '../src/services/forensic/detectors/jpeg-grid.ts';
import { chance, isDrawn, read, saved, scenesOf, withoutHistory } from './forensic-scenes.ts';

const [folder = '.', part = '0', of = '1'] = process.argv.slice(2);

type Random = () => number;
const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));

/** A round part of a picture. */
interface Part {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** A place for a part of this radius in a picture. */
const anywhere = ({ width, height }: Raster, radius: number, random: Random): Part => ({
  x: between(random, radius, width - radius - 1),
  y: between(random, radius, height - radius - 1),
  radius,
});

/** The radius of a part whose diameter is between two shares of the shorter side. */
const radiusOf = ({ width, height }: Raster, low: number, high: number, random: Random) =>
  Math.round((0.5 * Math.min(width, height) * between(random, 100 * low, 100 * high)) / 100);

/** Puts a part of one picture into another; three pixels of its edge fade. */
function pasted(into: Raster, { x, y, radius }: Part, from: Raster, at: { x: number; y: number }): Raster {
  const rgb = Uint8Array.from(into.rgb);
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1) {
      const weight = Math.max(0, Math.min(1, (radius - Math.hypot(dx, dy)) / 3));
      for (let channel = 0; channel < 3 && weight > 0; channel += 1) {
        const target = 3 * ((y + dy) * into.width + x + dx) + channel;
        const source = from.rgb[3 * ((at.y + dy) * from.width + at.x + dx) + channel] ?? 0;
        rgb[target] = Math.round((rgb[target] ?? 0) * (1 - weight) + source * weight);
      }
    }
  return { ...into, rgb };
}

/** The picture without its details, as a brush leaves it that hides something. */
function blurred(raster: Raster): Raster {
  const rgb = new Uint8Array(raster.rgb.length);
  for (let channel = 0; channel < 3; channel += 1) {
    const values = Float32Array.from(
      { length: raster.width * raster.height },
      (_, at) => raster.rgb[3 * at + channel] ?? 0,
    );
    const plane = { width: raster.width, height: raster.height, values };
    boxMean(boxMean(plane, 8), 8).values.forEach((value, at) => {
      rgb[3 * at + channel] = Math.round(value);
    });
  }
  return { ...raster, rgb };
}

/** The picture without its first columns and rows. */
function cropped({ width, height, rgb }: Raster, left: number, top: number): Raster {
  const made = { width: width - left, height: height - top };
  const pixels = new Uint8Array(3 * made.width * made.height);
  for (let y = 0; y < made.height; y += 1) {
    const start = 3 * ((y + top) * width + left);
    pixels.set(rgb.subarray(start, start + 3 * made.width), 3 * y * made.width);
  }
  return { ...made, rgb: pixels };
}

const decode = (file: Buffer) => read(file);

function quantisation(file: Buffer, raster: Raster): { score: number | null; found: boolean } {
  const structure = readJpegStructure(file);
  const steps = structure && brightnessSteps(structure);
  if (steps === undefined) return { score: null, found: false };
  const { width, height } = raster;
  const { brightness, clipped } = brightnessSamples(raster.rgb, width, height);
  const result = findDoubleQuantisation(
    { width, height, values: Float32Array.from(brightness) },
    { width: Math.ceil(width / 8), height: Math.ceil(height / 8), values: Float32Array.from(clipped) },
    steps,
  );
  if (result === undefined || !result.savedTwice) return { score: null, found: false };
  return { score: Math.round(10 * result.score) / 10, found: result.score > DETECTION_THRESHOLD };
}

function copies(raster: Raster, shift?: { x: number; y: number }) {
  const plane = brightnessOf(raster);
  const blocks = findCopyMove(plane);
  const best = blocks.verified ? blocks : findFaintCopy(plane);
  const isRight =
    shift === undefined || best.shift === null
      ? null
      : Math.abs(Math.abs(best.shift.x) - Math.abs(shift.x)) <= 6 &&
        Math.abs(Math.abs(best.shift.y) - Math.abs(shift.y)) <= 6;
  return { blocks: blocks.cells, cells: best.cells, found: best.verified, right: isRight };
}

const told = (file: string, kind: string, detector: string, result: object) =>
  console.log(JSON.stringify({ file, kind, detector, ...result }));

/** Parts put between two saves, hidden by blurring, brought from a picture of low quality, and saved strongly afterwards. */
async function splices(file: string, raster: Raster, donor: Raster, random: Random): Promise<void> {
  const [first, last] = [between(random, 60, 82), between(random, 89, 95)];
  const base = await decode(await saved(raster, first));
  const place = anywhere(base, radiusOf(base, 0.33, 0.44, random), random);
  const fits = Math.min(place.radius, Math.floor(Math.min(donor.width, donor.height) / 2) - 2);
  const spot = anywhere(donor, fits, random);
  const spliced = pasted(base, { ...place, radius: fits }, donor, spot);
  const poor = await decode(await saved(donor, between(random, 50, 70)));
  const made = {
    splice: await saved(spliced, last),
    'blurred part': await saved(pasted(base, place, blurred(base), place), last),
    'part of low quality': await saved(pasted(base, { ...place, radius: fits }, poor, spot), last),
    'the same in a photo saved once': await saved(
      pasted(raster, { ...place, radius: fits }, poor, spot),
      last,
    ),
    'splice, saved strongly': await saved(spliced, between(random, 65, 75)),
    'untouched, saved twice': await saved(base, last),
  };
  for (const [kind, picture] of Object.entries(made))
    told(file, kind, 'double_quantisation', quantisation(picture, await decode(picture)));
  told(file, 'untouched, saved twice', 'copy_move', copies(await decode(made['untouched, saved twice'])));
}

/** A part of the picture elsewhere in it. */
async function moves(file: string, raster: Raster, random: Random): Promise<void> {
  const radius = radiusOf(raster, 0.25, 0.35, random);
  const from = anywhere(raster, radius, random);
  let to = anywhere(raster, radius, random);
  for (let tries = 0; tries < 500 && Math.hypot(to.x - from.x, to.y - from.y) < 2.1 * radius; tries += 1)
    to = anywhere(raster, radius, random);
  const picture = await saved(pasted(raster, to, raster, from), between(random, 83, 92));
  told(file, 'copy', 'copy_move', copies(await decode(picture), { x: to.x - from.x, y: to.y - from.y }));
}

/** A part on another grid in a file without loss. */
async function composites(file: string, raster: Raster, donor: Raster, random: Random): Promise<void> {
  const png = ({ width, height, rgb }: Raster) =>
    sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
  const base = await decode(await saved(raster, between(random, 70, 90)));
  const other = await decode(await saved(donor, between(random, 70, 90)));
  const radius = Math.min(
    radiusOf(base, 0.35, 0.45, random),
    Math.floor(Math.min(other.width, other.height) / 2) - 10,
  );
  const place = anywhere(base, radius, random);
  let spot = anywhere(other, radius, random);
  while ((place.x - spot.x) % 8 === 0 && (place.y - spot.y) % 8 === 0) spot = anywhere(other, radius, random);
  const cut = await decode(
    await saved(cropped(base, between(random, 1, 7), between(random, 1, 7)), between(random, 75, 95)),
  );
  for (const [kind, picture] of [
    ['composite', pasted(base, place, other, spot)],
    ['composite in a cropped photo', pasted(cut, { ...place, x: place.x - 7, y: place.y - 7 }, other, spot)],
    ['untouched, without loss', base],
    ['untouched, cropped and saved again, without loss', cut],
  ] as const) {
    const { main, conflicts } = findJpegGrid(brightnessOf(await decode(await png(picture))));
    told(file, kind, 'jpeg_grid', { score: conflicts.length, found: main !== null && conflicts.length > 0 });
  }
}

async function untouched(file: string, raster: Raster, random: Random): Promise<void> {
  const once = await saved(raster, between(random, 80, 92));
  const small = await saved(
    await read(once, Math.round(0.7 * Math.max(raster.width, raster.height))),
    between(random, 70, 90),
  );
  for (const [kind, picture] of [
    ['untouched, saved once', once],
    ['untouched, reduced', small],
  ] as const) {
    const pixels = await decode(picture);
    told(file, kind, 'double_quantisation', quantisation(picture, pixels));
    told(file, kind, 'copy_move', copies(pixels));
  }
}

const photos = (await scenesOf(folder)).filter((scene) => !isDrawn(scene));
const scenes = await Promise.all(
  photos.map(async ({ file, raster }) => ({ file, raster: await withoutHistory(raster) })),
);
for (const [index, { file, raster }] of scenes.entries()) {
  if (index % Number(of) !== Number(part)) continue;
  const donor = scenes[(index + 5) % scenes.length]?.raster ?? raster;
  const random = chance(1000 + index);
  await moves(file, raster, random);
  await splices(file, raster, donor, random);
  await composites(file, raster, donor, random);
  await untouched(file, raster, random);
}
