import { join } from 'node:path';
import { createClient } from '../../foundation/client.ts';
import { validationRows } from '../../foundation/errors.ts';
import { createFairQueue, fullQueueOf, maxPlacesPerCaller } from '../../foundation/fair-queue.ts';
import { defineService } from '../../foundation/service.ts';
import { addressOf } from '../../foundation/settings.ts';
import { openTemporaryFiles } from '../../foundation/temporary-files.ts';
import { mediaPrograms } from '../../media/recording/programs.ts';
import { extractors } from '../extractors/contract.ts';
import { openChat } from './chat.ts';
import { video } from './contract.ts';
import { errors } from './errors.ts';
import { createExaminationFolders } from './examination-folders.ts';
import { videoRoutes } from './routes.ts';
import { type VideoSettings, videoSettings } from './settings.ts';
import { videoLiveSettings } from './tunables.ts';
import { visionModel } from './vision.ts';

/** How often folders that were kept for long enough are looked for, in milliseconds. */
const SWEEP_MS = 5 * 60_000;

/** The servers that are asked, as far as they are set. */
function openServers(settings: VideoSettings) {
  const visionUrl = addressOf(settings.VISION_URL);
  const gatewayUrl = addressOf(settings.LLM_URL);
  const extractorsUrl = addressOf(settings.EXTRACTORS_URL);
  const vision =
    visionUrl &&
    openChat({
      name: 'vision',
      url: visionUrl,
      token: undefined,
      model: settings.VIDEO_VISION_MODEL,
      timeoutMs: () => settings.VIDEO_VISION_TIMEOUT_MS,
    });
  const merger =
    gatewayUrl &&
    openChat({
      name: 'llm',
      url: gatewayUrl,
      token: settings.LLM_API_TOKEN,
      model: settings.VIDEO_SUMMARY_MODEL,
      timeoutMs: () => settings.VIDEO_SUMMARY_TIMEOUT_MS,
    });
  const extractor =
    extractorsUrl &&
    createClient(extractors, {
      name: 'extractors',
      url: extractorsUrl,
      timeoutMs: settings.VIDEO_EXTRACTORS_TIMEOUT_MS,
    });
  return {
    vision: vision || undefined,
    merger: merger || undefined,
    extractor: extractor || undefined,
  };
}

/** The video service. */
export const videoService = defineService({
  contract: video,
  settings: videoSettings,
  live: videoLiveSettings,
  needs: async (settings, { home }) => ({
    ...openServers(settings),
    decoder: mediaPrograms,
    files: openTemporaryFiles(join(home, 'temporary', 'video')),
    runs: createExaminationFolders(home, () => settings.VIDEO_RUN_KEEP_MINUTES),
    queue: createFairQueue(
      {
        running: settings.VIDEO_RUNNING,
        get waiting() {
          return settings.VIDEO_QUEUE_SIZE;
        },
        get each() {
          return settings.VIDEO_CALLER_SHARE;
        },
        eachRunning: maxPlacesPerCaller(settings.VIDEO_RUNNING),
      },
      fullQueueOf(errors),
    ),
  }),
  routes: videoRoutes,
  health: (needs) => ({
    parts: {
      decoder: needs.decoder,
      vision: needs.vision,
      vision_model: needs.vision && visionModel(needs.vision),
      llm: needs.merger,
    },
    critical: ['decoder'],
  }),
  background: async ({ runs }) => {
    await runs.sweep();
    const timer = setInterval(() => void runs.sweep().catch(() => undefined), SWEEP_MS);
    return async () => clearInterval(timer);
  },
  errorBody: (failure) => {
    const [first] = failure.details.length > 0 ? validationRows(failure) : [];
    return {
      detail: first === undefined ? failure.message : `${first.loc.slice(1).join('.')}: ${first.msg}`,
    };
  },
});
