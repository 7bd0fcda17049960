import { join } from 'node:path';
import { detailBody } from '../../foundation/errors.ts';
import { defineService } from '../../foundation/service.ts';
import { openTemporaryFiles } from '../../foundation/temporary-files.ts';
import { forensic } from './contract.ts';
import { createExaminer } from './examiner.ts';
import { createRecordingExaminer } from './recordings.ts';
import { forensicRoutes } from './routes.ts';
import { forensicSettings } from './settings.ts';
import { forensicLiveSettings } from './tunables.ts';

/** The forensic service. */
export const forensicService = defineService({
  contract: forensic,
  settings: forensicSettings,
  live: forensicLiveSettings,
  needs: async (settings, { home }) => ({
    examiner: createExaminer(settings),
    recordings: createRecordingExaminer(settings),
    recordingFiles: openTemporaryFiles(join(home, 'temporary', 'forensic')),
    largestRecording: () => settings.FORENSIC_MAX_RECORDING_BYTES,
    largestFile: () => settings.FORENSIC_MAX_FILE_BYTES,
  }),
  routes: forensicRoutes,
  health: ({ examiner, recordings }) => ({
    parts: { pictures: examiner, recordings },
    critical: ['pictures'],
  }),
  errorBody: detailBody,
});
