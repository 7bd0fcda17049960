/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const LARGEST_SIDE = 1_000_000;
const sizeOf = (width: number, height: number): PictureSize | undefined =>
  width > 0 && height > 0 && width <= LARGEST_SIDE && height <= LARGEST_SIDE ? { width, height } : undefined;

/** Bytes of the headers of all three forms of WebP. */
const WEBP_HEADER = 30;
/** The lengths of lossy and lossless WebP have 14 bits. */
const SIDE_BITS = 14;
const SIDE_MASK = 0x3fff;

/** The size in the header of a WebP (RFC 9649). */
function sizeOfWebp(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < WEBP_HEADER || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
  if (form === 'VP8L') {
    const packed = bytes.readUInt32LE(21);
    return sizeOf((packed & SIDE_MASK) + 1, ((packed >>> SIDE_BITS) & SIDE_MASK) + 1);
  }
  if (form !== 'VP8 ' || bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
  return sizeOf(bytes.readUInt16LE(26) & SIDE_MASK, bytes.readUInt16LE(28) & SIDE_MASK);
}

/** Bytes at the start of a HEIF file in which its properties stand. */
const HEIF_HEADER = 1024 * 1024;
const EXTENT_BYTES = 16;

/** The largest extent (`ispe`, ISO/IEC 23008-12) of a HEIC or AVIF: tiles and thumbnails have smaller ones. */
function sizeOfHeif(bytes: Buffer): PictureSize | undefined {
  const head = bytes.subarray(0, HEIF_HEADER);
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  let largest: PictureSize | undefined;
  for (
    let at = head.indexOf('ispe');
    at !== -1 && at + EXTENT_BYTES <= head.length;
    at = head.indexOf('ispe', at + 4)
  ) {
    const size = sizeOf(head.readUInt32BE(at + 8), head.readUInt32BE(at + 12));
    if (size !== undefined && size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0))
      largest = size;
  }
  return largest;
}

/** The size of a WebP, HEIC or AVIF by its header: the reader of tags does not return it. */
export function sizeByHeader(bytes: Buffer): PictureSize | undefined {
  return sizeOfWebp(bytes) ?? sizeOfHeif(bytes);
}
