import { z } from 'zod';
import type { Configuration } from './configuration/configuration.ts';
import type { Tunable } from './configuration/tunable.ts';
import type { Database } from './database/database.ts';
import type { Logger } from './log.ts';
import type { Registry } from './metrics.ts';
import type { RedisConnection } from './redis/redis.ts';
import type { HostPolicy } from './service/host-policy.ts';
import { address, type Environment, integer, list, SettingsError, text } from './settings.ts';
import { tracingSettings } from './tracing/settings.ts';

/** What a process shares with all its services. */
export interface Platform {
  /** The folder that holds all data. */
  readonly home: string;
  readonly version: string;
  /** The address that users see, without a trailing slash. */
  readonly publicUrl: string;
  /** Accepted host names and origins; by default the process's own address. */
  readonly hostPolicy?: HostPolicy;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The database, opened when the first service asks. */
  readonly database: () => Promise<Database>;
  /** Redis, when this installation has one: caches and rate limits are shared by its processes then. */
  readonly redis?: RedisConnection | undefined;
  /** Opens the configuration for these tunables; the defaults hold where no store is reachable. */
  readonly configuration?: (tunables: readonly Tunable[]) => Configuration;
}

const HIGHEST_PORT = 65_535;

/** Settings of the process, not of one service. */
export const platformSettings = z.object({
  LIMPEDE_HOME: text('.limpede').describe('The folder that holds all data; deleting it is a clean slate.'),
  LIMPEDE_HOST: text('127.0.0.1').describe(
    'The address that the gateway listens on: the only public entrance.',
  ),
  LIMPEDE_PORT: integer(8080, 1, 65_000).describe(
    'The port of the gateway; the other services follow in a fixed order, one more each. <SERVICE>_PORT overrides one.',
  ),
  LIMPEDE_INTERNAL_HOST: text('127.0.0.1').describe('The address that all other services listen on.'),
  LIMPEDE_PUBLIC_URL: address().describe(
    'The address under which users reach the gateway; unset means http://127.0.0.1:LIMPEDE_PORT.',
  ),
  LIMPEDE_ALLOWED_HOSTS: list().describe(
    'Comma-separated names under which the services are reached, beside IP addresses, localhost, LIMPEDE_PUBLIC_URL and those of the *_URL settings.',
  ),
  LIMPEDE_SERVICES: list().describe('The services that this process starts; unset means all that exist.'),
  LIMPEDE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('The least serious kind of log line that is written.'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .describe('PostgreSQL 15 or later; unset means the embedded database under LIMPEDE_HOME.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe(
      'Redis 6 or later, shared by processes: rate limits, and a cache of the key sets that check tokens, so that it must be trusted like the database. Unset means that each process has its own.',
    ),
  REDIS_PREFIX: text('limpede').describe(
    'The first part of all keys in Redis, so that several installations can share one.',
  ),
  ...tracingSettings.shape,
});

/** The port of a service: its own setting `<SERVICE>_PORT`, else its place in the order of ports. */
export function portOf(service: string, place: number, environment: Environment): number {
  const setting = `${service.toUpperCase()}_PORT`;
  const value = environment[setting]?.trim() ?? '';
  if (value === '') return place;
  const result = z.coerce.number().int().min(1).max(HIGHEST_PORT).safeParse(value);
  if (!result.success) throw new SettingsError([`${setting}: must be a port, 1 to ${HIGHEST_PORT}`]);
  return result.data;
}

/** The address under which users reach the gateway. */
export function publicUrlOf(
  settings: Pick<z.infer<typeof platformSettings>, 'LIMPEDE_PUBLIC_URL' | 'LIMPEDE_PORT'>,
  environment: Environment,
): string {
  const port = portOf('gateway', settings.LIMPEDE_PORT, environment);
  return settings.LIMPEDE_PUBLIC_URL ?? `http://127.0.0.1:${port}`;
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname.toLowerCase() : '');
const listOf = (value: string | undefined) => (value ?? '').split(',').map((item) => item.trim());

/**
 * The host names that a process accepts, taken from the settings (its own, those of its peers, the public address, the allowed
 * ones), and the allowed origins: the public address and GATEWAY_CORS_ORIGINS. `services` are the names of all services, which
 * are host names between containers.
 */
export function hostPolicyFrom(
  environment: Environment,
  publicUrl: string,
  services: readonly string[],
): HostPolicy {
  const addresses = Object.entries(environment)
    .filter(([name, value]) => name.endsWith('_URL') && /^https?:/.test(value ?? ''))
    .map(([, value]) => hostOf(value ?? ''));
  const own = [environment.LIMPEDE_HOST, environment.LIMPEDE_INTERNAL_HOST].map((name) => name?.trim() ?? '');
  const named = [...services, ...services.map((name) => name.replaceAll('_', '-'))];
  const names = [
    ...listOf(environment.LIMPEDE_ALLOWED_HOSTS),
    ...own,
    ...addresses,
    hostOf(publicUrl),
    ...named,
  ];
  return {
    hosts: new Set(names.map((name) => name.toLowerCase()).filter((name) => name !== '')),
    origins: new Set([new URL(publicUrl).origin, ...listOf(environment.GATEWAY_CORS_ORIGINS)]),
  };
}
