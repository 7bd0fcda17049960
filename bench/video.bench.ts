// Sixteen frames of a film of 180 s against bare ffmpeg over the same film, and a whole request to the video service by stage, whose vision
// server answers at once. Wall times in turns: what runs in the sandbox hides its processor time. --seconds=N, --rounds=N, --film=N.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/cli/platform-access.ts';
import { chooseFrames, midpoints } from '../src/media/recording/timeline.ts';
import { openFilm } from '../src/services/video/films.ts';
import { bareFfmpeg, costOf, median, numberOption, row } from './media-parts.ts';
import { startPlatformProcess } from './platform.ts';

const seconds = numberOption('seconds', 180);
const rounds = numberOption('rounds', 3);
/** One of the films alone, by its place; all when negative. */
const only = numberOption('film', -1);
const FRAMES = 16;
const LONGEST_SIDE = 512;
const home = mkdtempSync(join(tmpdir(), 'limpede-bench-video-'));
const signal = new AbortController().signal;

/** Films: size, and seconds between two frames that can be decoded alone. */
const FILMS = [
  { name: '1080p, a key frame every 2 s', size: '1920x1080', every: 2 },
  { name: '720p, a key frame every 8 s', size: '1280x720', every: 8 },
];

async function make({ size, every }: (typeof FILMS)[number], path: string): Promise<void> {
  const source = ['-f', 'lavfi', '-i', `testsrc2=d=${seconds}:s=${size}:r=25`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=300:d=${seconds}`];
  const keys = ['-g', String(every * 25), '-keyint_min', String(every * 25), '-sc_threshold', '0'];
  await bareFfmpeg([
    ...[...source, ...sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '28', ...keys],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '64k', path],
  ]);
}

/** What the service does for its sixteen frames. */
async function sixteen(path: string): Promise<number> {
  const film = await openFilm(path, { mostSeconds: seconds, decodeTimeoutMs: 600_000 }, signal);
  const chosen = chooseFrames(film.timeline, midpoints(FRAMES, 0, film.timeline.durationSec));
  return (await film.frames(chosen, LONGEST_SIDE, signal)).length;
}

const decoded = (path: string, ...before: string[]) => [
  ...['-threads', '1', ...before, '-i', path, '-map', '0:V:0', '-vf', `scale=${LONGEST_SIDE}:-2`],
  ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '/dev/null'],
];

async function frames(path: string, name: string): Promise<void> {
  const costs: Record<string, number[]> = { ours: [], keys: [] };
  for (let round = 0; round < rounds; round++) {
    const ours = await costOf(() => sixteen(path));
    if (ours.result !== FRAMES) throw new Error(`${ours.result} frames`);
    costs.ours?.push(ours.cost.wallMs);
    costs.keys?.push((await costOf(() => bareFfmpeg(decoded(path, '-skip_frame', 'nokey')))).cost.wallMs);
  }
  const all = (await costOf(() => bareFfmpeg(decoded(path)))).cost.wallMs;
  const [mine, floor] = [median(costs.ours ?? []), median(costs.keys ?? [])];
  row(name, mine.toFixed(0), floor.toFixed(0), (mine / floor).toFixed(2), (all / mine).toFixed(1));
}

/** A vision server that answers at once that nothing is odd. */
async function startVision() {
  const content = JSON.stringify({ score: 0.1, reasons: [], frames: [], visible_text: '' });
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    response.setHeader('content-type', 'application/json');
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const body = request.url?.endsWith('/models')
      ? { object: 'list', data: [{ id: 'at-once' }] }
      : { model: 'at-once', choices: [{ message: { content } }], usage };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

interface Answer {
  readonly latency_s: Record<string, number>;
}

async function wholeRequest(path: string): Promise<void> {
  const vision = await startVision();
  const port = String(await freePort());
  const platform = await startPlatformProcess({
    LIMPEDE_SERVICES: 'video,extractors',
    VIDEO_PORT: port,
    VISION_URL: vision.url,
    LLM_URL: 'none',
    VIDEO_MAX_FILE_BYTES: String(2 ** 31),
    VIDEO_DECODE_TIMEOUT_MS: '600000',
  });
  const ask = async (): Promise<{ wall: number; answer: Answer }> => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(readFileSync(path))]), 'film.mp4');
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/analyze/video`, { method: 'POST', body });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return { answer: (await response.json()) as Answer, wall: performance.now() - started };
  };
  try {
    await ask();
    const { answer, wall } = await ask();
    const stages = Object.entries(answer.latency_s).map(([stage, took]) => [stage, took * 1000] as const);
    const rest = wall - stages.reduce((sum, [, took]) => sum + took, 0);
    console.log('\nA whole request of `/analyze/video` by stage, the vision server answering at once.\n');
    row('stage', 'ms');
    row('---', '--:');
    for (const [stage, took] of stages) row(stage, took.toFixed(0));
    row('receiving, header, packets, history', rest.toFixed(0));
    row('whole', wall.toFixed(0));
    const { now, peak } = platform.memory();
    console.log(`\nResident memory of the process: ${now.toFixed(0)} MiB, ${peak.toFixed(0)} MiB at most.`);
  } finally {
    await platform.stop();
    vision.close();
  }
}

console.log(
  `Load of the machine ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}.\n`,
);
try {
  row('film', 'ours, ms', 'all key frames by bare ffmpeg, ms', 'ratio', 'decoding all / ours');
  row('---', '--:', '--:', '--:', '--:');
  for (const [index, film] of FILMS.entries()) {
    if (only >= 0 && only !== index) continue;
    const path = join(home, `${index}.mp4`);
    await make(film, path);
    await frames(path, film.name);
  }
  await wholeRequest(join(home, `${only < 0 ? 1 : only}.mp4`));
} finally {
  rmSync(home, { recursive: true });
}
