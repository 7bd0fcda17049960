/** The header of a request to the decoding process. */
export interface DecodeOptions {
  /** Pictures of more pixels are refused before they are decoded. */
  readonly mostPixels: number;
  /** The longer side of the small picture. */
  readonly thumbnailSide: number;
}

/** What the decoding process says of a picture. */
export interface DecodedHeader {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
  /** How EXIF says that the picture is to be turned, 1 to 8; the pixels are as they are stored. */
  readonly orientation: number;
  readonly hasAlpha: boolean;
  readonly thumbnail: { readonly width: number; readonly height: number };
}

/** Bytes of the length of the header. */
export const LENGTH_BYTES = 4;

/** The samples of a decoded picture. */
export interface DecodedSamples {
  /** Brightness of each pixel, 0 to 255, as the file holds it (Y' of BT.601). */
  readonly brightness: Uint8Array;
  /** Pixels of each whole or cut block of 8 x 8, row by row, of which a colour is at the end of its range, up to 64: there the file held another value. */
  readonly clipped: Uint8Array;
  /** Red, green and blue of the small picture. */
  readonly thumbnailRgb: Uint8Array;
}

/** The number of blocks of 8 x 8 pixels of a picture. */
export const blockCount = (width: number, height: number): number =>
  Math.ceil(width / 8) * Math.ceil(height / 8);

/** The answer of the decoding process: the length of its header, the header as JSON, then the samples. */
export function encodeReply(
  facts: DecodedHeader,
  { brightness, clipped, thumbnailRgb }: DecodedSamples,
): Buffer {
  const text = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, brightness, clipped, thumbnailRgb]);
}

/** Brightness as JPEG stores it, and where it was cut off; rounding restores the very values that the file held. */
export function brightnessSamples(
  rgb: Uint8Array,
  width: number,
  height: number,
): Pick<DecodedSamples, 'brightness' | 'clipped'> {
  const brightness = new Uint8Array(width * height);
  const columns = Math.ceil(width / 8);
  const clipped = new Uint8Array(blockCount(width, height));
  const atEnd = (value: number) => value === 0 || value === 255;
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 3) {
      const [red, green, blue] = [rgb[at] as number, rgb[at + 1] as number, rgb[at + 2] as number];
      brightness[y * width + x] = Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
      if (!atEnd(red) && !atEnd(green) && !atEnd(blue)) continue;
      const block = (y >> 3) * columns + (x >> 3);
      clipped[block] = (clipped[block] as number) + 1;
    }
  return { brightness, clipped };
}
