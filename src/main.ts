import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { openProcessConfigurations } from './foundation/configuration/process-configuration.ts';
import { lazyDatabase } from './foundation/database/lazy.ts';
import { packageVersion } from './foundation/files.ts';
import { prepareHome } from './foundation/home.ts';
import { createLog } from './foundation/log.ts';
import { createMetrics } from './foundation/metrics.ts';
import {
  hostPolicyFrom,
  type Platform,
  platformSettings,
  portOf,
  publicUrlOf,
} from './foundation/platform.ts';
import { realmProblems } from './foundation/realms.ts';
import { connectRedis } from './foundation/redis/redis.ts';
import { type AnyService, type BuiltService, buildService } from './foundation/service.ts';
import { type Environment, parseSettings, readSettings, SettingsError } from './foundation/settings.ts';
import { closeInOrder } from './foundation/shutdown.ts';
import { startTracing } from './foundation/tracing/tracing.ts';

/** Loads a service: a process reads the code of those that it starts, and no other. */
type Loader = () => Promise<AnyService>;

/** All services by name, in the order of their ports: the gateway first, each further one port more. */
const SERVICES: readonly (readonly [name: string, load: Loader | null])[] = [
  ['gateway', async () => (await import('./services/gateway/service.ts')).gatewayService],
  ['analysis', async () => (await import('./services/analysis/service.ts')).analysisService],
  ['llm', async () => (await import('./services/llm/service.ts')).llmService],
  ['video', async () => (await import('./services/video/service.ts')).videoService],
  ['web', async () => (await import('./services/web/service.ts')).webService],
  ['embeddings', async () => (await import('./services/embeddings/service.ts')).embeddingsService],
  ['reranking', async () => (await import('./services/reranking/service.ts')).rerankingService],
  ['speech', async () => (await import('./services/speech/service.ts')).speechService],
  ['extractors', async () => (await import('./services/extractors/service.ts')).extractorsService],
  ['forensic', async () => (await import('./services/forensic/service.ts')).forensicService],
  ['vision', async () => (await import('./services/vision/service.ts')).visionService],
  ['brain', async () => (await import('./services/brain/service.ts')).brainService],
  ['dashboard', async () => (await import('./services/dashboard/service.ts')).dashboardService],
  ['domain_check', async () => (await import('./services/domain-check/service.ts')).domainCheckService],
  ['catalogue', async () => (await import('./services/catalogue/service.ts')).catalogueService],
  ['identity', async () => (await import('./services/identity/service.ts')).identityService],
];

/** How long a stop waits for work in progress before it ends the process, in milliseconds. */
const STOP_LIMIT_MS = 15_000;
/**
 * How long the next service is kept open for the work of one that is being closed, in milliseconds. The gateway only
 * passes on: while it waits, the analysis should take no new work from its queues.
 */
const partLimitMs = (name: string) => (name === 'gateway' ? 2_000 : 10_000);

/** A running process. */
export interface Running {
  readonly publicUrl: string;
  readonly home: string;
  readonly services: readonly { name: string; url: string }[];
  /** Users that this start created, with their passwords; shown once. */
  readonly firstPasswords: Readonly<Record<string, string>>;
  /** Sentences for the operator: what is open that should not be. */
  readonly warnings: readonly string[];
  readonly database: 'embedded' | 'postgres' | null;
  stop(): Promise<void>;
}

/** The names of the services that exist. */
export function serviceNames(): string[] {
  return SERVICES.flatMap(([name, load]) => (load === null ? [] : [name]));
}

/** The services that exist, with their default ports. */
export function portsOfServices(): { name: string; port: number }[] {
  return placesOf(parseSettings(platformSettings, {}), {}).map(({ name, port }) => ({ name, port }));
}

/** The services that exist, with their contracts and settings: for the generated documentation. */
export function existingServices(): Promise<{ name: string; service: AnyService }[]> {
  const loading = SERVICES.flatMap(([name, load]) =>
    load === null ? [] : [load().then((service) => ({ name, service }))],
  );
  return Promise.all(loading);
}

interface Place {
  readonly name: string;
  readonly load: Loader;
  readonly host: string;
  readonly port: number;
}

/** Where each service of this installation listens, started here or elsewhere. */
function placesOf(settings: z.infer<typeof platformSettings>, environment: Environment): Place[] {
  return SERVICES.flatMap(([name, load], offset) => {
    if (load === null) return [];
    const host = name === 'gateway' ? settings.LIMPEDE_HOST : settings.LIMPEDE_INTERNAL_HOST;
    return [{ name, load, host, port: portOf(name, settings.LIMPEDE_PORT + offset, environment) }];
  });
}

/** Where a service of this installation is reached from this machine. */
export function serviceAddress(name: string, environment: Environment): string {
  const named = environment[`${name.toUpperCase()}_URL`]?.trim() ?? '';
  if (named !== '' && named !== 'none') return named.replace(/\/+$/, '');
  const place = placesOf(parseSettings(platformSettings, environment), environment).find(
    (one) => one.name === name,
  );
  if (place === undefined) throw new SettingsError([`there is no service ${name}`]);
  const host = /^(?:0\.0\.0\.0|::)$/.test(place.host) ? '127.0.0.1' : place.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${place.port}`;
}

/** The services to start; an unknown name is an error. */
function chosenPlaces(places: readonly Place[], names: readonly string[]): Place[] {
  const unknown = names.filter((name) => !places.some((place) => place.name === name));
  if (unknown.length > 0) {
    const known = places.map(({ name }) => name).join(', ');
    throw new SettingsError([
      `LIMPEDE_SERVICES: there is no service ${unknown.join(', ')}; there are ${known}`,
    ]);
  }
  return names.length === 0 ? [...places] : places.filter(({ name }) => names.includes(name));
}

/**
 * The token by which our own services are known to the text-model gateway. Where both ends are in this process and none
 * is set, it is random and lasts as long as the process.
 */
export function internalToken(environment: Environment, services: readonly string[]): string | undefined {
  const named = environment.LLM_INTERNAL_TOKEN?.trim() ?? '';
  if (named !== '') return named;
  const together = services.includes('analysis') && services.includes('llm');
  const elsewhere = (environment.LLM_URL?.trim() ?? '') !== '';
  return together && !elsewhere ? randomBytes(32).toString('base64url') : undefined;
}

/** The secret by which the services behind know the gateway; made up where they are all in this process. */
function gatewayToken(environment: Environment, services: readonly string[]): string | undefined {
  const named = environment.GATEWAY_INTERNAL_TOKEN?.trim() ?? '';
  if (named !== '') return named;
  const together = services.includes('gateway') && services.includes('identity');
  return together ? randomBytes(32).toString('base64url') : undefined;
}

const urlSetting = (name: string) => `${name.toUpperCase()}_URL`;

/** The address at which a place is reached from this machine. */
function placeUrl({ host, port }: Pick<Place, 'host' | 'port'>): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
  return `http://${reachable}:${port}`;
}

/** Where a service of this installation is reached: at the address of its setting, else on this machine; undefined when it is switched off. */
export function serviceUrl(name: string, environment: Environment): string | undefined {
  const named = environment[urlSetting(name)]?.trim() ?? '';
  if (named !== '') return named === 'none' ? undefined : named.replace(/\/+$/, '');
  const place = placesOf(parseSettings(platformSettings, environment), environment).find(
    (one) => one.name === name,
  );
  return place && placeUrl(place);
}

/** The environment with the addresses and tokens of the services of this installation filled in where they are unset. */
function withPeers(
  environment: Environment,
  places: readonly Place[],
  services: readonly string[],
): Environment {
  const peers = places.map((place) => [urlSetting(place.name), placeUrl(place)]);
  // In one process our own services know each other's tokens.
  const tokens = ['LLM', 'WEB', 'EMBEDDINGS', 'RERANKING', 'BRAIN', 'SPEECH'].flatMap((name) => {
    const first = environment[`${name}_API_TOKENS`]?.split(',')[0]?.trim() ?? '';
    return first === '' ? [] : [[`${name}_API_TOKEN`, first]];
  });
  const internal = internalToken(environment, services);
  const own = internal === undefined ? {} : { LLM_INTERNAL_TOKEN: internal, LLM_API_TOKEN: internal };
  const secret = gatewayToken(environment, services);
  const known = secret === undefined ? {} : { GATEWAY_INTERNAL_TOKEN: secret };
  return { ...Object.fromEntries([...peers, ...tokens]), ...own, ...environment, ...known };
}

/** A service that is going to run here, with its settings. */
interface Prepared {
  readonly place: Place;
  readonly service: AnyService;
  readonly settings: unknown;
}

/** The problems that a reader of settings finds, so that all are reported together. */
function problemsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

/** Throws one error with everything that is wrong with the settings of the process and of the services that it may start. */
async function refuseWrongSettings(environment: Environment): Promise<void> {
  const own = readSettings(platformSettings, environment);
  const usable = 'settings' in own ? own.settings : parseSettings(platformSettings, {});
  const ports = SERVICES.filter(([, load]) => load !== null).flatMap(([name], offset) =>
    problemsOf(() => portOf(name, usable.LIMPEDE_PORT + offset, environment)),
  );
  const known = placesOf(usable, {});
  const names = problemsOf(() => chosenPlaces(known, usable.LIMPEDE_SERVICES));
  const chosen = names.length > 0 ? known : chosenPlaces(known, usable.LIMPEDE_SERVICES);
  const services: string[] = [];
  await prepare(chosen, environment).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    services.push(...error.problems);
  });
  const all = new Set([...('problems' in own ? own.problems : []), ...ports, ...names, ...services]);
  if (all.size > 0) throw new SettingsError([...all]);
}

/** Every chosen service with its settings, or one error that lists all problems of all. */
async function prepare(places: readonly Place[], environment: Environment): Promise<Prepared[]> {
  const problems: string[] = [];
  const prepared: Prepared[] = [];
  const services = await Promise.all(places.map(async (place) => ({ place, service: await place.load() })));
  for (const { place, service } of services) {
    const result = readSettings(service.settings, environment);
    if ('problems' in result) problems.push(...result.problems);
    else {
      problems.push(...realmProblems(result.settings));
      prepared.push({ place, service, settings: result.settings });
    }
  }
  if (problems.length > 0) throw new SettingsError([...new Set(problems)]);
  return prepared;
}

/** Opens the port of a service; a port in use becomes an error that says so. */
async function listen({ name, host, port }: Place, app: BuiltService<object>['app']): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const setting = name === 'gateway' ? 'LIMPEDE_PORT' : `${name.toUpperCase()}_PORT`;
    throw new SettingsError([`${setting}: another program listens on ${host}:${port} already`]);
  }
}

/** What the services of a process stand on. */
async function openEngines(
  prepared: readonly Prepared[],
  settings: z.infer<typeof platformSettings>,
  environment: Environment,
  { home, version, log }: Pick<Platform, 'home' | 'version' | 'log'>,
) {
  const { DATABASE_URL, REDIS_URL, REDIS_PREFIX } = settings;
  const endTracing = await startTracing(settings, version, log);
  const database = lazyDatabase(DATABASE_URL, home, log);
  const redis = REDIS_URL === undefined ? undefined : connectRedis(REDIS_URL, REDIS_PREFIX, log);
  const keepsData = DATABASE_URL !== undefined || prepared.some(({ service }) => service.keepsData === true);
  const configurations = await openProcessConfigurations(
    { database: keepsData ? database.open : undefined, dashboard: environment.DASHBOARD_URL?.trim() },
    log,
  );
  const close = async () => {
    await configurations.close();
    await Promise.all([database.close(), redis?.close(), endTracing()]);
  };
  const shared = { database: database.open, redis, configuration: configurations.of };
  return { name: 'database', shared, engine: database.engine, close };
}

/** A service that was built, and where it listens. */
interface Started {
  readonly place: Place;
  readonly built: BuiltService<object>;
}

/** The passwords of the users that the identity service created at this start. */
function firstPasswordsOf(started: readonly Started[]): Readonly<Record<string, string>> {
  const identity = started.find(({ place }) => place.name === 'identity')?.built.needs;
  return (identity as { firstPasswords?: Record<string, string> } | undefined)?.firstPasswords ?? {};
}

const LOOPBACK = /^(?:127\.|localhost$|::1$|\[::1\]$)/;
/** Keys of providers that all callers of a service without tokens could use. */
const KEYS = { llm: /^LLM_(CLOUD|GPU)_API_KEY$/, web: /^WEB_[A-Z]+_API_KEY$/ } as const;

/** What an operator should know before strangers do. */
export function warningsOf(
  environment: Environment,
  services: readonly { readonly name: string; readonly host: string }[],
): string[] {
  const isSet = (name: string) => (environment[name]?.trim() ?? '') !== '';
  return Object.entries(KEYS).flatMap(([name, keys]) => {
    const place = services.find((service) => service.name === name);
    const tokens = `${name.toUpperCase()}_API_TOKENS`;
    if (place === undefined || LOOPBACK.test(place.host) || isSet(tokens)) return [];
    return Object.keys(environment)
      .filter((key) => keys.test(key) && isSet(key))
      .map((key) => `Anybody who reaches ${place.host} can use ${key}, because ${tokens} is not set.`);
  });
}

/** Starts the chosen services in this process, the gateway last, so that what it answers for is there. */
export async function startPlatform(environment: Environment): Promise<Running> {
  await refuseWrongSettings(environment);
  const own = parseSettings(platformSettings, environment);
  const places = placesOf(own, environment);
  const chosen = chosenPlaces(places, own.LIMPEDE_SERVICES);
  const names = chosen.map(({ name }) => name);
  const publicUrl = publicUrlOf(own, environment);
  const complete = withPeers({ ...environment, LIMPEDE_PUBLIC_URL: publicUrl }, places, names);
  const prepared = await prepare(chosen, complete);
  const home = resolve(own.LIMPEDE_HOME);
  prepareHome(home);
  const log = createLog({ level: own.LIMPEDE_LOG_LEVEL, name: 'limpede' });
  const version = packageVersion();
  const engines = await openEngines(prepared, own, complete, { home, version, log });
  const platform: Platform = {
    home,
    version,
    publicUrl,
    hostPolicy: hostPolicyFrom(complete, publicUrl, serviceNames()),
    log,
    metrics: createMetrics(),
    ...engines.shared,
  };
  const started: Started[] = [];

  const stop = async () => {
    const services = started.map(({ place, built }) => ({ name: place.name, close: built.close })).reverse();
    const limits = { partLimitMs, limitMs: STOP_LIMIT_MS };
    const open = await closeInOrder(services, limits, log, engines);
    if (open.length === 0) return;
    // Nothing is lost by that: the next process takes the work up from what was stored.
    log.warn({ open }, 'the process ends before all work in it did');
    process.exit(0);
  };

  try {
    const building = prepared.reverse().map(async ({ place, service, settings }) => ({
      place,
      built: await buildService(service, settings, platform),
    }));
    const outcomes = await Promise.allSettled(building);
    started.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    for (const { place, built } of started) await listen(place, built.app);
    for (const { built } of started) await built.begin();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    publicUrl,
    home,
    services: chosen.map(({ name, host, port }) => ({ name, url: `http://${host}:${port}` })),
    firstPasswords: firstPasswordsOf(started),
    warnings: warningsOf(environment, chosen),
    database: await engines.engine(),
    stop,
  };
}
