import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { z } from 'zod';
import type { Logger } from '../../foundation/log.ts';
import { SettingsError } from '../../foundation/settings.ts';
import type { ConcurrencyLimits } from './completions/concurrency-limiter.ts';
import { backendName } from './contract.ts';
import type { LlmSettings } from './settings.ts';
import { type Price, price } from './usage/prices.ts';

/** A backend to send a request to instead, and the model to ask it for when that is another. */
const fallback = z.strictObject({ backend: backendName, model: z.string().min(1).optional() });
type Fallback = z.infer<typeof fallback>;

/** The file named by LLM_CONFIG_FILE. Limits that it names replace those of the environment. */
export const policyFile = z.strictObject({
  fallbacks: z
    .record(z.string(), z.array(fallback).max(8))
    .default({})
    .describe('By model, by backend:model, or `*`: where to go when the first backend fails.'),
  prices: z.record(z.string(), price).default({}).describe('By model, by backend:model, or by backend.'),
  currency: z.string().default('USD'),
  limits: z
    .strictObject({
      rate_limit_rps: z.number().positive().optional(),
      rate_limit_burst: z.int().positive().optional(),
      max_concurrent_completions: z.int().positive().optional(),
      queue_size: z.int().min(0).optional(),
      queue_timeout_ms: z.int().positive().optional(),
    })
    .default({}),
});
export type PolicyFile = z.infer<typeof policyFile>;

/** The rules that may change while requests run. A request keeps the policy that it started with. */
export interface Policy {
  readonly fallbacks: Readonly<Record<string, readonly Fallback[]>>;
  readonly prices: Readonly<Record<string, Price>>;
  readonly currency: string;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly concurrency: ConcurrencyLimits;
}

/** What staff set of the policy: it goes before the file, as the file goes before the settings. */
export type StaffPolicy = Partial<PolicyFile>;

/** The policy of settings, file and staff. */
export function makePolicy(settings: LlmSettings, file: PolicyFile, staff: StaffPolicy = {}): Policy {
  const { fallbacks, prices, currency } = { ...file, ...staff };
  const limits = { ...file.limits, ...staff.limits };
  return {
    fallbacks,
    prices,
    currency,
    rate: {
      perSecond: limits.rate_limit_rps ?? settings.LLM_RATE_LIMIT_RPS,
      burst: limits.rate_limit_burst ?? settings.LLM_RATE_LIMIT_BURST,
    },
    concurrency: {
      running: limits.max_concurrent_completions ?? settings.LLM_MAX_CONCURRENT_COMPLETIONS,
      waiting: limits.queue_size ?? settings.LLM_QUEUE_SIZE,
      waitMs: limits.queue_timeout_ms ?? settings.LLM_QUEUE_TIMEOUT_MS,
    },
  };
}

/** Reads the file; throws a SettingsError that says what is wrong with it. */
function readPolicyFile(path: string): PolicyFile {
  const wrong = (problem: string) => `LLM_CONFIG_FILE: ${path}: ${problem}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingsError([wrong(error instanceof Error ? error.message : String(error))]);
  }
  const result = policyFile.safeParse(parsed);
  if (result.success) return result.data;
  const { issues } = result.error;
  throw new SettingsError(
    issues.map(({ path: place, message }) => wrong([place.join('.'), message].filter(Boolean).join(': '))),
  );
}

/** How often the file's time of change is read, in milliseconds. */
const WATCH_MS = 1000;

/**
 * Keeps the policy current: the file is read again when it changes and on SIGHUP, and what staff set is taken over by `renew`.
 * A faulty file changes nothing.
 */
export class PolicySource {
  current: Policy;
  private readonly settings: LlmSettings;
  private readonly log: Logger;
  private readonly staff: () => StaffPolicy;
  private file: PolicyFile;
  private readonly listeners = new Set<(policy: Policy) => void>();
  private readonly reload = () => this.read();

  constructor(settings: LlmSettings, log: Logger, staff: () => StaffPolicy = () => ({})) {
    this.settings = settings;
    this.log = log;
    this.staff = staff;
    const path = settings.LLM_CONFIG_FILE;
    this.file = path === undefined ? policyFile.parse({}) : readPolicyFile(path);
    this.current = makePolicy(settings, this.file, staff());
    if (path === undefined) return;
    watchFile(path, { interval: WATCH_MS, persistent: false }, this.reload);
    process.on('SIGHUP', this.reload);
  }

  /** Calls back with each new policy. */
  onChange(listener: (policy: Policy) => void): void {
    this.listeners.add(listener);
  }

  /** Makes the policy again of the settings, the file as it was read last, and what staff set. */
  renew(): void {
    this.current = makePolicy(this.settings, this.file, this.staff());
    for (const listener of this.listeners) listener(this.current);
  }

  async close(): Promise<void> {
    const path = this.settings.LLM_CONFIG_FILE;
    if (path !== undefined) unwatchFile(path, this.reload);
    process.off('SIGHUP', this.reload);
  }

  private read(): void {
    const path = this.settings.LLM_CONFIG_FILE;
    if (path === undefined) return;
    try {
      this.file = readPolicyFile(path);
      this.renew();
      this.log.info({ path }, 'the policy of the text-model gateway was read anew');
    } catch (error) {
      this.log.error({ path, err: error }, 'the policy file is faulty; the last good policy stays');
    }
  }
}
