import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import type { clientsOf } from '../dependencies/clients.ts';
import type { RecordingServices } from '../dependencies/recordings.ts';
import type { AnalysisSettings } from '../settings.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { Media } from './open-media.ts';
import { createPagePictures, type PagePictures } from './page-pictures.ts';
import { createPictureDesk, type PictureDesk } from './picture-desk.ts';
import { createTextReader, type ReadPictureText } from './picture-text.ts';
import { createRecordingDesk, type RecordingDesk } from './recording-desk.ts';

/** What desks work with; a service that is switched off is undefined. */
export interface DeskDependencies
  extends Pick<ReturnType<typeof clientsOf>, 'forensicClient' | 'extractorsClient'> {
  readonly recordings: Pick<RecordingServices, 'speech' | 'video'>;
  readonly media: Media;
  readonly queries: Kysely<AnalysisTables>;
  readonly log: Logger;
}

/** Where media are looked at, one of each for the whole process, so that its turns are those of all users. */
export interface Desks {
  /** undefined: no pictures are examined. */
  readonly pictures: PictureDesk | undefined;
  /** undefined: the pictures of pages are not looked at. */
  readonly pagePictures: PagePictures | undefined;
  readonly recordings: RecordingDesk;
  readonly readText: ReadPictureText;
}

/** Opens the desks. Without the forensic service no picture is examined: that is a choice, and no loss. */
export function openDesks(
  { forensicClient, extractorsClient, recordings, media, queries, log }: DeskDependencies,
  settings: AnalysisSettings,
): Desks {
  const readText = createTextReader(extractorsClient, media.library);
  const pictures =
    forensicClient &&
    createPictureDesk({
      ...media,
      queries,
      client: forensicClient,
      extractors: extractorsClient,
      atOnce: () => settings.ANALYSIS_PICTURES_AT_ONCE,
      log,
    });
  return {
    pictures,
    // Leading pictures of pages go over the same desk as those that were submitted.
    pagePictures:
      pictures &&
      createPagePictures({
        desk: pictures,
        fetch: media.fetchPagePicture,
        readText,
        most: () => settings.ANALYSIS_PAGE_PICTURES,
      }),
    recordings: createRecordingDesk({
      ...media,
      queries,
      log,
      speech: recordings.speech,
      forensic: forensicClient,
      extractors: extractorsClient,
      video: recordings.video,
      atOnce: () => settings.ANALYSIS_RECORDINGS_AT_ONCE,
      shedFrom: () => settings.ANALYSIS_RECORDINGS_SHED_FROM,
    }),
    readText,
  };
}
