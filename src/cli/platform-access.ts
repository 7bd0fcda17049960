import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { type Api, PREFIX } from './api.ts';
import { givenToken, signedToken } from './own-token.ts';

/** A platform to ask, and how to end it if it was started for this call. */
export interface PlatformAccess extends Api {
  stop(): Promise<void>;
}

/** Longest wait to learn whether a platform runs, in milliseconds. */
const GREETING_MS = 1_000;

const environmentVariables = z.object({
  LIMPEDE_PORT: platformSettings.shape.LIMPEDE_PORT,
  LIMPEDE_PUBLIC_URL: platformSettings.shape.LIMPEDE_PUBLIC_URL,
});

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}${PREFIX}/api/v3/health`, {
      signal: AbortSignal.timeout(GREETING_MS),
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** Below the range from which systems take ports for outgoing connections, one of which could take a port away before it is used. */
const PORTS = { from: 20_000, to: 32_000 } as const;
/** Draws before giving up: so many ports that are taken mean that something else is wrong. */
const MOST_DRAWS = 1_000;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** So many ports, all different, that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let draw = 0; ports.size < count && draw < MOST_DRAWS; draw += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  if (ports.size < count)
    throw new Error(`No ${count} ports are free between ${PORTS.from} and ${PORTS.to}.`);
  return [...ports];
}

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Starts the platform for one call, on ports of its own and quietly. */
async function startQuietly(environment: Environment): Promise<Omit<PlatformAccess, 'agent'>> {
  // Loaded only when it is needed: asking a platform that runs takes a fraction of that.
  const { serviceNames, startPlatform } = await import('../main.ts');
  const names = serviceNames();
  const ports = await freePorts(names.length);
  const own: Environment = Object.fromEntries(
    names.map((name, at) => [`${name.toUpperCase()}_PORT`, String(ports[at])]),
  );
  const url = `http://127.0.0.1:${own.GATEWAY_PORT}`;
  const complete = { LIMPEDE_LOG_LEVEL: 'error', ...environment, ...own, LIMPEDE_PUBLIC_URL: url };
  const { stop } = await startPlatform(complete);
  return { url, ...(await signedToken(complete, {})), stop };
}

/** Finds the platform that runs, or starts one for this call. */
export async function openPlatform(
  environment: Environment,
  say: (line: string) => void,
): Promise<PlatformAccess> {
  const settings = parseSettings(environmentVariables, environment);
  const url = publicUrlOf(settings, environment);
  const agent = new Agent({ connections: 16 });
  if (await answers(url)) {
    const access = givenToken(environment) ?? (await signedToken(environment, {}));
    return { url, ...access, agent, stop: async () => agent.close() };
  }
  say(`nothing runs at ${url}: starting a platform for this call`);
  const started = await startQuietly(environment);
  return {
    ...started,
    agent,
    stop: async () => Promise.all([started.stop(), agent.close()]).then(() => undefined),
  };
}
