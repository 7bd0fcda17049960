import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticateByToken } from '../../foundation/bearer-tokens.ts';
import { modelServiceBody } from '../../foundation/errors.ts';
import { packageFile } from '../../foundation/files.ts';
import { defineService } from '../../foundation/service.ts';
import { openTemporaryFiles } from '../../foundation/temporary-files.ts';
import { identifyLanguage } from '../../text/language.ts';
import { type LinearModel, loadLinear } from '../../text/linear.ts';
import type { SpeechBackend } from './backends/backend.ts';
import { createPocketsphinxBackend, isPocketsphinxInstalled } from './backends/pocketsphinx.ts';
import { createSherpaBackend } from './backends/sherpa.ts';
import { createUpstreamBackend } from './backends/upstream.ts';
import { speech } from './contract.ts';
import { errors } from './errors.ts';
import { createRecordings } from './recordings.ts';
import { speechRoutes } from './routes.ts';
import { type SpeechSettings, speechSettings } from './settings.ts';
import { speechLiveSettings } from './tunables.ts';

const MEBIBYTE = 1024 * 1024;

function openUpstream(settings: SpeechSettings): SpeechBackend | undefined {
  const { SPEECH_UPSTREAM_URL: url } = settings;
  if (url === undefined) return undefined;
  return createUpstreamBackend({
    url,
    key: settings.SPEECH_UPSTREAM_API_KEY,
    get timeoutMs() {
      return settings.SPEECH_UPSTREAM_TIMEOUT_MS;
    },
    get defaultModel() {
      return settings.SPEECH_UPSTREAM_MODEL;
    },
  });
}

/** In order of preference: a server of the operator, a local model of the operator, the PocketSphinx of the system. */
function createBackends(settings: SpeechSettings, home: string): SpeechBackend[] {
  const limits = {
    get timeoutMs() {
      return settings.SPEECH_LOCAL_TIMEOUT_MS;
    },
    memoryBytes: settings.SPEECH_LOCAL_MEMORY_MB * MEBIBYTE,
  };
  const sherpa = createSherpaBackend({
    models: join(home, 'models'),
    preferred: settings.SPEECH_LOCAL_MODEL,
    threads: settings.SPEECH_LOCAL_THREADS,
    limits,
  });
  const hasPocketsphinx = settings.SPEECH_POCKETSPHINX && isPocketsphinxInstalled();
  const upstream = openUpstream(settings);
  return [
    ...(upstream === undefined ? [] : [upstream]),
    sherpa,
    ...(hasPocketsphinx ? [createPocketsphinxBackend(limits)] : []),
  ];
}

/** The speech service. */
export const speechService = defineService({
  contract: speech,
  settings: speechSettings,
  live: speechLiveSettings,
  needs: async (settings, { home }) => {
    const backends = createBackends(settings, home);
    let languages: LinearModel | undefined;
    return {
      backends,
      pieceSeconds: () => settings.SPEECH_PIECE_SECONDS,
      files: openTemporaryFiles(join(home, 'temporary', 'speech')),
      recordings: createRecordings(settings),
      languageOf: (text: string) => {
        languages ??= loadLinear(readFileSync(packageFile('models', 'language.bin')));
        return identifyLanguage(languages, text).code;
      },
      largestFile: () => settings.SPEECH_MAX_FILE_BYTES,
      closing: { close: async () => void (await Promise.all(backends.map((one) => one.close()))) },
    };
  },
  routes: speechRoutes,
  health: ({ recordings, backends }) => ({
    parts: {
      recordings,
      upstream: undefined,
      pocketsphinx: undefined,
      ...Object.fromEntries(backends.map((one) => [one.name, one])),
    },
    critical: ['recordings'],
  }),
  models: async ({ backends }) => (await Promise.all(backends.map((one) => one.models()))).flat(),
  authenticate: (_needs, settings) =>
    authenticateByToken(settings.SPEECH_API_TOKENS, 'speech', errors.authentication_required),
  errorBody: modelServiceBody,
});
