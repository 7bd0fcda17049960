import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SNIFFED_BYTES, typeOfBytes } from '../../../foundation/media-type.ts';
import { errors } from '../errors.ts';

/** What is known of content after it was read: size, hash and type. */
export interface InspectedContent {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mimeType: string;
}

/** Content that is inspected while it is read; `facts` is complete when the stream has ended. */
export interface ContentInspection {
  readonly content: Readable;
  facts(): InspectedContent;
  /** Whether an error came from the content, not from its reader. */
  isContentError(error: unknown): boolean;
}

const isMedia = (mimeType: string) => /^(?:image|audio|video)\//.test(mimeType);

/**
 * Inspects content as it streams. The stream fails with unsupported_media as soon as the first bytes are no picture, sound or
 * video, and with payload_too_large beyond `mostBytes`.
 */
export function inspectContent(source: AsyncIterable<Buffer>, mostBytes: number): ContentInspection {
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
    isContentError: (error) => failure !== undefined && error === failure,
  };
}
