import type { Logger } from '../../../foundation/log.ts';
import type { MadePicture } from '../resources/image-analysis.ts';
import type { StoredMedia } from '../store/media.ts';
import type { MediaAddresses } from './addresses.ts';
import type { MediaLibrary } from './library.ts';

/** A picture that a service drew of a medium. */
export interface DrawnPicture {
  readonly mime_type: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
  /** Base64. */
  readonly data: string;
}

/** What drawn pictures are kept with. */
export interface Keeping {
  readonly library: MediaLibrary;
  readonly addresses: MediaAddresses;
  readonly log: Logger;
}

const contentOf = async function* (bytes: Buffer) {
  yield bytes;
};

/** Stores what was drawn of a medium as the owner's, beside it; null when nothing was drawn, or there is no room for it. */
export async function keepDrawn(
  { library, addresses, log }: Keeping,
  media: StoredMedia,
  name: string,
  drawn: DrawnPicture | null,
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
    const kept = await library.keep(arrival, { derivedFrom: media.mediaId });
    return { media_id: kept.mediaId, media_url: addresses.of(kept), width, height };
  } catch (error) {
    // A full share of the user or a lost store costs the drawing; the finding stands without it.
    log.warn({ err: error, name }, 'what was drawn of a medium is not kept');
    return null;
  }
}
