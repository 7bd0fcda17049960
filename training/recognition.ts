// Measures what recognises faces, objects and nudity: npx tsx training/recognition.ts FOLDER, where FOLDER holds labels.json and the media that it names.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import recognise from '../src/services/extractors/recognition/extractors-recognition-worker.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({ face: z.boolean().optional() }),
    }),
  ),
});

const [folder = '.'] = process.argv.slice(2);
/** The longer side of the copy that the product looks at. */
const LOOKED_AT = 1600;
/** Where in a video the frame is taken, in seconds. */
const MOMENT = '0.7';

async function look(file: Buffer) {
  const { data, info } = await sharp(file)
    .rotate()
    .resize(LOOKED_AT, LOOKED_AT, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const before = process.cpuUsage();
  const found = await recognise({ width: info.width, height: info.height, rgb: data });
  const { user, system } = process.cpuUsage(before);
  return { ...found, cpuMs: Math.round((user + system) / 1000) };
}

const frameOf = (path: string) =>
  execFileSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-nostdin',
      '-ss',
      MOMENT,
      '-i',
      path,
      '-frames:v',
      '1',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      '-',
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );

const tally = { faces: 0, shown: 0, falseFaces: 0, without: 0, nude: 0, all: 0 };
for (const { file, media_type: type, expected } of labels.parse(
  JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')),
).items) {
  if ((type !== 'image' && type !== 'video') || /\.(?:HEIC|mask\.png)$/.test(file)) continue;
  const path = join(folder, file);
  const { faces, objects, nudity, cpuMs } = await look(type === 'image' ? readFileSync(path) : frameOf(path));
  const told = objects.map(({ label, score }) => `${label} ${score.toFixed(2)}`).join(', ');
  console.log(
    `${file}: faces ${faces.map(({ score }) => score.toFixed(2)).join(' ') || '-'}; ${told || '-'}; nudity ${nudity.toFixed(3)}; ${cpuMs} ms`,
  );
  tally.all += 1;
  if (nudity >= 0.5) tally.nude += 1;
  if (expected.face === true) {
    tally.shown += 1;
    if (faces.length === 1) tally.faces += 1;
  } else {
    tally.without += 1;
    if (faces.length > 0) tally.falseFaces += 1;
  }
}
console.log(
  `faces found ${tally.faces} of ${tally.shown}; flagged without one ${tally.falseFaces} of ${tally.without}; nudity from 0.5 on: ${tally.nude} of ${tally.all}; resident ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
);
