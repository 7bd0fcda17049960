// What the analysis service costs beside analyses: the deep health with everything well and with a dependency that never
// answers, and the memory of a thousand listeners of events. --listeners=N.
import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { request } from 'undici';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

const listeners = Number(
  process.argv.find((word) => word.startsWith('--listeners='))?.slice('--listeners='.length) ?? '1000',
);
const LOOKS = 60;
const SESSIONS = 10;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function deepHealth(platform: BenchedPlatform, looks: number): Promise<string> {
  const times: number[] = [];
  const headers = { authorization: `Bearer ${platform.token}` };
  for (let look = 0; look < looks; look++) {
    const at = performance.now();
    const answer = await request(`${platform.url}/agent-v3/api/v3/health/all`, { headers });
    await answer.body.dump();
    times.push(performance.now() - at);
  }
  const cells = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(0));
  return cells.join(' | ');
}

/** A server that takes connections and says nothing. */
async function startSilence() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url, close };
}

async function accept({ url, token }: BenchedPlatform): Promise<string> {
  const { body } = await request(`${url}/agent-v3/api/v3/pipeline/analyze-async`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ media_type: 'text', text: 'A text that is long enough to be analysed.' }),
  });
  return ((await body.json()) as { data: { session_id: string } }).data.session_id;
}

/** Opens a listener; resolves when its first event has come. */
function listen({ url, token }: BenchedPlatform, sessionId: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const address = `${url}/agent-v3/api/v3/pipeline/sessions/${sessionId}/events`;
    const opened = get(
      address,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          if (text.includes('session.status')) resolve(opened);
        });
        response.on('error', () => undefined);
      },
    );
    opened.on('error', reject);
  });
}

async function measureListeners(platform: BenchedPlatform): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => accept(platform)));
  await pause(2000);
  const before = platform.memory().now;
  const open: ClientRequest[] = [];
  for (let index = 0; index < listeners; index += 50) {
    const some = Array.from({ length: 50 }, (_, at) =>
      listen(platform, sessions[(index + at) % SESSIONS] ?? ''),
    );
    open.push(...(await Promise.all(some)));
  }
  await pause(2000);
  const during = platform.memory().now;
  const cpu = platform.cpuMs();
  await pause(10_000);
  const share = (platform.cpuMs() - cpu) / 10_000;
  for (const one of open) {
    one.on('error', () => undefined);
    one.destroy();
  }
  await pause(5000);
  const after = platform.memory().now;
  const each = ((during - before) * 1024) / listeners;
  console.log(
    `\n${listeners} listeners of ${SESSIONS} sessions: ${before.toFixed(0)} -> ${during.toFixed(0)} MiB (${each.toFixed(0)} KiB each, gateway and service together), ${(share * 100).toFixed(1)} % of a core while nothing happens, ${after.toFixed(0)} MiB after they left.`,
  );
}

const silence = await startSilence();
const well = await startPlatformProcess({ ANALYSIS_ROLE: 'api', GATEWAY_STREAMS_PER_CALLER: '100000' });
const hindered = await startPlatformProcess({ DOMAIN_CHECK_URL: silence.url, LLM_URL: silence.url });
try {
  console.log(
    `Load of the machine ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}.\n`,
  );
  console.log('| deep health | p50 ms | p95 ms | most ms |\n|---|--:|--:|--:|');
  console.log(`| everything well | ${await deepHealth(well, LOOKS)} |`);
  console.log(`| two dependencies never answer | ${await deepHealth(hindered, 8)} |`);
  await measureListeners(well);
} finally {
  await well.stop();
  await hindered.stop();
  silence.close();
}
process.exit(0);
