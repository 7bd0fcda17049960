import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/cli/platform-access.ts';
import { makeToken, type TokenOptions } from '../src/cli/token.ts';
import { packageFile } from '../src/foundation/files.ts';
import { serviceNames, startPlatform } from '../src/main.ts';
import { BRIEF_PROCESS } from './brief-process.ts';
import { fillHome, fillStartedHome } from './foundation/database/engines.ts';
import { PATIENCE_MS } from './patience.ts';
import { keepEngineThreads } from './services/analysis/engines/lasting-threads.ts';

/** Where a test's platform is to be: a folder and ports of its own, quiet, without live checks. */
export type Environment = Record<string, string>;

/** A file for each port that a test took lately: other processes must not take it before something listens there. */
const RESERVATIONS = { folder: join(tmpdir(), 'limpede-test-ports'), lastMs: 600_000 } as const;

function reserve(port: number): boolean {
  const file = join(RESERVATIONS.folder, String(port));
  mkdirSync(RESERVATIONS.folder, { recursive: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch {
    const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > RESERVATIONS.lastMs) rmSync(file, { force: true });
    return false;
  }
}

/** Ports that nothing listens on now, all different, and that no other test is given for some minutes. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (reserve(port)) ports.push(port);
  }
  return ports;
}

/** An environment for a platform that was started before, unless this is its first start, and what removes its folder. */
export async function createEnvironment(
  more: Environment = {},
  { firstStart = false }: { readonly firstStart?: boolean } = {},
): Promise<{ environment: Environment; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'limpede-platform-'));
  if (!firstStart) fillStartedHome(home, more.DATABASE_URL === undefined ? {} : { without: 'database' });
  else if (more.DATABASE_URL === undefined) fillHome(home);
  const names = serviceNames().map((name) => name.toUpperCase());
  const ports = await freePorts(names.length);
  const own = Object.fromEntries(names.map((name, index) => [`${name}_PORT`, String(ports[index])]));
  const environment = {
    LIMPEDE_HOME: home,
    LIMPEDE_LOG_LEVEL: 'silent',
    LIMPEDE_PUBLIC_URL: `http://127.0.0.1:${own.GATEWAY_PORT}`,
    DOMAIN_LIVE: 'false',
    ...own,
    ...more,
  };
  return { environment, remove: () => rm(home, { recursive: true, force: true }) };
}

/** An answer, with its body read as JSON when it is JSON. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** What is sent beside the path. */
interface Asked {
  readonly method?: string;
  readonly token?: string | undefined;
  /** A string or bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Straight to the analysis service instead of through the gateway. */
  readonly inside?: boolean;
}

/** Talks to a platform by its two addresses. */
export function talkTo(environment: Environment) {
  const outside = `${environment.LIMPEDE_PUBLIC_URL}/agent-v3`;
  const inside = `http://127.0.0.1:${environment.ANALYSIS_PORT}`;
  const token = (options: TokenOptions = {}) => makeToken(options, environment);

  const ask = async (path: string, asked: Asked = {}): Promise<Answered> => {
    const raw = typeof asked.body === 'string' || asked.body instanceof Uint8Array;
    const response = await fetch((asked.inside === true ? inside : outside) + path, {
      method: asked.method ?? (asked.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(asked.token !== undefined && { authorization: `Bearer ${asked.token}` }),
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(asked.body !== undefined && { body: raw ? (asked.body as string) : JSON.stringify(asked.body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    const body = json && text !== '' ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body };
  };

  /** Asks again until the session is final, and answers it. */
  const final = async (sessionId: string, who: string, patienceMs = PATIENCE_MS): Promise<Answered> => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const result = await ask(`/api/v3/pipeline/results/${sessionId}`, { token: who });
      if (result.status === 200 || Date.now() > end) return result;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  };
  return { outside, inside, token, ask, final };
}

/** The whole platform in this process. */
export async function runHere(more: Environment = {}) {
  const { environment, remove } = await createEnvironment(more);
  keepEngineThreads();
  const running = await startPlatform(environment);
  const stop = async () => {
    await running.stop();
    await remove();
  };
  return { environment, running, stop, ...talkTo(environment) };
}

/** A program of ours as a child process, with all that it wrote. */
export interface Program {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Starts `limpede` with nothing of this process's environment but what a program needs; `within` is a command that runs it. */
export function limpede(
  args: readonly string[],
  environment: Environment,
  within: readonly string[] = [],
): Program {
  const { PATH = '', TMPDIR = tmpdir() } = process.env;
  const ours = [process.execPath, ...BRIEF_PROCESS, packageFile('dist', 'limpede.js'), ...args];
  const [command = process.execPath, ...argumentList] = [...within, ...ours];
  const child = spawn(command, argumentList, {
    env: { PATH, TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    output.out += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    output.err += bytes.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, output, ended };
}

/** Starts the platform, or the named services, as a child process and waits until it says that it is ready. */
export async function runBeside(
  environment: Environment,
  services: readonly string[] = [],
  within: readonly string[] = [],
): Promise<Program> {
  const program = limpede(['up', ...services], environment, within);
  const ready = new Promise<void>((resolve) => {
    program.child.stdout?.on('data', () => {
      if (program.output.out.includes('Ctrl-C stops it')) resolve();
    });
  });
  const result = await Promise.race([ready.then(() => null), program.ended]);
  if (result !== null) throw new Error(`the platform ended with ${result}: ${program.output.err}`);
  return program;
}
