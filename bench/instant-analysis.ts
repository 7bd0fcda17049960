// The queued form of analyses with components that need no time: what is left is the orchestration.
import { randomUUID } from 'node:crypto';
import type { Database } from '../src/foundation/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import type { Broker } from '../src/services/analysis/broker/broker.ts';
import type { Components, RunComponent } from '../src/services/analysis/components/component.ts';
import { createActiveSessions } from '../src/services/analysis/dispatch/active-sessions.ts';
import { createSessionLifecycle } from '../src/services/analysis/dispatch/session-lifecycle.ts';
import { consumeQueues, WORK_NAMES } from '../src/services/analysis/dispatch/worker.ts';
import { makePlan } from '../src/services/analysis/pipeline/plan.ts';
import type { StepRunners } from '../src/services/analysis/pipeline/run.ts';
import { byComponent, COMPONENTS } from '../src/services/analysis/resources/component-name.ts';
import { shippedVerdictRules } from '../src/services/analysis/resources/verdict-rules.ts';
import type { Submission } from '../src/services/analysis/session/submission.ts';
import type { AnalysisTables } from '../src/services/analysis/store/tables.ts';
import {
  aiBlock,
  claimsBlock,
  domainBlock,
  techniquesBlock,
  verdictRecord,
} from '../test/services/analysis/pipeline/blocks.ts';

const CONFIG_VERSION = 'bench';
const BLOCKS = {
  techniques: techniquesBlock(12.5),
  ai_tampered: aiBlock(8),
  claims: claimsBlock(null),
  domain: domainBlock(88),
};
const TEXT = 'A text that is long enough to be analysed, and no longer than that.';

const answerOf =
  (name: keyof typeof BLOCKS): RunComponent =>
  async () => ({
    block: BLOCKS[name],
    reliability: 'planned',
    quality: 1,
    fallbacks: 0,
    out_of_scope: false,
    degraded: [],
  });

const runners: StepRunners = {
  components: byComponent<Components>(answerOf),
  preparation: {
    fetchPage: async () => ({ refused: { code: 'web_service_off', values: {} } }),
    fetchMedia: () => Promise.reject(new Error('no medium is asked for')),
    findMedia: async () => undefined,
    readPictureText: async () => ({ lost: 'unavailable' as const }),
    transcribeRecording: async () => ({ lost: 'unavailable' as const }),
    drawOverview: async () => ({ lost: 'unavailable' as const }),
    identify: () => 'en',
  },
  configVersion: () => CONFIG_VERSION,
  makeVerdict: async () => ({
    step: 'verdict',
    verdict: verdictRecord({ components_used: ['techniques', 'ai_tampered', 'claims'] }),
    topic: 'elections',
    enqueue: null,
    degraded: [],
  }),
};

/** The submission of a short text. */
export function submissionFor(account: string): Submission {
  return {
    mediaType: 'text',
    text: TEXT,
    url: null,
    mediaUrl: null,
    userId: account,
    account,
    userEmail: null,
    sourceApp: 'api',
    planType: 4,
    components: [...COMPONENTS],
    skipped: [],
    userFlagged: false,
    inputHash: 'hash',
  };
}

/** The queued form over one broker. */
export interface InstantAnalysis {
  /** Accepts a session; resolves when it is stored. */
  accept(): Promise<void>;
  /** Resolves when so many sessions have completed since the start. */
  completed(count: number): Promise<void>;
  /** Messages that were delivered since the start. */
  deliveries(): number;
  stop(): Promise<void>;
}

/** Starts workers with instant components, so many steps of a kind at once. */
export async function startInstantAnalysis(
  database: Database,
  broker: Broker,
  concurrency: number,
): Promise<InstantAnalysis> {
  const log = createLog({ level: 'error', name: 'bench' });
  const queries = database.kysely<AnalysisTables>();
  let ended = 0;
  let delivered = 0;
  let waiting: { count: number; resolve: () => void } | undefined;
  const metrics = {
    ended: () => {
      ended += 1;
      if (waiting !== undefined && ended >= waiting.count) waiting.resolve();
    },
    waited: () => {
      delivered += 1;
    },
  };
  const slots = { free: 1000, premium: 1000 };
  const configVersion = runners.configVersion;
  const limits = { slots, pendingMax: () => 100_000 };
  const lifecycle = createSessionLifecycle({ queries, broker, ...limits, configVersion, metrics, log });
  const activeSessions = createActiveSessions(database, randomUUID(), log);
  const unlisten = await activeSessions.start();
  const stopping = new AbortController();
  const { slotFree } = lifecycle;
  const workers = { queries, broker, runners, activeSessions, metrics, log, slotFree };
  const consumed = consumeQueues(workers, WORK_NAMES, { concurrency, signal: stopping.signal });
  return {
    accept: async () => {
      const submission = submissionFor(`clients/${randomUUID()}`);
      const parts = { text: { text: TEXT, language: 'en' as const } };
      const material = { mediaType: 'text' as const, title: null, parts, missing: {} };
      const created = {
        sessionId: randomUUID(),
        submission,
        plan: makePlan(submission, shippedVerdictRules),
        checkpoints: [
          {
            checkpoint: { step: 'material' as const, material, degraded: [] },
            inputHash: 'hash',
            configVersion: CONFIG_VERSION,
          },
        ],
        idempotencyKey: null,
        requestHash: null,
        configVersion: 0,
      };
      await lifecycle.accept(created, created.sessionId);
    },
    completed: (count) =>
      new Promise((resolve) => {
        waiting = { count, resolve };
        if (ended >= count) resolve();
      }),
    deliveries: () => delivered,
    stop: async () => {
      stopping.abort();
      await consumed;
      await activeSessions.idle();
      await unlisten();
      await broker.close();
    },
  };
}
