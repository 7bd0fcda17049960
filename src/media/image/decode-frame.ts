/** What the decoding process is told. */
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

/** Bytes that tell the length of the header. */
export const LENGTH_BYTES = 4;

/** The answer of the decoding process: the length of its header, the header as JSON, then the samples. */
export function encodeReply(facts: DecodedHeader, brightness: Buffer, thumbnailRgb: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, brightness, thumbnailRgb]);
}
