// Measures the search for copied parts on copies that it makes: npx tsx training/forensic-copies.ts FOLDER [PART OF], where FOLDER holds
// labels.json and the pictures that it names. PART and OF split the sources among processes; each line is one picture.
import { boxMean, brightnessOf, type Raster } from '../src/media/image/raster.ts';
import { findCopyMove } from '../src/services/forensic/detectors/copy-move.ts';
import { findFaintCopy } from '../src/services/forensic/detectors/faint-copies.ts';
import { chance, read, saved, scenesOf } from './forensic-scenes.ts';

const [folder = '.', part = '0', of = '1'] = process.argv.slice(2);

interface Copy {
  readonly raster: Raster;
  readonly x: number;
  readonly y: number;
  /** Mean energy of the details of the copied part, in squared steps. */
  readonly energy: number;
}

/** Copies a round part of a picture to another place: the evenest one that is found, or a textured one. */
function copied(raster: Raster, share: number, kind: 'smooth' | 'textured', random: () => number): Copy {
  const { width, height, rgb } = raster;
  const radius = Math.round(share * Math.min(width, height));
  const plane = brightnessOf(raster);
  const slow = boxMean(plane, 4);
  const squares = plane.values.map((value, at) => (value - (slow.values[at] ?? 0)) ** 2);
  const energy = boxMean({ ...plane, values: squares }, Math.round(0.8 * radius));
  const anywhere = () => ({
    x: radius + Math.floor(random() * (width - 2 * radius)),
    y: radius + Math.floor(random() * (height - 2 * radius)),
  });
  const spots = Array.from({ length: 60 }, anywhere)
    .map((spot) => ({ ...spot, energy: energy.values[spot.y * width + spot.x] ?? 0 }))
    .sort((one, other) => one.energy - other.energy);
  const from = (kind === 'smooth' ? spots[0] : spots[Math.floor(0.7 * spots.length)]) ?? {
    ...anywhere(),
    energy: 0,
  };
  let to = anywhere();
  for (let tries = 0; tries < 200 && Math.hypot(to.x - from.x, to.y - from.y) < 2.1 * radius; tries += 1)
    to = anywhere();
  const changed = Uint8Array.from(rgb);
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1) {
      // Three pixels of the edge fade.
      const weight = Math.max(0, Math.min(1, (radius - Math.hypot(dx, dy)) / 3));
      for (let channel = 0; channel < 3 && weight > 0; channel += 1) {
        const into = 3 * ((to.y + dy) * width + to.x + dx) + channel;
        const source = rgb[3 * ((from.y + dy) * width + from.x + dx) + channel] ?? 0;
        changed[into] = Math.round((rgb[into] ?? 0) * (1 - weight) + source * weight);
      }
    }
  return { raster: { width, height, rgb: changed }, x: to.x - from.x, y: to.y - from.y, energy: from.energy };
}

async function look(file: string, kind: string, picture: Buffer, copy?: Copy): Promise<void> {
  const plane = brightnessOf(await read(picture));
  const [blocks, faint] = [findCopyMove(plane), findFaintCopy(plane)];
  const isRight = ({ shift }: typeof faint) =>
    copy === undefined || shift === null
      ? null
      : Math.abs(Math.abs(shift.x) - Math.abs(copy.x)) <= 6 &&
        Math.abs(Math.abs(shift.y) - Math.abs(copy.y)) <= 6;
  const told = (found: typeof faint) => ({
    cells: found.cells,
    found: found.verified,
    right: isRight(found),
  });
  const energy = copy && Math.round(10 * copy.energy) / 10;
  console.log(JSON.stringify({ file, kind, energy, blocks: told(blocks), faint: told(faint) }));
}

for (const [index, { file, raster }] of (await scenesOf(folder)).entries()) {
  if (index % Number(of) !== Number(part)) continue;
  const random = chance(index + 1);
  for (const [share, kind, quality] of [
    [0.16, 'smooth', 85],
    [0.1, 'smooth', 85],
    [0.16, 'textured', 75],
    [0.1, 'textured', 75],
  ] as const) {
    const copy = copied(raster, share, kind, random);
    await look(file, `${kind} ${share} q${quality}`, await saved(copy.raster, quality), copy);
  }
  await look(file, 'untouched q85', await saved(raster, 85));
  await look(file, 'untouched q60, q90', await saved(await read(await saved(raster, 60)), 90));
  await look(file, 'untouched 640 q75', await saved(await read(await saved(raster, 95), 640), 75));
}
