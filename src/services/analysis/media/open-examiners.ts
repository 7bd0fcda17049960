import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import type { clientsOf } from '../dependencies/clients.ts';
import type { RecordingServices } from '../dependencies/recordings.ts';
import type { AnalysisSettings } from '../settings.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { Media } from './open-media.ts';
import { createPagePictures, type PagePictures } from './page-pictures.ts';
import { createPictureExaminer, type PictureExaminer } from './picture-examiner.ts';
import { createPictureTextReader, type RecognisePictureText } from './picture-text.ts';
import { createRecordingExaminer, type RecordingExaminer } from './recording-examiner.ts';

/** What the examiners work with; a service that is switched off is undefined. */
export interface ExaminerDependencies
  extends Pick<ReturnType<typeof clientsOf>, 'forensicClient' | 'extractorsClient'> {
  readonly recordings: Pick<RecordingServices, 'speech' | 'video'>;
  readonly media: Media;
  readonly queries: Kysely<AnalysisTables>;
  readonly log: Logger;
}

/** What examines media: one of each for the whole process, so that all users share its queue. */
export interface MediaExaminers {
  /** undefined: no pictures are examined. */
  readonly pictures: PictureExaminer | undefined;
  /** undefined: the pictures of pages are not examined. */
  readonly pagePictures: PagePictures | undefined;
  readonly recordings: RecordingExaminer;
  readonly readText: RecognisePictureText;
}

/** Opens the examiners. Without the forensic service no picture is examined; that is a setting, not a loss. */
export function openExaminers(
  { forensicClient, extractorsClient, recordings, media, queries, log }: ExaminerDependencies,
  settings: AnalysisSettings,
): MediaExaminers {
  const readText = createPictureTextReader(extractorsClient, media.library);
  const pictures =
    forensicClient &&
    createPictureExaminer({
      ...media,
      queries,
      client: forensicClient,
      extractors: extractorsClient,
      atOnce: () => settings.ANALYSIS_PICTURES_AT_ONCE,
      log,
    });
  return {
    pictures,
    // Leading pictures of pages share the examiner, and so its queue, with submitted pictures.
    pagePictures:
      pictures &&
      createPagePictures({
        examiner: pictures,
        fetch: media.fetchPagePicture,
        readText,
        most: () => settings.ANALYSIS_PAGE_PICTURES,
      }),
    recordings: createRecordingExaminer({
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
