import { hostname } from 'node:os';
import { createTokenVerifier } from '../../foundation/auth.ts';
import { openCache } from '../../foundation/cache.ts';
import type { Configuration } from '../../foundation/configuration/configuration.ts';
import type { Database } from '../../foundation/database/database.ts';
import { removeOldRowsHourly } from '../../foundation/database/retention.ts';
import { errorResponse } from '../../foundation/errors.ts';
import { parseAllowList } from '../../foundation/http/allow-list.ts';
import type { Logger } from '../../foundation/log.ts';
import type { Platform } from '../../foundation/platform.ts';
import { authenticateUsers, realmsFrom } from '../../foundation/realms.ts';
import { defineService } from '../../foundation/service.ts';
import { isOff } from '../../foundation/settings.ts';
import type { Broker, Reservation } from './broker/broker.ts';
import { openDatabaseBroker } from './broker/database-broker.ts';
import { openRabbitBroker } from './broker/rabbitmq/rabbitmq-broker.ts';
import type { VerificationTools } from './components/component.ts';
import { createComponents } from './components/index.ts';
import { analysis } from './contract.ts';
import { clientsOf } from './dependencies/clients.ts';
import { createEvidenceSource } from './dependencies/evidence.ts';
import { createPageFetcher } from './dependencies/pages.ts';
import { openRecordingServices } from './dependencies/recordings.ts';
import { openTextModel } from './dependencies/text-model/open-text-model.ts';
import { createEncodeTexts } from './dependencies/vectors.ts';
import { createVisionAssessor } from './dependencies/vision.ts';
import { createActiveSessions } from './dispatch/active-sessions.ts';
import { createDirectSlots } from './dispatch/direct-slots.ts';
import { createProgressFeed } from './dispatch/progress-feed.ts';
import { createSessionLifecycle } from './dispatch/session-lifecycle.ts';
import { consumeQueues, STEP_QUEUES, WORK_NAMES, type WorkName } from './dispatch/worker.ts';
import { createTextEngines } from './engines/text-engines.ts';
import { errors } from './errors.ts';
import type { MediaLibrary } from './media/library.ts';
import { openExaminers } from './media/open-examiners.ts';
import { openMedia } from './media/open-media.ts';
import { createAnalysisMetrics } from './metrics.ts';
import { createCorrectSession } from './moderation/correct-session.ts';
import { createReviews, type Reviews } from './moderation/reviews.ts';
import { createConfigVersion } from './pipeline/config-version.ts';
import { observeRunners } from './pipeline/observe.ts';
import type { StepRunners } from './pipeline/run.ts';
import { createVerdictMaker } from './pipeline/verdict-maker.ts';
import { feedbackRoutes } from './routes/feedback.ts';
import { groupsRoutes } from './routes/groups.ts';
import { healthParts, healthRoutes, type Probes } from './routes/health.ts';
import { createKeyVerifier, keyRoutes } from './routes/keys.ts';
import { mediaRoutes } from './routes/media.ts';
import { moderationRoutes } from './routes/moderation.ts';
import { pipelineRoutes } from './routes/pipeline.ts';
import type { PipelineDependencies } from './routes/pipeline-dependencies.ts';
import { progressRoutes } from './routes/progress.ts';
import { reportRoutes } from './routes/reports.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { taxonomyRoutes } from './routes/taxonomy.ts';
import { type AnalysisSettings, analysisSettings } from './settings.ts';
import { accessRows } from './store/access-log.ts';
import { countOpenByStatus, countSightings } from './store/leases.ts';
import { migrations } from './store/migrations.ts';
import type { AnalysisTables } from './store/tables.ts';
import { storedVerdictRules } from './store/verdict-rules.ts';
import { analysisLiveSettings, analysisTunables, tuningOf } from './tunables.ts';

/** Path prefix under which the gateway shows this service. */
const PREFIX = '/agent-v3';
/** How often media without an owner are removed, in milliseconds. */
const SWEEP_MS = 30_000;
/** How often sessions of lost processes are looked for, in milliseconds. */
const RECOVERY_MS = 5_000;

/** Of the messages of each step, one in four is of the free tier (priority 1 to 3) while any of it waits. */
const FREE_SHARE: Reservation = { queues: new Set(STEP_QUEUES), upTo: 3, every: 4 };

function openBroker(settings: AnalysisSettings, database: Database, log: Logger): Promise<Broker> {
  const { AMQP_URL: url, AMQP_PREFIX: prefix } = settings;
  return url === undefined
    ? openDatabaseBroker(database, log, { reservation: FREE_SHARE })
    : openRabbitBroker(database, log, { url, prefix, reservation: FREE_SHARE });
}

/** Tasks that a session has for the engines at once, at most. */
const TASKS_OF_SESSION = 4;

/** The queue holds all work that can be under way, so that load never fails a component. */
function engineLimits(settings: AnalysisSettings) {
  const direct = 2 * settings.ANALYSIS_DIRECT_PLACES;
  const queued = STEP_QUEUES.length * settings.ANALYSIS_CONCURRENCY;
  const tests = 64;
  return {
    threads: settings.ANALYSIS_ENGINE_THREADS,
    waiting: TASKS_OF_SESSION * direct + queued + tests,
  };
}

async function openNeeds(settings: AnalysisSettings, platform: Platform, configuration: Configuration) {
  const database = await platform.database();
  await database.migrate('analysis', migrations);
  const log = platform.log.child({ service: 'analysis' });
  const clients = clientsOf(settings);
  const queries = database.kysely<AnalysisTables>();
  const keySets = openCache(platform.redis, 'keys');
  const textEngines = await createTextEngines(engineLimits(settings), log);
  const recordings = openRecordingServices(settings);
  const media = openMedia(settings, platform, PREFIX, { queries, log });
  return {
    configuration,
    ...clients,
    recordings,
    ...openTextModel(settings),
    version: platform.version,
    verdictRules: storedVerdictRules(queries, configuration),
    metrics: createAnalysisMetrics(platform.metrics),
    publicUrl: platform.publicUrl,
    log,
    store: { database, queries },
    broker: await openBroker(settings, database, log),
    textEngines,
    progressFeed: createProgressFeed(database, log),
    media,
    examiners: openExaminers({ ...clients, recordings, media, queries, log }, settings),
    activeSessions: createActiveSessions(database, `${hostname()}:${process.pid}`, log),
    cache: keySets,
    verifyToken: createTokenVerifier(realmsFrom(settings, platform.publicUrl, keySets), keySets),
  };
}

type Needs = Awaited<ReturnType<typeof openNeeds>>;

function configVersionOf(settings: AnalysisSettings) {
  return createConfigVersion({
    asksModel: !isOff(settings.LLM_URL),
    model: settings.LLM_ANALYSIS_MODEL ?? settings.LLM_DEFAULT_MODEL ?? null,
  });
}

/** Without the web service claims are not checked; that is a setting, not a loss. */
function verificationOf({ brainClient, webClient, embeddingsClient }: Needs): VerificationTools | undefined {
  if (brainClient === undefined || webClient === undefined) return undefined;
  return { evidence: createEvidenceSource(brainClient), encode: createEncodeTexts(embeddingsClient) };
}

function runnersOf(needs: Needs, settings: AnalysisSettings): StepRunners {
  const { textEngines, textModel, webClient, domainClient, store, verdictRules, metrics, media } = needs;
  const { pictures, pagePictures, recordings, readText } = needs.examiners;
  const runners = {
    configVersion: configVersionOf(settings),
    preparation: {
      identify: textEngines.identify,
      fetchPage: createPageFetcher(webClient),
      fetchMedia: media.fetch,
      readPictureText: readText,
      transcribeRecording: recordings.transcribe,
      drawOverview: recordings.drawOverview,
      findMedia: (account: string, mediaId: string) => media.library.find({ mediaId }, account),
    },
    components: createComponents({
      engines: textEngines,
      model: textModel,
      domainCheck: domainClient,
      verification: verificationOf(needs),
      pictures,
      vision: needs.visionClient && createVisionAssessor(needs.visionClient),
      pagePictures,
      recordings,
    }),
    makeVerdict: createVerdictMaker(
      textEngines,
      textModel,
      (submission) => countSightings(store.queries, submission),
      verdictRules,
    ),
  };
  return observeRunners(runners, metrics);
}

/** Read whenever a slot is assigned. */
const slotsOf = (settings: AnalysisSettings) => ({
  get free() {
    return settings.ANALYSIS_SLOTS_FREE;
  },
  get premium() {
    return settings.ANALYSIS_SLOTS_PREMIUM;
  },
});

function lifecycleOf({ store, broker, metrics, log }: Needs, settings: AnalysisSettings) {
  return createSessionLifecycle({
    queries: store.queries,
    broker,
    slots: slotsOf(settings),
    pendingMax: () => settings.ANALYSIS_PENDING_MAX,
    configVersion: configVersionOf(settings),
    metrics,
    log,
  });
}

function dependenciesOf(needs: Needs, settings: AnalysisSettings): PipelineDependencies {
  return {
    queries: needs.store.queries,
    broker: needs.broker,
    runners: runnersOf(needs, settings),
    textModel: needs.textModel,
    configuration: needs.configuration,
    lifecycle: lifecycleOf(needs, settings),
    directPlaces: createDirectSlots(() => settings.ANALYSIS_DIRECT_PLACES, slotsOf(settings)),
    directAnswerMs: () => settings.ANALYSIS_DIRECT_ANSWER_MS,
    activeSessions: needs.activeSessions,
    progressFeed: needs.progressFeed,
    rules: {
      mode: settings.LIMPEDE_MODE,
      allow: parseAllowList(settings.WEB_ALLOWED_PRIVATE_HOSTS),
      isStored: (address) => needs.media.addresses.read(address) !== undefined,
    },
    media: needs.media,
    verdictRules: needs.verdictRules,
    asyncStatus: () => (settings.ASYNC_STATUS === '200' ? 200 : 202),
    tuning: () => tuningOf(needs.configuration.current(), settings),
    tunables: [...analysisTunables, ...analysisLiveSettings.map((setting) => setting.of(settings))],
    prefix: PREFIX,
    metrics: needs.metrics,
    log: needs.log,
  };
}

/** What reports state about this installation. */
function reportSettingsOf({ version, publicUrl }: Needs, settings: AnalysisSettings) {
  return { version, publicUrl, publisher: settings.REPORT_PUBLISHER, prefix: PREFIX };
}

function probesOf({
  store,
  broker,
  cache,
  textEngines,
  configuration,
  domainClient,
  brainClient,
  forensicClient,
  extractorsClient,
  visionClient,
  modelList,
  recordings,
}: Needs): Probes {
  const domain = domainClient?.probe;
  const cached = brainClient?.probe;
  const examining = forensicClient?.probe;
  const extracting = extractorsClient?.probe;
  const looking = visionClient?.probe;
  const model = modelList?.probe;
  return {
    database: store.database satisfies Pick<Database, 'probe'>,
    broker,
    cache,
    framework: { probe: async () => void (await Promise.all([textEngines.probe(), configuration.probe()])) },
    ...(model !== undefined && { llm: { probe: model } }),
    ...(cached !== undefined && { brain: { probe: cached } }),
    ...(extracting !== undefined && { extractors: { probe: extracting } }),
    ...(looking !== undefined && { vision: { probe: looking } }),
    ...(examining !== undefined && { forensic: { probe: examining } }),
    ...(domain !== undefined && { domain_check: { probe: domain } }),
    ...recordings.probes,
  };
}

function reviewsOf({ store: { queries }, log }: Needs, { runners }: PipelineDependencies): Reviews {
  return createReviews(queries, createCorrectSession(queries, runners, log));
}

/** The queues that this process works on: those that were named, else all; an api process works on none. */
function workOf({ ANALYSIS_ROLE, ANALYSIS_COMPONENTS }: AnalysisSettings): readonly WorkName[] {
  if (ANALYSIS_ROLE === 'api') return [];
  return ANALYSIS_COMPONENTS.length > 0 ? ANALYSIS_COMPONENTS : WORK_NAMES;
}

function keepSweeping(library: MediaLibrary, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    library.sweep().catch((error) => log.warn({ err: error }, 'media that nobody owns could not be removed'));
  }, SWEEP_MS);
}

/** Processes the queues, and takes over sessions of lost processes, until the returned function is called. */
async function work(needs: Needs, settings: AnalysisSettings): Promise<() => Promise<void>> {
  const { broker, activeSessions, log, store, textModel, media } = needs;
  const { queries } = store;
  const lifecycle = lifecycleOf(needs, settings);
  const stopping = new AbortController();
  const alone = store.database.engine === 'embedded';
  // In the background: where the gateway is slow, the first analysis reads the list again.
  void textModel.prepare();
  const unlisten = await activeSessions.start();
  const recovered = await lifecycle.recover({ all: alone });
  if (recovered > 0) log.info({ sessions: recovered }, 'took up sessions that a process left');
  const dependencies = {
    queries,
    broker,
    runners: runnersOf(needs, settings),
    activeSessions,
    metrics: needs.metrics,
    log,
    slotFree: lifecycle.slotFree,
  };
  const consumed = consumeQueues(dependencies, workOf(settings), {
    concurrency: settings.ANALYSIS_CONCURRENCY,
    signal: stopping.signal,
  });
  const sweep = setInterval(() => {
    lifecycle
      .recover({ all: false })
      .catch((error) => log.warn({ err: error }, 'lost sessions could not be looked for'));
  }, RECOVERY_MS);
  const tidying = keepSweeping(media.library, log);
  const accesses = () => accessRows(settings.LIMPEDE_AUDIT_DAYS);
  const stopRemoving = removeOldRowsHourly(store.queries, accesses, log);
  return async () => {
    clearInterval(sweep);
    clearInterval(tidying);
    await stopRemoving();
    stopping.abort();
    await consumed;
    await activeSessions.idle();
    await unlisten();
  };
}

/** The analysis service. */
export const analysisService = defineService({
  contract: analysis,
  settings: analysisSettings,
  live: analysisLiveSettings,
  tunables: analysisTunables,
  keepsData: true,
  needs: openNeeds,
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  authenticate: ({ verifyToken, store, log }) =>
    authenticateUsers(verifyToken, errors, createKeyVerifier(store.queries, log)),
  routes: (needs, settings) => {
    const { metrics, broker, store } = needs;
    metrics.watch({ queues: broker.depth, openSessions: () => countOpenByStatus(store.queries) });
    const dependencies = dependenciesOf(needs, settings);
    const probes = probesOf(needs);
    return {
      ...healthRoutes(probes, needs.version),
      ...pipelineRoutes(dependencies),
      ...sessionRoutes(dependencies),
      ...reportRoutes({ ...dependencies, report: reportSettingsOf(needs, settings) }),
      ...progressRoutes(dependencies),
      ...mediaRoutes({
        ...needs.media,
        queries: store.queries,
        largestUpload: () => settings.ANALYSIS_LARGEST_UPLOAD,
      }),
      ...groupsRoutes({ ...needs, ...dependencies, probes }),
      ...taxonomyRoutes(),
      ...keyRoutes(dependencies),
      ...feedbackRoutes(dependencies),
      ...moderationRoutes({ ...dependencies, reviews: reviewsOf(needs, dependencies) }),
    };
  },
  health: (needs) => {
    const health = healthParts(probesOf(needs));
    return { ...health, parts: { ...health.parts, objects: needs.media.objects } };
  },
  background: work,
  publicPrefix: PREFIX,
});
