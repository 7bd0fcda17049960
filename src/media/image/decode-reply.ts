import { z } from 'zod';
import { blockCount, type DecodedHeader, type DecodedSamples, LENGTH_BYTES } from './decode-frame.ts';

/** A decoded picture. */
export interface DecodedPicture extends DecodedHeader, DecodedSamples {}

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
  const blocks = blockCount(facts.width, facts.height);
  const small = 3 * facts.thumbnail.width * facts.thumbnail.height;
  if (reply.length !== start + pixels + blocks + small)
    throw new Error('the decoded picture has another size than it says');
  return {
    ...facts,
    brightness: reply.subarray(start, start + pixels),
    clipped: reply.subarray(start + pixels, start + pixels + blocks),
    thumbnailRgb: reply.subarray(start + pixels + blocks),
  };
}
