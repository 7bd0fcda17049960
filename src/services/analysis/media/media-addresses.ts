import { createHmac, timingSafeEqual } from 'node:crypto';
import { errors } from '../errors.ts';
import type { MediaKey, StoredMedia } from '../store/media.ts';

/** Where stored media are found: the address of the platform, and the path prefix of this service. */
export interface MediaAddresses {
  /** The address of a medium for its owner. */
  of(media: Pick<StoredMedia, 'bucket' | 'objectKey'>): string;
  /** The medium that an address is of; undefined for an address of something else. */
  read(address: string): MediaKey | undefined;
  /** An address that opens a medium without a token, until it expires. */
  signed(media: StoredMedia, expiresAt: Date): Promise<string>;
  /** Throws token_invalid unless this service signed the address of the medium, and token_expired when its time is over. */
  check(media: StoredMedia | undefined, signature: SignedPart): Promise<StoredMedia>;
}

/** What a signed address carries beside the medium. */
export interface SignedPart {
  /** Seconds since 1970. */
  readonly expires: number;
  readonly signature: string;
}

const FILE_PATH = '/api/v3/media/file/';

function signatureOf(
  secret: Buffer,
  { mediaId, account }: Pick<StoredMedia, 'mediaId' | 'account'>,
  expires: number,
) {
  const signed = JSON.stringify(['media', mediaId, account, expires]);
  return createHmac('sha256', secret).update(signed).digest();
}

/** Makes the addresses of media; `secret` signs those that need no token. */
export function createMediaAddresses(
  { publicUrl, prefix }: { readonly publicUrl: string; readonly prefix: string },
  secret: () => Promise<Buffer>,
): MediaAddresses {
  const files = `${publicUrl}${prefix}${FILE_PATH}`;
  return {
    of: ({ bucket, objectKey }) => `${files}${bucket}/${objectKey}`,
    read: (address) => {
      if (!address.startsWith(files)) return undefined;
      const [bucket = '', ...key] = address.slice(files.length).split('/');
      return { bucket, objectKey: key.join('/') };
    },
    signed: async (media, expiresAt) => {
      const expires = Math.floor(expiresAt.getTime() / 1000);
      const signature = signatureOf(await secret(), media, expires).toString('base64url');
      return `${publicUrl}${prefix}/api/v3/media/download/${media.mediaId}?expires=${expires}&signature=${signature}`;
    },
    check: async (media, { expires, signature }) => {
      // A missing medium is checked like an existing one, so that timing reveals nothing.
      const known = media ?? { mediaId: '', account: '' };
      const right = signatureOf(await secret(), known, expires);
      const presented = Buffer.from(signature, 'base64url');
      const isRight = presented.length === right.length && timingSafeEqual(presented, right);
      if (media === undefined || !isRight)
        throw errors.token_invalid({ message: 'The address is not one that was signed here.' });
      if (Date.now() >= expires * 1000)
        throw errors.token_expired({ message: 'The address has expired; ask for a new one.' });
      return media;
    },
  };
}
