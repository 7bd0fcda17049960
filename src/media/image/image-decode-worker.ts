import sharp from 'sharp';
import { brightnessSamples, type DecodedHeader, type DecodeOptions, encodeReply } from './decode-frame.ts';

// A process of its own: reads one picture from its input, writes its pixels to its output, and ends.

/** Decoders that may run; libvips has others, for documents and for files that name other files. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map(
  (name) => `VipsForeignLoad${name}Buffer`,
);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
sharp.cache(false);
sharp.concurrency(1);

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function decode(bytes: Buffer, { mostPixels, thumbnailSide }: DecodeOptions): Promise<Buffer> {
  // Colour profiles would move brightness off the values of the file.
  const open = sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error', ignoreIcc: true, pages: 1 });
  const facts = await open.metadata();
  const { data, info } = await open
    .removeAlpha()
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const rgb = info.channels === 3 ? data : spread(data, width * height, info.channels);
  const small = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const header: DecodedHeader = {
    format: facts.format,
    width,
    height,
    pages: facts.pages ?? 1,
    orientation: facts.orientation ?? 1,
    hasAlpha: facts.hasAlpha,
    thumbnail: { width: small.info.width, height: small.info.height },
  };
  return encodeReply(header, { ...brightnessSamples(rgb, width, height), thumbnailRgb: small.data });
}

/** Grey pictures as red, green and blue. */
function spread(data: Buffer, pixels: number, channels: number): Buffer {
  const rgb = Buffer.allocUnsafe(pixels * 3);
  for (let index = 0; index < pixels; index += 1)
    rgb.fill(data[index * channels] as number, index * 3, index * 3 + 3);
  return rgb;
}

const options = JSON.parse(process.argv[2] ?? '{}') as DecodeOptions;
try {
  const reply = await decode(await readInput(), options);
  process.stdout.end(reply);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
