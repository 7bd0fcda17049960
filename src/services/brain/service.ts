import { authenticateByToken } from '../../foundation/bearer-tokens.ts';
import { createClient } from '../../foundation/client.ts';
import type { Configuration } from '../../foundation/configuration/configuration.ts';
import { removeOldRowsHourly } from '../../foundation/database/retention.ts';
import { validationRows } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import { addressOf } from '../../foundation/settings.ts';
import { embeddings } from '../embeddings/contract.ts';
import { web } from '../web/contract.ts';
import { createVerificationCache } from './cache.ts';
import { claimParser } from './claims.ts';
import { brain } from './contract.ts';
import { createClaimEncoder } from './encode.ts';
import { errors } from './errors.ts';
import { createEvidenceGatherer } from './evidence-source.ts';
import { createRechecker } from './recheck.ts';
import { brainRoutes } from './routes.ts';
import { type BrainSettings, brainSettings } from './settings.ts';
import { factRows, openFactStore } from './store.ts';
import { brainLiveSettings } from './tunables.ts';

/** Timeout for the vector of a claim, in milliseconds; after it the claim is looked up without one. */
const ENCODING_MS = 5_000;
/** Default timeout for a call of the web evidence service, in milliseconds. */
const GATHERING_MS = 310_000;

/** The policies of the parts. Getters, because staff may change the settings while the service runs. */
const policyOf = (settings: BrainSettings) => ({
  gathers: {
    get running() {
      return settings.BRAIN_CONCURRENT_GATHERS;
    },
    get waiting() {
      return settings.BRAIN_WAITING_GATHERS;
    },
    get each() {
      return settings.BRAIN_CALLER_SHARE;
    },
  },
  rechecks: {
    get firstCheckHours() {
      return settings.BRAIN_FIRST_CHECK_HOURS;
    },
    get longestCheckHours() {
      return settings.BRAIN_LONGEST_CHECK_HOURS;
    },
    get askedWithinDays() {
      return settings.BRAIN_RECHECK_DAYS;
    },
  },
  cache: {
    get confirm() {
      return settings.BRAIN_CONFIRM;
    },
    get firstCheckHours() {
      return settings.BRAIN_FIRST_CHECK_HOURS;
    },
  },
});

async function createNeeds(
  settings: BrainSettings,
  { database: opened, log }: Platform,
  configuration: Configuration,
) {
  const database = await opened();
  const store = await openFactStore(database);
  const evidence = createClient(web, {
    name: 'web',
    url: addressOf(settings.WEB_URL),
    token: settings.WEB_API_TOKEN,
    timeoutMs: GATHERING_MS,
  });
  const vectors = createClient(embeddings, {
    name: 'embeddings',
    url: addressOf(settings.EMBEDDINGS_URL),
    token: settings.EMBEDDINGS_API_TOKEN,
    timeoutMs: ENCODING_MS,
  });
  const policy = policyOf(settings);
  const gather = createEvidenceGatherer(evidence, policy.gathers);
  const rechecker = createRechecker({ store, gather, log }, policy.rechecks);
  const cache = createVerificationCache(
    {
      store,
      reader: claimParser,
      encode: createClaimEncoder(vectors, settings.BRAIN_EMBEDDINGS_MODEL),
      gather,
      recheck: rechecker.checkSoon,
    },
    policy.cache,
  );
  return {
    queries: database.kysely(),
    store,
    cache,
    rechecker,
    web: evidence,
    embeddings: vectors,
    log,
    onChange: configuration.onChange,
  };
}

type BrainNeeds = Awaited<ReturnType<typeof createNeeds>>;

/** Checks facts that are due at a fixed interval until the returned function is called. A changed interval restarts the timer. */
function startRechecks(
  { rechecker, log, onChange }: Pick<BrainNeeds, 'rechecker' | 'log' | 'onChange'>,
  settings: Pick<BrainSettings, 'BRAIN_RECHECK_SECONDS'>,
): () => Promise<void> {
  const stop = new AbortController();
  let running: Promise<unknown> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let seconds = 0;
  const check = () => {
    running = rechecker
      .checkDue(stop.signal)
      .catch((error: unknown) => log.warn({ err: error }, 'facts that are due could not be looked for'))
      .finally(() => {
        running = undefined;
        pause();
      });
  };
  const pause = () => {
    clearTimeout(timer);
    seconds = settings.BRAIN_RECHECK_SECONDS;
    if (seconds > 0 && running === undefined && !stop.signal.aborted)
      timer = setTimeout(check, seconds * 1000).unref();
  };
  pause();
  const unsubscribe = onChange(() => {
    if (settings.BRAIN_RECHECK_SECONDS !== seconds) pause();
  });
  return async () => {
    unsubscribe();
    stop.abort(new Error('the service is stopping'));
    clearTimeout(timer);
    await running;
  };
}

/** The verification cache as a service. */
export const brainService = defineService({
  contract: brain,
  settings: brainSettings,
  live: brainLiveSettings,
  needs: createNeeds,
  routes: brainRoutes,
  // Without the embeddings service equal claims are still found; without the web service stored facts are still answered.
  health: ({ store, web: evidence, embeddings: vectors }) => ({
    parts: {
      store,
      web: evidence.probe === undefined ? undefined : { probe: evidence.probe },
      embeddings: vectors.probe === undefined ? undefined : { probe: vectors.probe },
    },
    critical: ['store'],
  }),
  background: async (needs, settings) => {
    const stopRemoving = removeOldRowsHourly(needs.queries, () => factRows(settings), needs.log);
    const stopChecking = startRechecks(needs, settings);
    return async () => {
      await stopRemoving();
      await stopChecking();
    };
  },
  authenticate: (_needs, settings) =>
    authenticateByToken(settings.BRAIN_API_TOKENS, 'brain', errors.authentication_required),
  errorBody: (failure) => ({
    detail:
      failure.details.length > 0 && failure.status === 422
        ? validationRows(failure)
        : { error: failure.code, message: failure.message, provider: null },
  }),
});
