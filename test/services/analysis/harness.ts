import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/foundation/database/database.ts';
import type { Broker } from '../../../src/services/analysis/broker/broker.ts';
import { openDatabaseBroker } from '../../../src/services/analysis/broker/database-broker.ts';
import type {
  Components,
  RunComponent,
  RunContext,
} from '../../../src/services/analysis/components/component.ts';
import type { FetchPage } from '../../../src/services/analysis/dependencies/pages.ts';
import {
  type ActiveSessions,
  createActiveSessions,
} from '../../../src/services/analysis/dispatch/active-sessions.ts';
import {
  createSessionLifecycle,
  type SessionLifecycle,
} from '../../../src/services/analysis/dispatch/session-lifecycle.ts';
import {
  consumeQueues,
  WORK_NAMES,
  type WorkerDependencies,
  type WorkName,
} from '../../../src/services/analysis/dispatch/worker.ts';
import { makePlan } from '../../../src/services/analysis/pipeline/plan.ts';
import type { StepRunners } from '../../../src/services/analysis/pipeline/run.ts';
import type { Blocks } from '../../../src/services/analysis/resources/component-blocks.ts';
import {
  byComponent,
  COMPONENTS,
  type ComponentName,
} from '../../../src/services/analysis/resources/component-name.ts';
import {
  shippedVerdictRules,
  type VerdictRules,
  type VerdictRulesSource,
} from '../../../src/services/analysis/resources/verdict-rules.ts';
import { blockOf, type Checkpoint } from '../../../src/services/analysis/session/checkpoint.ts';
import type { Submission } from '../../../src/services/analysis/session/submission.ts';
import type { NewCheckpoint } from '../../../src/services/analysis/store/checkpoints.ts';
import type { StoredMedia } from '../../../src/services/analysis/store/media.ts';
import { migrations } from '../../../src/services/analysis/store/migrations.ts';
import type { NewSession } from '../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { silent } from '../../foundation/database/engines.ts';
import { aiBlock, claimsBlock, domainBlock, techniquesBlock, verdictRecord } from './pipeline/blocks.ts';

/** The configuration of all tests that do not change it. */
export const CONFIG_VERSION = 'test';

/** The block that each scripted component leaves. */
export const BLOCKS: Blocks = {
  techniques: techniquesBlock(12.5),
  ai_tampered: aiBlock(8),
  claims: claimsBlock(null),
  domain: domainBlock(88),
};

/** A checkpoint of claims that had nothing to read. */
export const SKIPPED_CLAIMS: Checkpoint = {
  step: 'claims',
  outcome: { state: 'skipped', reason: { code: 'no_text', values: {} } },
  degraded: [],
};

/** What a scripted component does when it runs. */
export type Script = (run: RunContext) => Promise<void>;

/** Components that do what the test says and count their runs. */
export function scripted(scripts: Partial<Record<ComponentName, Script>> = {}) {
  const runs: Record<ComponentName, number> = { techniques: 0, ai_tampered: 0, claims: 0, domain: 0 };
  const make =
    (name: ComponentName): RunComponent =>
    async (_material, run) => {
      runs[name]++;
      await scripts[name]?.(run);
      return {
        block: BLOCKS[name],
        reliability: 'planned',
        quality: 1,
        fallbacks: 0,
        out_of_scope: false,
        degraded: [],
      };
    };
  const components = byComponent<Components>(make);
  return { components, runs };
}

/** Tools that know no media. */
export const NO_MEDIA = {
  fetchMedia: () => Promise.reject(new Error('no medium is asked for')),
  findMedia: async () => undefined,
  readPictureText: () => Promise.reject(new Error('no picture is read')),
  transcribeRecording: () => Promise.reject(new Error('no recording is heard')),
  drawOverview: async () => ({ refused: { code: 'extractors_off', values: {} } as const }),
};

/** StepRunners around scripted components; the verdict says which components it saw. */
export function runnersOf(
  components: Components,
  fetchPage: FetchPage = async () => ({ refused: { code: 'web_service_off', values: {} } }),
): StepRunners {
  return {
    components,
    preparation: { ...NO_MEDIA, fetchPage, identify: () => 'en' },
    configVersion: () => CONFIG_VERSION,
    makeVerdict: async (_session, _material, checkpoints) => ({
      step: 'verdict',
      verdict: verdictRecord({
        components_used: COMPONENTS.filter((name) => blockOf(checkpoints, name) !== null),
      }),
      topic: 'elections',
      enqueue: null,
      degraded: [],
    }),
  };
}

/** A submission of a text. */
export function submissionOf(more: Partial<Submission> = {}): Submission {
  return {
    mediaType: 'text',
    text: 'A text that is long enough to be analysed.',
    url: null,
    mediaUrl: null,
    userId: 'ana',
    account: `clients/${randomUUID()}`,
    userEmail: 'ana@example.org',
    sourceApp: 'api',
    planType: 1,
    components: [...COMPONENTS],
    skipped: [],
    userFlagged: false,
    inputHash: 'hash',
    ...more,
  };
}

/** The checkpoints that a session begins with: the material of a text. */
function firstCheckpoints({ mediaType, text, inputHash }: Submission): NewCheckpoint[] {
  if (text === null) return [];
  const parts = { text: { text, language: 'en' } };
  const checkpoint: Checkpoint = {
    step: 'material',
    material: { mediaType, title: null, parts, missing: {} },
    degraded: [],
  };
  return [{ checkpoint, inputHash, configVersion: CONFIG_VERSION }];
}

/** A session to be stored. */
export function newSession(submission: Submission, more: Partial<NewSession> = {}) {
  return {
    sessionId: randomUUID(),
    submission,
    plan: makePlan(submission, shippedVerdictRules),
    checkpoints: firstCheckpoints(submission),
    idempotencyKey: null,
    requestHash: null,
    configVersion: 0,
    ...more,
  };
}

/** The asynchronous form, running on a database. */
export interface Workers {
  readonly broker: Broker;
  readonly lifecycle: SessionLifecycle;
  readonly activeSessions: ActiveSessions;
  stop(): Promise<void>;
}

/** Metrics that are not read. */
export const uncounted: WorkerDependencies['metrics'] = { ended: () => undefined, waited: () => undefined };

/** Starts workers with the given runners on a database. */
export async function startWorkers(
  database: Database,
  runners: StepRunners,
  {
    slots = { free: 8, premium: 32 },
    pendingMax = 500,
    openBroker = () => openDatabaseBroker(database, silent, { retryPausesMs: [5], leaseMs: 3000 }),
    work = WORK_NAMES,
    metrics = uncounted,
  }: {
    slots?: { free: number; premium: number };
    pendingMax?: number;
    openBroker?: () => Promise<Broker>;
    work?: readonly WorkName[];
    metrics?: WorkerDependencies['metrics'];
  } = {},
): Promise<Workers> {
  await database.migrate('analysis', migrations);
  const queries = database.kysely<AnalysisTables>();
  const broker = await openBroker();
  const lifecycle = createSessionLifecycle({
    queries,
    broker,
    slots,
    pendingMax: () => pendingMax,
    configVersion: runners.configVersion,
    metrics,
    log: silent,
  });
  const activeSessions = createActiveSessions(database, randomUUID(), silent);
  const unlisten = await activeSessions.start();
  const stopping = new AbortController();
  const { slotFree } = lifecycle;
  const workers = { queries, broker, runners, activeSessions, metrics, log: silent, slotFree };
  const consumed = consumeQueues(workers, work, { concurrency: 4, signal: stopping.signal });
  return {
    broker,
    lifecycle,
    activeSessions,
    stop: async () => {
      stopping.abort();
      await consumed;
      await activeSessions.idle();
      await unlisten();
      await broker.close();
    },
  };
}

/** A source of one fixed set of rules. */
export function fixedVerdictRules(rules: VerdictRules): VerdictRulesSource {
  return {
    current: async () => rules,
    ofVersion: async (version) => (version === rules.version ? rules : undefined),
  };
}

/** An examiner without any service: no recording is examined. */
export const NO_RECORDINGS = {
  transcribe: NO_MEDIA.transcribeRecording,
  drawOverview: NO_MEDIA.drawOverview,
  examine: () => Promise.reject(new Error('no recording is examined')),
};

/** A stored picture of Ana's, unless the test says otherwise. */
export function storedMedia(over: Partial<StoredMedia> = {}): StoredMedia {
  return {
    mediaId: 'm',
    account: 'clients/ana',
    bucket: 'media',
    objectKey: 'k',
    mediaType: 'image',
    mimeType: 'image/png',
    fileName: null,
    sizeBytes: 1,
    sha256: 's',
    width: 1,
    height: 1,
    durationSec: null,
    unread: null,
    createdAt: new Date(0),
    ...over,
  };
}

/** Never ends, unless by its signal. */
export const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  );
