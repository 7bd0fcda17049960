import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SNIFFED_BYTES, typeOfBytes } from '../../../foundation/media-type.ts';
import { errors } from '../errors.ts';

/** What was read off a content while it went by. */
export interface ArrivedBytes {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mimeType: string;
}

/** A content that is examined while somebody reads it; `facts` are there when it has ended. */
export interface ArrivingBytes {
  readonly content: Readable;
  facts(): ArrivedBytes;
  /** Whether an error is the content's own, and not that of who reads it. */
  isOwn(error: unknown): boolean;
}

const isMedia = (mimeType: string) => /^(?:image|audio|video)\//.test(mimeType);

/**
 * Examines a content on its way: it fails with unsupported_media as soon as its first bytes are those of no picture, sound or
 * video, and with payload_too_large beyond the bytes that it may have.
 */
export function examined(source: AsyncIterable<Buffer>, mostBytes: number): ArrivingBytes {
  const hash = createHash('sha256');
  let size = 0;
  let start = Buffer.alloc(0);
  let mimeType: string | undefined;
  const decide = async () => {
    mimeType = await typeOfBytes(start);
    if (!isMedia(mimeType)) throw errors.unsupported_media();
  };
  let failure: unknown;
  async function* watched() {
    try {
      yield* through();
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  async function* through() {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > mostBytes) throw errors.payload_too_large();
      hash.update(chunk);
      if (mimeType === undefined) {
        start = Buffer.concat([start, chunk]);
        if (start.length >= SNIFFED_BYTES) await decide();
      }
      yield chunk;
    }
    if (mimeType === undefined) await decide();
  }
  return {
    content: Readable.from(watched(), { objectMode: false }),
    facts: () => ({ size, sha256: hash.copy().digest('hex'), mimeType: mimeType ?? '' }),
    isOwn: (error) => failure !== undefined && error === failure,
  };
}
