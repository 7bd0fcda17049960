import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../src/cli/platform-access.ts';
import { packageFile } from '../src/foundation/files.ts';
import { startPlatformProcess } from './platform.ts';

/**
 * The catalogue with all services, and how long a change of staff takes until a second process uses it: notified by the database
 * (BENCH_POSTGRES, a postgres:// address of an empty database) or, without one, asked of the dashboard. Beside the catalogue
 * stands its lower bound: one health request to one service in the same run.
 */
const LOOKS = 15;
const CALLERS = 100;
const CHANGES = 10;
/** Longer than the catalogue caches its answer. */
const STALE_MS = 2_100;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  0;
const shown = (values: readonly number[]) =>
  `median ${quantile(values, 0.5).toFixed(1)} ms, slowest ${Math.max(...values).toFixed(1)} ms`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const at = performance.now();
  await work();
  return performance.now() - at;
}

const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
const limitAt = async (url: string) => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: chat,
  });
  await answer.text();
  return answer.headers.get('ratelimit-limit');
};

/** The text-model gateway in a process of its own. */
async function startSecond(environment: Record<string, string>) {
  const port = String(await freePort());
  const child = spawn(process.execPath, [packageFile('dist', 'limpede.js'), 'up', 'llm'], {
    env: {
      ...process.env,
      ...environment,
      LLM_PORT: port,
      LLM_RATE_LIMIT_RPS: '100000',
      LIMPEDE_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Asks the platform as staff. */
type Ask = (path: string, init?: RequestInit) => Promise<{ readonly data: { services: unknown[] } }>;

/** How long the catalogue takes for a new look, and for many callers at once. */
async function measureCatalogue(ask: Ask, dashboard: string): Promise<void> {
  const looks: number[] = [];
  const floors: number[] = [];
  let services = 0;
  for (let round = 0; round < LOOKS; round += 1) {
    await pause(STALE_MS);
    looks.push(
      await timed(async () => {
        services = (await ask('/catalogue/v1/status')).data.services.length;
      }),
    );
    floors.push(
      await timed(() => fetch(`http://127.0.0.1:${dashboard}/health`).then((answer) => answer.text())),
    );
  }
  await pause(STALE_MS);
  const crowd = await timed(() =>
    Promise.all(Array.from({ length: CALLERS }, () => ask('/catalogue/v1/status'))),
  );
  console.log(`catalogue, ${services} services, a new look: ${shown(looks)}`);
  console.log(
    `floor, the health of one service: ${shown(floors)}; ratio ${(quantile(looks, 0.5) / quantile(floors, 0.5)).toFixed(1)}`,
  );
  console.log(`catalogue, ${CALLERS} callers at once after that: ${crowd.toFixed(0)} ms for all`);
}

/** How long a change takes until a second process goes by it. */
async function measureChanges(ask: Ask, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let change = 1; change <= CHANGES; change += 1) {
    const value = 1_000 + change;
    await ask('/dashboard/api/config/llm.rate_limit_burst', {
      method: 'PUT',
      body: JSON.stringify({ value }),
    });
    times.push(
      await timed(async () => {
        while ((await limitAt(url)) !== String(value)) await pause(2);
      }),
    );
  }
  return times;
}

async function main() {
  const postgres = process.env.BENCH_POSTGRES;
  const shared: Record<string, string> = postgres === undefined ? {} : { DATABASE_URL: postgres };
  const dashboard = String(await freePort());
  const platform = await startPlatformProcess({ ...shared, DASHBOARD_PORT: dashboard });
  const home = mkdtempSync(join(tmpdir(), 'limpede-bench-second-'));
  const second = await startSecond({
    ...shared,
    LIMPEDE_HOME: home,
    DASHBOARD_URL: `http://127.0.0.1:${dashboard}`,
  });
  const admin = await platform.adminToken();
  const ask: Ask = async (path, init = {}) => {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const answer = await fetch(`${platform.url}/agent-v3${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json() as ReturnType<Ask>;
  };

  await measureCatalogue(ask, dashboard);
  const times = await measureChanges(ask, second.url);
  const way = postgres === undefined ? 'asked of the dashboard' : 'told by PostgreSQL';
  console.log(`a change until a second process goes by it, ${way}: ${shown(times)}`);
  await second.stop();
  await platform.stop();
  rmSync(home, { recursive: true, force: true });
}

await main();
