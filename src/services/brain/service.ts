import { authenticateByToken } from '../../foundation/bearer-tokens.ts';
import { createClient } from '../../foundation/client.ts';
import { validationRows } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import { embeddings } from '../embeddings/contract.ts';
import { web } from '../web/contract.ts';
import { createVerificationCache } from './cache.ts';
import { loadClaimReader } from './claims.ts';
import { brain } from './contract.ts';
import { createClaimEncoder } from './encode.ts';
import { errors } from './errors.ts';
import { createEvidenceSource } from './evidence-source.ts';
import { createRechecker, type Rechecker } from './recheck.ts';
import { brainRoutes } from './routes.ts';
import { type BrainSettings, brainSettings } from './settings.ts';
import { openFactStore } from './store.ts';

/** Time for the vector of a claim; after it the cache goes on without. */
const ENCODING_MS = 5_000;
/** Time for one call of the web evidence service, unless the call says otherwise. */
const GATHERING_MS = 310_000;

/** The address of a dependency; undefined when it is switched off. */
const given = (address: string | undefined) => (address === 'none' ? undefined : address);

async function createNeeds(settings: BrainSettings, { database, log }: Platform) {
  const store = await openFactStore(await database());
  const evidence = createClient(web, {
    name: 'web',
    url: given(settings.WEB_URL),
    token: settings.WEB_API_TOKEN,
    timeoutMs: GATHERING_MS,
  });
  const vectors = createClient(embeddings, {
    name: 'embeddings',
    url: given(settings.EMBEDDINGS_URL),
    token: settings.EMBEDDINGS_API_TOKEN,
    timeoutMs: ENCODING_MS,
  });
  const gather = createEvidenceSource(evidence, {
    running: settings.BRAIN_CONCURRENT_GATHERS,
    waiting: settings.BRAIN_WAITING_GATHERS,
    each: settings.BRAIN_CALLER_SHARE,
  });
  const rechecker = createRechecker(
    { store, gather, log },
    {
      firstCheckHours: settings.BRAIN_FIRST_CHECK_HOURS,
      longestCheckHours: settings.BRAIN_LONGEST_CHECK_HOURS,
      askedWithinDays: settings.BRAIN_RECHECK_DAYS,
    },
  );
  const cache = createVerificationCache(
    {
      store,
      reader: loadClaimReader(),
      encode: createClaimEncoder(vectors, settings.BRAIN_EMBEDDINGS_MODEL),
      gather,
      overdue: rechecker.soon,
    },
    { confirm: settings.BRAIN_CONFIRM, firstCheckHours: settings.BRAIN_FIRST_CHECK_HOURS },
  );
  return { store, cache, rechecker, web: evidence, embeddings: vectors, log };
}

/** Looks for facts that are due, again and again, until the returned function is called. */
async function keepFresh(
  rechecker: Rechecker,
  pauseMs: number,
  log: Platform['log'],
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  let looking: Promise<unknown> = Promise.resolve();
  const look = () => {
    looking = rechecker
      .checkDue(stop.signal)
      .catch((error: unknown) => log.warn({ err: error }, 'facts that are due could not be looked for'))
      .then(() => {
        if (!stop.signal.aborted) timer = setTimeout(look, pauseMs).unref();
      });
  };
  let timer = setTimeout(look, pauseMs).unref();
  return async () => {
    stop.abort(new Error('the service is stopping'));
    clearTimeout(timer);
    await looking;
  };
}

/** The verification cache as a service. */
export const brainService = defineService({
  contract: brain,
  settings: brainSettings,
  needs: createNeeds,
  routes: (needs, settings) => brainRoutes(needs, settings.BRAIN_INVALIDATIONS_PER_HOUR),
  // Without vectors equal claims are still found; without the web service what is known is still told.
  health: ({ store, web: evidence, embeddings: vectors }) => ({
    parts: {
      store,
      web: evidence.probe === undefined ? undefined : { probe: evidence.probe },
      embeddings: vectors.probe === undefined ? undefined : { probe: vectors.probe },
    },
    critical: ['store'],
  }),
  background: async ({ rechecker, log }, { BRAIN_RECHECK_SECONDS: seconds }) =>
    seconds === 0 ? async () => undefined : keepFresh(rechecker, seconds * 1000, log),
  authenticate: (_needs, settings) =>
    authenticateByToken(settings.BRAIN_API_TOKENS, 'brain', errors.authentication_required),
  errorBody: (failure) => ({
    detail:
      failure.details.length > 0 && failure.status === 422
        ? validationRows(failure)
        : { error: failure.code, message: failure.message, provider: null },
  }),
});
