// The text-model gateway against direct calls, a bare proxy and Portkey, taken in turn in one run: ratios mean more than
// numbers of one machine. --no-portkey leaves the peer out; --kit=FOLDER runs a benchmark kit that lies there instead.
// With DATABASE_URL usage is kept on that PostgreSQL, else in an embedded database.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Pool } from 'undici';
import { freePort } from '../src/cli/platform-access.ts';
import { packageFile } from '../src/foundation/files.ts';
import { cpuOf } from './platform.ts';

const HOST = '127.0.0.1';
const TOKEN = 'bench';
/** Wide enough that no limit is met; the run measures cost. */
const LIMITS = {
  LLM_RATE_LIMIT_RPS: '1000000',
  LLM_RATE_LIMIT_BURST: '1000000',
  LLM_MAX_CONCURRENT_COMPLETIONS: '100000',
  LLM_API_TOKENS: TOKEN,
  LIMPEDE_LOG_LEVEL: 'error',
};
/** Calls that a subject makes before it is measured, so that its code is compiled. */
const WARM_CALLS = 3000;

function option(name: string, fallback: string): string {
  const found = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return found?.slice(name.length + 3) ?? fallback;
}

const rounds = Number(option('rounds', '3'));
const seconds = Number(option('seconds', '1.5'));

/** Runs a kit that lies elsewhere, from a copy that may be written to. */
function runKit(kit: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-llm-kit-'));
  try {
    cpSync(kit, folder, { recursive: true });
    spawnSync('chmod', ['-R', 'u+w', folder]);
    if (spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' }).status !== 0)
      return 1;
    const program = packageFile('dist', 'limpede.js');
    const database = process.env.DATABASE_URL;
    const environment = [
      'LLM_PORT={port}',
      'LLM_GPU_URL={upstream}/v1',
      `LIMPEDE_HOME=${join(folder, 'home')}`,
      ...(database === undefined ? ['LLM_USAGE=false'] : [`DATABASE_URL=${database}`]),
    ].flatMap((line) => ['--target-env', line]);
    const command = `exec ${process.execPath} ${program} up llm`;
    const times = ['--rounds', String(rounds), '--seconds', String(seconds)];
    const run = ['run.mjs', '--target-cmd', command, ...environment, ...times];
    return spawnSync(process.execPath, run, { cwd: folder, stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A party of the comparison. */
interface Subject {
  readonly name: 'direct' | 'bare' | 'portkey' | 'limpede';
  readonly pool: Pool;
  /** The headers that this party needs with each call. */
  readonly headers?: Record<string, string>;
  readonly pid: number | undefined;
}

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const open = await fetch(`http://${HOST}:${port}/health`).then(
      () => true,
      () => false,
    );
    if (open) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`nothing answers on port ${port}`);
}

/** User and system time of a process in milliseconds; of none it is no number. */
const cpuMs = (pid: number | undefined) => (pid === undefined ? Number.NaN : cpuOf(pid));

/** What one measurement found; times in milliseconds, `cpu` in microseconds a call. */
interface Measure {
  readonly rate: number;
  readonly median: number;
  readonly first: number;
  readonly cpu: number;
}

function medianOf(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function call({ pool, headers: own }: Subject, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...own };
  const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body });
  let first = 0;
  for await (const _ of answer.body) first ||= performance.now();
  if (answer.statusCode !== 200) throw new Error(`a call was answered ${answer.statusCode}`);
  return first;
}

async function measure(subject: Subject, body: string, callers: number): Promise<Measure> {
  const times: number[] = [];
  const firsts: number[] = [];
  const before = cpuMs(subject.pid);
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const caller = async () => {
    while (performance.now() < end) {
      const at = performance.now();
      firsts.push((await call(subject, body)) - at);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const took = (performance.now() - begun) / 1000;
  const cpu = ((cpuMs(subject.pid) - before) * 1000) / times.length;
  return { rate: times.length / took, median: medianOf(times), first: medianOf(firsts), cpu };
}

const messages = (bytes: number) => [{ role: 'user', content: 'Say hello. '.repeat(bytes / 11) }];
const SCENARIOS: [name: string, body: string, callers: number][] = [
  ['plain, 10 callers', JSON.stringify({ model: 'bench', temperature: 0.2, messages: messages(60) }), 10],
  ['plain, 100 callers', JSON.stringify({ model: 'bench', temperature: 0.2, messages: messages(60) }), 100],
  ['plain, 32 KiB', JSON.stringify({ model: 'bench', temperature: 0.2, messages: messages(32_768) }), 10],
  ['stream, 10 ms apart', JSON.stringify({ model: 'bench', stream: true, messages: messages(60) }), 10],
];

function print(name: string, results: Map<string, Measure[]>): void {
  const pick = (subject: string, key: keyof Measure) =>
    medianOf((results.get(subject) ?? []).map((one) => one[key]));
  const cell = (subject: string, key: keyof Measure) => pick(subject, key).toFixed(key === 'rate' ? 0 : 2);
  const ratio = (key: keyof Measure, peer: string) =>
    results.has(peer) ? `${(pick('limpede', key) / pick(peer, key)).toFixed(2)}x` : '';
  const words: [keyof Measure, string][] = [
    ['rate', 'calls/s'],
    ['median', 'p50 ms'],
    ['first', 'first byte p50 ms'],
    ['cpu', 'cpu us/call'],
  ];
  for (const [key, word] of words) {
    const values = [...results.keys()].map((subject) => cell(subject, key));
    console.log(`| ${[name, word, ...values, ratio(key, 'bare'), ratio(key, 'portkey')].join(' | ')} |`);
  }
}

/** Installs the peer in its own folder, once; undefined when it is not wanted or cannot be had. */
function portkeyProgram(): string | undefined {
  if (process.argv.includes('--no-portkey')) return undefined;
  const folder = join(import.meta.dirname, 'portkey');
  const program = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
  if (existsSync(program)) return program;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return program;
  console.error('Portkey could not be installed: it is left out of this run.');
  return undefined;
}

function startPortkey(program: string, port: number): ChildProcess {
  const here = join(import.meta.dirname, 'portkey', 'loopback.mjs');
  return start(['--import', here, program, `--port=${port}`, '--headless'], { NODE_ENV: 'production' });
}

async function compare(): Promise<void> {
  const [upstreamPort, barePort, ownPort, peerPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const upstream = `http://${HOST}:${upstreamPort}`;
  const parts = ['--import', 'tsx', join(import.meta.dirname, 'llm-parts.ts')];
  const home = mkdtempSync(join(tmpdir(), 'limpede-llm-bench-'));
  const environment = { ...LIMITS, LLM_PORT: String(ownPort), LLM_GPU_URL: upstream, LIMPEDE_HOME: home };
  const program = portkeyProgram();
  const children = [
    start([...parts, 'upstream', String(upstreamPort)]),
    start([...parts, 'bare', String(barePort), upstream]),
    start([packageFile('dist', 'limpede.js'), 'up', 'llm'], environment),
    ...(program === undefined ? [] : [startPortkey(program, peerPort)]),
  ];
  try {
    for (const port of [upstreamPort, barePort, ownPort]) await untilOpen(port);
    if (program !== undefined) await untilOpen(peerPort);
    const subjects: Subject[] = [
      { name: 'direct', pool: new Pool(upstream), pid: children[0]?.pid },
      { name: 'bare', pool: new Pool(`http://${HOST}:${barePort}`), pid: children[1]?.pid },
      ...(program === undefined
        ? []
        : [
            {
              name: 'portkey' as const,
              pool: new Pool(`http://${HOST}:${peerPort}`),
              pid: children[3]?.pid,
              headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` },
            },
          ]),
      { name: 'limpede', pool: new Pool(`http://${HOST}:${ownPort}`), pid: children[2]?.pid },
    ];
    const [, warm] = SCENARIOS[0] ?? ['', ''];
    for (const subject of subjects) for (let at = 0; at < WARM_CALLS; at++) await call(subject, warm);
    const columns = ['scenario', 'metric', ...subjects.map(({ name }) => name), 'of bare', 'of portkey'];
    console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`);
    for (const [name, body, callers] of SCENARIOS) {
      const results = new Map<string, Measure[]>(subjects.map((subject) => [subject.name, []]));
      for (let round = 0; round < rounds; round++)
        for (const subject of subjects)
          results.get(subject.name)?.push(await measure(subject, body, callers));
      print(name, results);
    }
    await Promise.all(subjects.map(({ pool }) => pool.destroy()));
  } finally {
    for (const child of children) child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

const kit = option('kit', '');
if (kit !== '') process.exitCode = runKit(resolve(kit));
else await compare();
