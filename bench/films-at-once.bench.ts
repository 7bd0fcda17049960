// Four films of two users at once, as the platform analyses them: when each ends, and the memory of all processes together. --seconds=N.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bareFfmpeg, numberOption, row } from './media-parts.ts';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

const seconds = numberOption('seconds', 170);
const USERS = ['ana', 'dan'] as const;
const FILMS_EACH = 2;
const LOOK_MS = 250;
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
const home = mkdtempSync(join(tmpdir(), 'limpede-bench-films-at-once-'));

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** All processes that can be seen, with their parents. */
function processes(): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(text) ?? [];
      return [{ pid: Number(entry), parent: Number(rest.split(' ')[1]), name }];
    } catch {
      return [];
    }
  });
}

/** Memory in MiB; pages that several processes share are counted in parts. */
function memoryOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

interface Peak {
  all: number;
  platform: number;
  child: number;
  childName: string;
  children: number;
}

/** Samples a process and its descendants until it is stopped. */
async function watchMemory(root: number, signal: AbortSignal): Promise<Peak> {
  const peak: Peak = { all: 0, platform: 0, child: 0, childName: '', children: 0 };
  while (!signal.aborted) {
    const all = processes();
    const below = new Set([root]);
    for (const { pid, parent } of all.sort((one, two) => one.pid - two.pid))
      if (below.has(parent)) below.add(pid);
    let sum = 0;
    for (const { pid, name } of all.filter((one) => below.has(one.pid))) {
      const memory = memoryOf(pid);
      sum += memory;
      if (pid === root) peak.platform = Math.max(peak.platform, memory);
      else if (memory > peak.child) [peak.child, peak.childName] = [memory, name];
    }
    peak.all = Math.max(peak.all, sum);
    peak.children = Math.max(peak.children, below.size - 1);
    await wait(LOOK_MS);
  }
  return peak;
}

async function makeFilm(path: string, place: number): Promise<void> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=d=${seconds}:s=320x240:r=10`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=${300 + 20 * place}:d=${seconds}`];
  // A colour of its own, so that none is a copy of another.
  const look = [
    '-vf',
    `hue=h=${90 * place}`,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
  ];
  await bareFfmpeg([...picture, ...sound, ...look, '-c:a', 'aac', '-b:a', '64k', path]);
}

/** What one user does with a film: upload it, have it analysed, look until it ends. Answers the session. */
async function analysed({ url }: BenchedPlatform, token: string, path: string) {
  const root = `${url}/agent-v3/api/v3`;
  const authorization = `Bearer ${token}`;
  const ask = async (address: string, init: RequestInit = {}) => {
    const response = await fetch(root + address, { ...init, headers: { authorization, ...init.headers } });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
    return ((await response.json()) as { data: any }).data;
  };
  const body = new FormData();
  body.append('file', new Blob([readFileSync(path)]), 'a.mp4');
  const { media_url } = await ask('/media/upload', { method: 'POST', body });
  const headers = { 'content-type': 'application/json' };
  const order = JSON.stringify({ media_type: 'video', media_url });
  const { session_id: id } = await ask('/pipeline/analyze-async', { method: 'POST', headers, body: order });
  for (;;) {
    const { status } = await ask(`/pipeline/sessions/${id}/status`);
    if (ENDED.has(status)) break;
    await wait(1000);
  }
  return ask(`/pipeline/sessions/${id}`);
}

const films = await Promise.all(
  USERS.flatMap((user, index) =>
    Array.from({ length: FILMS_EACH }, async (_, each) => {
      const place = index * FILMS_EACH + each;
      const path = join(home, `film-${place}.mp4`);
      await makeFilm(path, place);
      return { user, path, place };
    }),
  ),
);
const platform = await startPlatformProcess({}, home);
const tokens = new Map<string, string>();
for (const user of USERS) tokens.set(user, await platform.tokenOf(user));
const end = new AbortController();
const watched = watchMemory(platform.pid, end.signal);
const started = performance.now();
row('ended after, s', 'user', 'status', 'left out');
row('--:', '---', '---', '---');
await Promise.all(
  films.map(async ({ user, path }) => {
    const session = await analysed(platform, tokens.get(user) ?? '', path);
    const after = ((performance.now() - started) / 1000).toFixed(0);
    const left =
      session.recording?.left_out.map(({ part }: { part: string }) => part).join(', ') || 'nothing';
    row(after, user, session.status, left);
  }),
);
end.abort();
const { all, platform: own, child, childName, children } = await watched;
console.log(
  `\nMiB at most: ${all.toFixed(0)} of all processes, ${own.toFixed(0)} of the platform, ${child.toFixed(0)} of one below it (${childName}); ` +
    `${children} below it at once; load ${loadavg()[0]?.toFixed(0)}`,
);
await platform.stop();
rmSync(home, { recursive: true });
