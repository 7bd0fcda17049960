// The gateway against direct calls, a bare proxy of Node and @fastify/http-proxy, taken in turn in one run: what it adds to a
// request, and CPU. The gateway checks a token, counts the caller and names the request; the others pass on.
// --rounds=N, --seconds=N, --only=NAME.
import { type ChildProcess, spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { freePort } from '../src/cli/platform-access.ts';
import { cpuOf, startPlatformProcess } from './platform.ts';

const HOST = '127.0.0.1';
const CALLERS = 10;
const WARM_CALLS = 2000;
const PATH = '/agent-v3/api/v3/pipeline/history';
const POST = '/agent-v3/api/v3/pipeline/analyze';
const option = (name: string, fallback: string) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const rounds = Number(option('rounds', '5'));
const seconds = Number(option('seconds', '1.5'));

interface Subject {
  readonly name: string;
  readonly pool: Pool;
  /** User and system time so far in milliseconds. */
  cpuMs(): number;
}

interface Turn {
  readonly median: number;
  readonly p99: number;
  readonly cpuUs: number;
  readonly rate: number;
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const open = await fetch(`http://${HOST}:${port}/`).then(
      () => true,
      () => false,
    );
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on ${port}`);
}

const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);
const median = (values: readonly number[]) => sorted(values)[values.length >> 1] ?? Number.NaN;

type Call = (subject: Subject) => Promise<void>;

function callsOf(token: string): readonly (readonly [name: string, call: Call])[] {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async ({ pool }: Subject, method: 'GET' | 'POST', body: string | null) => {
    const answer = await pool.request({ path: body === null ? PATH : POST, method, headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered with ${answer.statusCode}`);
  };
  const text = JSON.stringify({ media_type: 'text', text: 'A text of a thousand letters. '.repeat(34) });
  return [
    ['GET', (subject) => send(subject, 'GET', null)],
    ['POST of 1 KB', (subject) => send(subject, 'POST', text)],
  ];
}

async function turn(subject: Subject, call: Call): Promise<Turn> {
  const times: number[] = [];
  const cpu = subject.cpuMs();
  const started = performance.now();
  const end = started + seconds * 1000;
  const caller = async () => {
    while (performance.now() < end) {
      const at = performance.now();
      await call(subject);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const took = (performance.now() - started) / 1000;
  return {
    median: median(times),
    p99: sorted(times)[Math.floor(times.length * 0.99)] ?? Number.NaN,
    cpuUs: ((subject.cpuMs() - cpu) * 1000) / times.length,
    rate: times.length / took,
  };
}

function print(name: string, results: ReadonlyMap<string, readonly Turn[]>): void {
  const of = (subject: string, key: keyof Turn) =>
    median((results.get(subject) ?? []).map((one) => one[key]));
  const direct = of('direct', 'median');
  for (const subject of results.keys()) {
    const added = of(subject, 'median') - direct;
    const over = (peer: string) =>
      subject === 'Limpede' ? `${(of(subject, 'cpuUs') / of(peer, 'cpuUs')).toFixed(2)}x` : '';
    const cells = [
      of(subject, 'rate').toFixed(0),
      subject === 'direct' ? '' : added.toFixed(2),
      of(subject, 'p99').toFixed(1),
      of(subject, 'cpuUs').toFixed(0),
      over('bare'),
      over('http-proxy'),
    ];
    console.log(`| ${[name, subject, ...cells].join(' | ')} |`);
  }
}

const [upstreamPort, barePort, proxyPort] = [await freePort(), await freePort(), await freePort()];
const upstream = `http://${HOST}:${upstreamPort}`;
const parts = ['--import', 'tsx', join(import.meta.dirname, 'gateway-parts.ts')];
const start = (role: string, port: number): ChildProcess =>
  spawn(process.execPath, [...parts, role, String(port), upstream], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
const children = [start('upstream', upstreamPort), start('bare', barePort), start('http-proxy', proxyPort)];
// The gateway has a process of its own, as its peers have; the identity provider is asked for its keys once.
const shared = Object.fromEntries(
  await Promise.all(['GATEWAY_PORT', 'IDENTITY_PORT'].map(async (name) => [name, String(await freePort())])),
);
const identity = await startPlatformProcess({ ...shared, LIMPEDE_SERVICES: 'identity' });
const platform = await startPlatformProcess({
  ...shared,
  LIMPEDE_SERVICES: 'gateway',
  ANALYSIS_URL: upstream,
  DASHBOARD_URL: 'none',
});
try {
  for (const port of [upstreamPort, barePort, proxyPort]) await untilOpen(port);
  const child = (name: string, port: number, index: number): Subject => ({
    name,
    pool: new Pool(`http://${HOST}:${port}`, { connections: CALLERS }),
    cpuMs: () => cpuOf(children[index]?.pid ?? 0),
  });
  const own = new Pool(platform.url, { connections: CALLERS });
  const subjects = [
    child('direct', upstreamPort, 0),
    child('bare', barePort, 1),
    child('http-proxy', proxyPort, 2),
    { name: 'Limpede', pool: own, cpuMs: platform.cpuMs },
  ].filter(({ name }) => [name, 'all'].includes(option('only', 'all')));
  console.log(
    `Load of the machine ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}.\n`,
  );
  console.log(
    '| request | subject | requests/s | added p50 ms | p99 ms | CPU us a request | of bare | of http-proxy |',
  );
  console.log('|---|---|--:|--:|--:|--:|--:|--:|');
  for (const [name, call] of callsOf(await identity.tokenOf('ana'))) {
    for (const subject of subjects) for (let at = 0; at < WARM_CALLS; at++) await call(subject);
    const results = new Map<string, Turn[]>(subjects.map((subject) => [subject.name, []]));
    for (let round = 0; round < rounds; round++)
      for (const subject of subjects) results.get(subject.name)?.push(await turn(subject, call));
    print(name, results);
  }
  await Promise.all(subjects.map(({ pool }) => pool.destroy()));
} finally {
  await platform.stop();
  await identity.stop();
  for (const one of children) one.kill();
}
process.exit(0);
