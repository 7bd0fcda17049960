import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/cli/platform-access.ts';
import { packageFile } from '../src/foundation/files.ts';
import { serviceNames } from '../src/main.ts';

/** A platform in a process of its own, as users start it. */
export interface BenchedPlatform {
  readonly url: string;
  /** A token of the usual user; empty where only some services run. */
  readonly token: string;
  /** A token of another user. */
  tokenOf(user: string): Promise<string>;
  /** A token of an administrator. */
  adminToken(): Promise<string>;
  /** From the start of the process until it said that it is ready, in milliseconds. */
  readonly readyMs: number;
  readonly home: string;
  readonly pid: number;
  /** User and system time of the process so far, in milliseconds. */
  cpuMs(): number;
  /** The same of the processes that it started and that have ended: decoders, for the most part. */
  childrenCpuMs(): number;
  /** Resident memory now, and the most so far, in MiB. */
  memory(): { now: number; peak: number };
  stop(): Promise<void>;
}

/** Ticks of /proc a second; 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Two neighbouring times of a process, in milliseconds, from /proc. */
function timesOf(pid: number, first: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[first]) + Number(fields[first + 1])) / TICKS) * 1000;
}

/** User and system time of a process so far, in milliseconds. */
export const cpuOf = (pid: number): number => timesOf(pid, 11);

/** The same of its children that have ended. */
const childrenCpuOf = (pid: number): number => timesOf(pid, 13);

function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes('is ready at')) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the platform ended with ${code}:\n${said}`)));
  });
}

function run(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [packageFile('dist', 'limpede.js'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    child.once('exit', () => resolve(said.trim()));
  });
}

/** Starts a platform with limits raised and live network checks off; `home` keeps its data for a second start. */
export async function startPlatformProcess(
  settings: Record<string, string> = {},
  home?: string,
): Promise<BenchedPlatform> {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'limpede-bench-'));
  const ports = Object.fromEntries(
    await Promise.all(
      serviceNames().map(async (name) => [`${name.toUpperCase()}_PORT`, String(await freePort())]),
    ),
  );
  const url = `http://127.0.0.1:${settings.GATEWAY_PORT ?? ports.GATEWAY_PORT}`;
  const env = {
    ...process.env,
    ...ports,
    LIMPEDE_HOME: folder,
    LIMPEDE_PUBLIC_URL: url,
    LIMPEDE_LOG_LEVEL: 'error',
    DOMAIN_LIVE: 'false',
    GATEWAY_RATE_LIMIT_RPS: '100000',
    GATEWAY_RATE_LIMIT_BURST: '100000',
    ...settings,
  };
  const started = performance.now();
  const child = spawn(process.execPath, [packageFile('dist', 'limpede.js'), 'up'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await untilReady(child);
  const readyMs = performance.now() - started;
  const pid = child.pid ?? 0;
  const token = settings.LIMPEDE_SERVICES === undefined ? await run(['token'], env) : '';
  return {
    url,
    token,
    adminToken: () => run(['token', '--realm', 'admins', '--role', 'admin'], env),
    tokenOf: (user) => run(['token', '--user', user], env),
    readyMs,
    home: folder,
    pid,
    cpuMs: () => cpuOf(pid),
    childrenCpuMs: () => childrenCpuOf(pid),
    memory: () => memoryOf(pid),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          if (home === undefined) rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        child.kill('SIGTERM');
      }),
  };
}
