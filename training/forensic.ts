// Measures the detectors of pictures: npx tsx training/forensic.ts FOLDER, where FOLDER holds labels.json and the pictures that it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { z } from 'zod';
import { brightnessSamples } from '../src/media/image/decode-frame.ts';
import type { DecodedPicture } from '../src/media/image/decode-reply.ts';
import { runDetectors } from '../src/services/forensic/examination.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({
        tampered: z.boolean().optional(),
        manipulation: z.string().optional(),
        ai_generated: z.boolean().optional(),
        generator_metadata: z.unknown().optional(),
        camera: z.union([z.boolean(), z.string()]).optional(),
      }),
    }),
  ),
});

const [folder = '.'] = process.argv.slice(2);
const THUMBNAIL_SIDE = 512;

/** Decodes as the product does, but in this process: the pictures are our own. */
async function decode(file: Buffer): Promise<DecodedPicture> {
  const open = sharp(file, { ignoreIcc: true });
  const facts = await open.metadata();
  const { data, info } = await open
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const small = await sharp(data, { raw: { width, height, channels: 3 } })
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    format: facts.format,
    width,
    height,
    pages: 1,
    orientation: 1,
    hasAlpha: false,
    thumbnail: { width: small.info.width, height: small.info.height },
    ...brightnessSamples(data, width, height),
    thumbnailRgb: small.data,
  };
}

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly found: readonly string[];
}

const DECIDING = ['generator_metadata', 'double_quantisation', 'copy_move', 'jpeg_grid'];

async function rowOf(name: string, kind: string, file: Buffer): Promise<Row> {
  const { findings } = await runDetectors({ file, picture: await decode(file), depth: 'full' });
  const found = findings.filter(({ detector, isFound }) => isFound === true && DECIDING.includes(detector));
  return { name, kind, found: found.map(({ detector, score }) => `${detector} ${score?.toFixed(1)}`) };
}

/** What messengers, editors and platforms do to a photo without touching what it shows. */
const RESAVES: readonly (readonly [name: string, make: (photo: Buffer) => Sharp])[] = [
  ['q95', (photo) => sharp(photo).jpeg({ quality: 95 })],
  ['q80', (photo) => sharp(photo).jpeg({ quality: 80 })],
  ['q60', (photo) => sharp(photo).jpeg({ quality: 60 })],
  [
    '1600 q75',
    (photo) =>
      sharp(photo).resize(1600, 1600, { fit: 'inside', withoutEnlargement: true }).jpeg({ quality: 75 }),
  ],
  [
    '800 q85',
    (photo) =>
      sharp(photo).resize(800, 800, { fit: 'inside', withoutEnlargement: true }).jpeg({ quality: 85 }),
  ],
  ['png', (photo) => sharp(photo).resize(1200, 1200, { fit: 'inside', withoutEnlargement: true }).png()],
];

const rows: Row[] = [];
const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
for (const { file, media_type: type, expected } of items) {
  if (type !== 'image' || /\.heic$/i.test(file)) continue;
  const bytes = readFileSync(join(folder, file));
  const isGenerated = expected.ai_generated === true;
  const kind =
    expected.tampered === true
      ? (expected.manipulation ?? 'tampered')
      : isGenerated
        ? 'generated'
        : 'untouched';
  rows.push(await rowOf(file, kind, bytes));
  if (expected.tampered !== true && /\.jpe?g$/i.test(file))
    rows.push(await rowOf(`${file} as PNG`, `${kind}, without loss`, await sharp(bytes).png().toBuffer()));
  if ((expected.camera ?? false) === false || expected.tampered === true) continue;
  for (const [name, make] of RESAVES) {
    const once = await make(bytes).toBuffer();
    rows.push(await rowOf(`${file} ${name}`, 'untouched, saved again', once));
    const twice = await sharp(once).jpeg({ quality: 90 }).toBuffer();
    rows.push(await rowOf(`${file} ${name}, q90`, 'untouched, saved again', twice));
  }
}
const untouched = rows.filter(({ kind }) => kind.startsWith('untouched'));
for (const detector of DECIDING) {
  const flagged = untouched.filter(({ found }) => found.some((name) => name.startsWith(detector)));
  console.log(`${detector}: ${flagged.length} of ${untouched.length} untouched pictures flagged`);
}
for (const kind of new Set(rows.map((row) => row.kind))) {
  const ofKind = rows.filter((row) => row.kind === kind);
  console.log(
    `\n${kind}: ${ofKind.filter(({ found }) => found.length > 0).length} of ${ofKind.length} flagged`,
  );
  for (const { name, found } of ofKind)
    if (found.length > 0 || !kind.startsWith('untouched'))
      console.log(`  ${name}: ${found.join(', ') || '-'}`);
}
