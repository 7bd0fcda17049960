import type { Logger } from '../../../foundation/log.ts';
import type { MadePicture } from '../resources/image-analysis.ts';
import type { StoredMedia } from '../store/media.ts';
import type { MediaLibrary } from './library.ts';
import type { MediaAddresses } from './media-addresses.ts';

/** A picture that a service drew of a medium. */
export interface StoredDrawing {
  readonly mime_type: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
  /** Base64. */
  readonly data: string;
}

/** What drawings are stored with. */
export interface DrawingStorage {
  readonly library: MediaLibrary;
  readonly addresses: MediaAddresses;
  readonly log: Logger;
}

const contentOf = async function* (bytes: Buffer) {
  yield bytes;
};

/** Stores a drawing as a medium of the owner, linked to the one it shows; null without a drawing, or when it cannot be stored. */
export async function storeDrawing(
  { library, addresses, log }: DrawingStorage,
  media: StoredMedia,
  name: string,
  drawn: StoredDrawing | null,
): Promise<MadePicture | null> {
  if (drawn === null) return null;
  const { width, height } = drawn;
  const bytes = Buffer.from(drawn.data, 'base64');
  try {
    const arrival = await library.receive(media.account, {
      content: contentOf(bytes),
      fileName: `${name}.${drawn.mime_type === 'image/png' ? 'png' : 'jpg'}`,
      mostBytes: bytes.length,
      leastBytes: bytes.length,
      properties: { width, height, durationSec: null, hasPicture: true },
    });
    const stored = await library.keep(arrival, { derivedFrom: media.mediaId });
    return { media_id: stored.mediaId, media_url: addresses.of(stored), width, height };
  } catch (error) {
    // A full quota or a failed store costs only the drawing; the finding does not need it.
    log.warn({ err: error, name }, 'what was drawn of a medium is not kept');
    return null;
  }
}
