import { validationRows } from '../../foundation/errors.ts';
import { defineService } from '../../foundation/service.ts';
import { forensic } from './contract.ts';
import { createExaminer } from './examiner.ts';
import { forensicRoutes } from './routes.ts';
import { forensicSettings } from './settings.ts';
import { forensicLiveSettings } from './tunables.ts';

/** The forensic service. */
export const forensicService = defineService({
  contract: forensic,
  settings: forensicSettings,
  live: forensicLiveSettings,
  needs: async (settings) => ({
    examiner: createExaminer(settings),
    largestFile: () => settings.FORENSIC_MAX_FILE_BYTES,
  }),
  routes: forensicRoutes,
  health: ({ examiner }) => ({ parts: { pictures: examiner } }),
  errorBody: (failure) => ({
    detail:
      failure.details.length > 0
        ? validationRows(failure)
        : { error: failure.code, message: failure.message },
  }),
});
