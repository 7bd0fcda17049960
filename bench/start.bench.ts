// The start of the whole platform in one process, cold and warm, against an empty Node process in the same run, and its memory:
// after the start, after an analysis in each language (which loads the encoder), after reranking.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../src/cli/platform-access.ts';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

const ROUNDS = 3;
/** What a start leaves to do, such as the starter set, is done by then. */
const SETTLED_MS = 20_000;
const TEXTS = {
  en: 'They are HIDING the truth! Doctors admit that vaccines cause autism. Share before it is deleted!',
  ro: 'Ne ASCUND adevărul! Medicii recunosc că vaccinurile provoacă autism la copii. Dați mai departe!',
};

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
const rows: string[] = [];
const row = (...cells: string[]) => rows.push(`| ${cells.join(' | ')} |`);
const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
const mebibytes = (platform: BenchedPlatform) => platform.memory().now.toFixed(0);

/** Wall and CPU milliseconds of a Node process that does nothing. */
function emptyProcess(): { wall: number; cpu: number } {
  const at = performance.now();
  const said = execFileSync(process.execPath, ['-p', 'JSON.stringify(process.cpuUsage())'], {
    encoding: 'utf8',
  });
  const { user, system } = JSON.parse(said) as NodeJS.CpuUsage;
  return { wall: performance.now() - at, cpu: (user + system) / 1000 };
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

async function use(platform: BenchedPlatform, reranking: number): Promise<void> {
  const authorization = `Bearer ${platform.token}`;
  for (const [language, text] of Object.entries(TEXTS)) {
    const body = { media_type: 'text', text };
    await post(`${platform.url}/agent-v3/api/v3/pipeline/analyze`, body, { authorization });
    row(`after an analysis in ${language}`, '', seconds(platform.cpuMs()), mebibytes(platform));
  }
  const query = { query: 'preț', documents: ['prețul pâinii a crescut', 'bread became dearer'] };
  await post(`http://127.0.0.1:${reranking}/v1/rerank`, query);
  row('after reranking', '', seconds(platform.cpuMs()), mebibytes(platform));
}

const home = mkdtempSync(join(tmpdir(), 'limpede-bench-start-'));
const load = loadavg()
  .map((one) => one.toFixed(1))
  .join(' ');
const empty = Array.from({ length: ROUNDS }, emptyProcess);
const floor = { wall: median(empty.map(({ wall }) => wall)), cpu: median(empty.map(({ cpu }) => cpu)) };
row('an empty Node process', seconds(floor.wall), seconds(floor.cpu), '');

const first = await startPlatformProcess({}, home);
row('first start', seconds(first.readyMs), seconds(first.cpuMs()), mebibytes(first));
await pause(SETTLED_MS);
row('first start, settled', '', seconds(first.cpuMs()), mebibytes(first));
await first.stop();

const warm: { wall: number; cpu: number }[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const reranking = await freePort();
  const platform = await startPlatformProcess({ RERANKING_PORT: String(reranking) }, home);
  warm.push({ wall: platform.readyMs, cpu: platform.cpuMs() });
  if (round === ROUNDS - 1) {
    row('last warm start', seconds(platform.readyMs), seconds(platform.cpuMs()), mebibytes(platform));
    await pause(SETTLED_MS);
    row('idle after it', '', seconds(platform.cpuMs()), mebibytes(platform));
    await use(platform, reranking);
  }
  await platform.stop();
}
rmSync(home, { recursive: true, force: true });

const [wall, cpu] = [median(warm.map((one) => one.wall)), median(warm.map((one) => one.cpu))];
console.log(`Load of the machine ${load}.\n\n| | s on the clock | CPU s | MiB resident |\n|---|--:|--:|--:|`);
console.log(rows.join('\n'));
console.log(
  `\nWarm start, median of ${ROUNDS}: ${seconds(wall)} s, ${seconds(cpu)} s of CPU; ${(wall / floor.wall).toFixed(0)} and ${(cpu / floor.cpu).toFixed(0)} times an empty Node process.`,
);
