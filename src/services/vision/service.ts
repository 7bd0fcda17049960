import { readFileSync } from 'node:fs';
import { createClient } from '../../foundation/client.ts';
import { modelServiceBody } from '../../foundation/errors.ts';
import { bundledProgram, packageFile } from '../../foundation/files.ts';
import { createGuardedHttp } from '../../foundation/http.ts';
import { createModelQueue } from '../../foundation/model-service/model-queue.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import { isOff } from '../../foundation/settings.ts';
import { createDecoder } from '../../media/image/decoder.ts';
import { identifyLanguage } from '../../text/language.ts';
import { loadLinear } from '../../text/linear.ts';
import { extractors } from '../extractors/contract.ts';
import { forensic } from '../forensic/contract.ts';
import type { VisionBackend } from './backends/backend.ts';
import { createDescriber } from './backends/describer/describer.ts';
import { createUpstreamBackend } from './backends/upstream.ts';
import { vision } from './contract.ts';
import { errors } from './errors.ts';
import { visionRoutes } from './routes.ts';
import { type VisionSettings, visionSettings } from './settings.ts';
import { visionLiveSettings } from './tunables.ts';

/** The longer side of the small copy whose colours are counted. */
const THUMBNAIL_SIDE = 128;
/** Timeout of the forensic service and the extractors, in milliseconds. */
const FACTS_MS = 10_000;
/** Timeout of the download of a picture, in milliseconds. */
const FETCH_MS = 20_000;

function openDescriber(settings: VisionSettings): VisionBackend {
  const { FORENSIC_URL, EXTRACTORS_URL } = settings;
  const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
  return createDescriber({
    decoder: createDecoder({
      ...bundledProgram('image-decode-worker.js'),
      timeoutMs: settings.VISION_DECODE_TIMEOUT_MS,
      mostPixels: settings.VISION_MAX_PIXELS,
      thumbnailSide: THUMBNAIL_SIDE,
    }),
    forensic: isOff(FORENSIC_URL)
      ? undefined
      : createClient(forensic, { name: 'forensic', url: FORENSIC_URL, timeoutMs: FACTS_MS }),
    extractors: isOff(EXTRACTORS_URL)
      ? undefined
      : createClient(extractors, { name: 'extractors', url: EXTRACTORS_URL, timeoutMs: FACTS_MS }),
    identify: (text) => identifyLanguage(language, text).code,
  });
}

/** The describer, then a server of the operator, which serves all other model names. */
function openBackends(settings: VisionSettings): VisionBackend[] {
  const describer = openDescriber(settings);
  const { VISION_UPSTREAM_URL: url } = settings;
  if (url === undefined) return [describer];
  const upstream = createUpstreamBackend({
    url,
    key: settings.VISION_UPSTREAM_API_KEY,
    model: settings.VISION_MODEL,
    get timeoutMs() {
      return settings.VISION_UPSTREAM_TIMEOUT_MS;
    },
  });
  return [describer, upstream];
}

function openQueue(settings: VisionSettings) {
  const limits = {
    threads: settings.VISION_AT_ONCE,
    isLong: true,
    get waiting() {
      return settings.VISION_QUEUE_SIZE;
    },
    get callerShare() {
      return settings.VISION_CALLER_SHARE;
    },
  };
  return createModelQueue(limits, errors);
}

function openPictureSource(settings: VisionSettings, { version, publicUrl }: Platform) {
  const http = createGuardedHttp({
    allowedPrivateHosts: settings.WEB_ALLOWED_PRIVATE_HOSTS,
    userAgent: `Limpede/${version} (+${publicUrl})`,
    limits: () => ({ totalMs: FETCH_MS, wireBytes: settings.VISION_MAX_FILE_BYTES }),
  });
  return { http, largestFile: () => settings.VISION_MAX_FILE_BYTES };
}

/** The vision service. */
export const visionService = defineService({
  contract: vision,
  settings: visionSettings,
  live: visionLiveSettings,
  needs: async (settings, platform) => {
    const backends = openBackends(settings);
    const pictures = openPictureSource(settings, platform);
    return {
      backends,
      pictures,
      runQueued: openQueue(settings),
      version: platform.version,
      closing: {
        close: async () =>
          void (await Promise.all([pictures.http.close(), ...backends.map((one) => one.close())])),
      },
    };
  },
  routes: visionRoutes,
  health: ({ backends }) => ({ parts: Object.fromEntries(backends.map((one) => [one.name, one])) }),
  models: async ({ backends }) => (await Promise.all(backends.map((one) => one.models()))).flat(),
  errorBody: modelServiceBody,
});
