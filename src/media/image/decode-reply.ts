import { z } from 'zod';
import { type DecodedHeader, LENGTH_BYTES } from './decode-frame.ts';

/** A decoded picture. */
export interface DecodedPicture extends DecodedHeader {
  /** Brightness of each pixel, 0 to 255, as the file holds it (Y' of BT.601). */
  readonly brightness: Uint8Array;
  /** Red, green and blue of the small picture. */
  readonly thumbnailRgb: Uint8Array;
}

const size = { width: z.int().positive(), height: z.int().positive() };
const header = z.object({
  format: z.string(),
  ...size,
  pages: z.int().min(1),
  orientation: z.int().min(1).max(8),
  hasAlpha: z.boolean(),
  thumbnail: z.object(size),
});

/** Reads the answer of the decoding process, which may have been taken over by its picture: nothing in it is trusted. */
export function decodeReply(reply: Buffer): DecodedPicture {
  const start = LENGTH_BYTES + reply.readUInt32BE(0);
  const facts: DecodedHeader = header.parse(JSON.parse(reply.subarray(LENGTH_BYTES, start).toString()));
  const pixels = facts.width * facts.height;
  const small = 3 * facts.thumbnail.width * facts.thumbnail.height;
  if (reply.length !== start + pixels + small)
    throw new Error('the decoded picture has another size than it says');
  return {
    ...facts,
    brightness: reply.subarray(start, start + pixels),
    thumbnailRgb: reply.subarray(start + pixels),
  };
}
