import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

/**
 * Analyses a second and latency of whole analyses through the gateway, against a floor in the same run: the same
 * server, gateway and token check answering a constant (the root operation). Turns are interleaved, medians are shown.
 */
const ROUNDS = 5;
const TURN_MS = 1500;
const CONCURRENCY = 4;
const LENGTHS = [1000, 5000, 20_000, 50_000];

const SENTENCES = [
  'The council voted on Tuesday to repair 14 bridges before winter, the mayor said at a press conference.',
  'Prices rose by 3.2 percent in October compared with the year before, according to the statistics office.',
  'They are LYING to you, and everyone who still believes this corrupt regime is a traitor to our children!',
  'Doctors at the county hospital treated 212 patients last month, 8 percent fewer than in September.',
  'Share this before it is deleted, because the media will never show you what really happened there!',
  'The new line will connect the station with the university in 17 minutes, the operator announced.',
];

/** A text of about so many characters; `seed` makes each different, so that nothing can be remembered. */
function textOf(length: number, seed: number): string {
  let text = `Report number ${seed}. `;
  for (let index = seed; text.length < length; index++) text += `${SENTENCES[index % SENTENCES.length]} `;
  return text.slice(0, length);
}

interface Turn {
  done: number;
  seconds: number;
  latencies: number[];
  cpuMs: number;
}

const quantile = (values: number[], share: number) =>
  [...values].sort((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  0;
const median = (values: number[]) => quantile(values, 0.5);

/** Calls as fast as answers come, on a few connections. */
async function turn(platform: BenchedPlatform, call: () => Promise<void>, workers: number): Promise<Turn> {
  const latencies: number[] = [];
  const cpuBefore = platform.cpuMs();
  const started = performance.now();
  const end = started + TURN_MS;
  const worker = async () => {
    while (performance.now() < end) {
      const at = performance.now();
      await call();
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  const seconds = (performance.now() - started) / 1000;
  return { done: latencies.length, seconds, latencies, cpuMs: platform.cpuMs() - cpuBefore };
}

function callers(platform: BenchedPlatform, agent: Agent) {
  let seed = 0;
  const headers = { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' };
  const analyze = (length: number) => async () => {
    const body = JSON.stringify({ media_type: 'text', text: textOf(length, seed++) });
    const { statusCode, body: answer } = await request(`${platform.url}/agent-v3/api/v3/pipeline/analyze`, {
      method: 'POST',
      dispatcher: agent,
      headers,
      body,
    });
    const { data } = (await answer.json()) as { data: { status: string } };
    if (statusCode !== 200 || data.status !== 'completed')
      throw new Error(`${statusCode} ${JSON.stringify(data)}`);
  };
  const constant = async () => {
    const { body } = await request(`${platform.url}/agent-v3/`, { dispatcher: agent, headers });
    await body.dump();
  };
  return { analyze, constant };
}

async function measure(platform: BenchedPlatform): Promise<void> {
  const agent = new Agent({ connections: CONCURRENCY });
  const { analyze, constant } = callers(platform, agent);
  const subjects = [
    { name: 'floor: a constant', call: constant, length: 0 },
    ...LENGTHS.map((length) => ({ name: `${length} characters`, call: analyze(length), length })),
  ];
  for (const { call } of subjects) for (let warm = 0; warm < 8; warm++) await call();
  const turns = new Map<string, Turn[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, call } of subjects) turns.get(name)?.push(await turn(platform, call, CONCURRENCY));
  }
  const floor = median((turns.get('floor: a constant') ?? []).map((one) => one.cpuMs / one.done));
  console.log(
    '| subject | per second | p50 ms | p95 ms | CPU ms each | CPU / floor | CPU ms per 1000 characters |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const { name, length } of subjects) {
    const all = turns.get(name) ?? [];
    const cpu = median(all.map((one) => one.cpuMs / one.done));
    const perThousand = length === 0 ? '' : (((cpu - floor) / length) * 1000).toFixed(2);
    const latencies = all.flatMap((one) => one.latencies);
    const rate = median(all.map((one) => one.done / one.seconds));
    console.log(
      `| ${name} | ${rate.toFixed(1)} | ${median(latencies).toFixed(1)} | ${quantile(latencies, 0.95).toFixed(1)} | ${cpu.toFixed(2)} | ${(cpu / floor).toFixed(1)} | ${perThousand} |`,
    );
  }
  await agent.close();
}

const home = mkdtempSync(join(tmpdir(), 'limpede-bench-'));
const first = await startPlatformProcess({}, home);
await first.stop();
const platform = await startPlatformProcess({}, home);
try {
  const idle = platform.memory();
  await measure(platform);
  const { now, peak } = platform.memory();
  console.log(`\nStart: first ${Math.round(first.readyMs)} ms, warm ${Math.round(platform.readyMs)} ms.`);
  console.log(
    `Memory: ${Math.round(idle.now)} MiB idle, ${Math.round(now)} MiB after the run, ${Math.round(peak)} MiB at most.`,
  );
} finally {
  await platform.stop();
  rmSync(home, { recursive: true, force: true });
}
