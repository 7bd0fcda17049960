import { join } from 'node:path';
import { detailBody } from '../../foundation/errors.ts';
import { openObjects } from '../../foundation/objects/open-objects.ts';
import { defineService } from '../../foundation/service.ts';
import { openTemporaryFiles } from '../../foundation/temporary-files.ts';
import { extractors } from './contract.ts';
import { createWorkQueue } from './fair-thread-pool.ts';
import { createFileIntake } from './incoming/file-intake.ts';
import { createMetadataReader } from './metadata/metadata.ts';
import { createTextReader } from './ocr/ocr.ts';
import { createOverviewMaker } from './overview/overview.ts';
import { openPictureDecoder } from './picture-decoder.ts';
import { createPictureRenderer, removeExpiredPictures } from './pictures/picture-renderer.ts';
import { createRecogniser } from './recognition/recognition.ts';
import { extractorsRoutes } from './routes.ts';
import { extractorsSettings } from './settings.ts';
import { createTextAnalyser } from './text/texts.ts';
import { extractorsLiveSettings } from './tunables.ts';

/** How often pictures of earlier days are removed, in milliseconds. */
const SWEEP_MS = 6 * 3600 * 1000;

/** The extractors service. */
export const extractorsService = defineService({
  contract: extractors,
  settings: extractorsSettings,
  live: extractorsLiveSettings,
  needs: async (settings, { home, log }) => {
    const objects = openObjects(settings, home);
    const files = openTemporaryFiles(join(home, 'temporary', 'extractors'));
    const limits = {
      get picture() {
        return settings.EXTRACTORS_MAX_PICTURE_BYTES;
      },
      get file() {
        return settings.EXTRACTORS_MAX_FILE_BYTES;
      },
    };
    const decoder = openPictureDecoder(settings);
    const text = createTextReader(settings, decoder, log);
    const renderer = createPictureRenderer(settings, decoder, objects, log);
    return {
      objects,
      decoder,
      files,
      arrivals: createFileIntake(objects, files, limits),
      admission: createWorkQueue(settings),
      metadata: createMetadataReader(settings, log),
      text,
      recogniser: createRecogniser(settings, decoder, log),
      renderer,
      overview: createOverviewMaker(settings, { text, renderer, log }),
      analyst: createTextAnalyser(settings),
      sweep: () => removeExpiredPictures(join(home, 'objects'), settings.EXTRACTORS_PICTURE_DAYS),
    };
  },
  routes: extractorsRoutes,
  background: async ({ sweep }) => {
    await sweep();
    const daily = setInterval(() => void sweep(), SWEEP_MS);
    daily.unref();
    return async () => clearInterval(daily);
  },
  health: ({ metadata, text, recogniser, analyst, objects }) => ({
    parts: {
      metadata,
      text,
      recognition: recogniser,
      names: analyst,
      recordings: metadata.recordings,
      objects,
    },
    critical: ['metadata'],
  }),
  errorBody: detailBody,
});
