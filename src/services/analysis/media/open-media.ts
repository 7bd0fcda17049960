import type { Kysely } from 'kysely';
import { createGuardedHttp } from '../../../foundation/http.ts';
import type { Logger } from '../../../foundation/log.ts';
import type { ObjectStore } from '../../../foundation/objects/object-store.ts';
import { openObjects } from '../../../foundation/objects/open-objects.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { AnalysisSettings } from '../settings.ts';
import { getOrCreateSecret } from '../store/secrets.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { createMediaLibrary, type MediaLibrary } from './library.ts';
import { createMediaAddresses, type MediaAddresses } from './media-addresses.ts';
import { createMediaFetcher, type FetchMedia } from './media-fetcher.ts';
import { createPagePictureFetcher, type FetchPagePicture } from './page-picture-fetcher.ts';

/** Files of one user that may arrive at once: those of all sessions of the premium tier, and uploads beside them. */
const ARRIVING_FILES = 48;
/** Longest fetching of a medium in milliseconds: less than its step has. */
const FETCH_MS = 38_000;

/** All that has to do with media. */
export interface Media {
  readonly objects: ObjectStore;
  readonly library: MediaLibrary;
  readonly addresses: MediaAddresses;
  readonly fetch: FetchMedia;
  readonly fetchPagePicture: FetchPagePicture;
  close(): Promise<void>;
}

/** Reads a secret when it is first needed, and again after a failure. */
function memoizeSecret(ask: () => Promise<Buffer>): () => Promise<Buffer> {
  let known: Promise<Buffer> | undefined;
  return () => {
    known ??= ask().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** Opens the media of an installation: their store by the settings, their rows, and the way to those of others. */
export function openMedia(
  settings: AnalysisSettings,
  { home, publicUrl, version }: Pick<Platform, 'home' | 'publicUrl' | 'version'>,
  prefix: string,
  { queries, log }: { readonly queries: Kysely<AnalysisTables>; readonly log: Logger },
): Media {
  const objects = openObjects(settings, home);
  // Each is read when it is needed: staff may change them while the service runs.
  const share = {
    get bytes() {
      return settings.ANALYSIS_MEDIA_QUOTA;
    },
    arriving: ARRIVING_FILES,
  };
  const library = createMediaLibrary({
    queries,
    objects,
    share,
    get days() {
      return settings.ANALYSIS_MEDIA_DAYS;
    },
    log,
  });
  const secret = memoizeSecret(() => getOrCreateSecret(queries, 'media_addresses'));
  const http = createGuardedHttp({
    allowedPrivateHosts: settings.WEB_ALLOWED_PRIVATE_HOSTS,
    userAgent: `Limpede/${version} (+${publicUrl})`,
    limits: () => ({ totalMs: FETCH_MS, wireBytes: settings.ANALYSIS_LARGEST_UPLOAD }),
  });
  return {
    objects,
    library,
    addresses: createMediaAddresses({ publicUrl, prefix }, secret),
    fetch: createMediaFetcher(http, library, () => settings.ANALYSIS_LARGEST_UPLOAD),
    fetchPagePicture: createPagePictureFetcher(http, library),
    close: async () => {
      await http.close();
      await objects.close();
    },
  };
}
