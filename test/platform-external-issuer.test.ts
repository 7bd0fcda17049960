import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../src/foundation/files.ts';
import { freePorts, runHere } from './running-platform.ts';

const HISTORY = '/api/v3/pipeline/history';
const TEXT = 'A text of the newsroom that is long enough to be analysed by everything that reads it.';

let issuer: string;
let platform: Awaited<ReturnType<typeof runHere>>;
let provider: { child: ChildProcess; lines: Interface } | undefined;

async function startProvider(): Promise<void> {
  const program = packageFile('test', 'programs', 'external-issuer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, new URL(issuer).port], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (child.stdout === null) throw new Error('the provider has no output');
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  provider = { child, lines };
}

async function stopProvider(): Promise<void> {
  if (provider === undefined) return;
  const ended = once(provider.child, 'exit');
  provider.child.kill('SIGKILL');
  await ended;
  provider = undefined;
}

async function rotate(): Promise<void> {
  if (provider === undefined) throw new Error('the provider does not run');
  const rotated = once(provider.lines, 'line');
  provider.child.stdin?.write('rotate\n');
  await rotated;
}

async function newToken(): Promise<string> {
  const response = await fetch(`${issuer}/oauth/v2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('newsroom-desk:a+secret+of+the+test')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

beforeAll(async () => {
  const [port] = await freePorts(1);
  issuer = `http://127.0.0.1:${port}`;
  platform = await runHere({ AUTH_CLIENTS_ISSUER: issuer, AUTH_CLIENTS_AUDIENCE: 'limpede-newsroom' });
});
afterAll(async () => {
  await stopProvider();
  await platform?.stop();
});

it('tokens of an external issuer open the platform, through its start, its rotations and its outages', async () => {
  await startProvider();
  const token = await newToken();
  await stopProvider();
  // The platform has not seen the issuer yet: the token may be valid, which cannot be checked yet.
  expect(await platform.ask(HISTORY, { token })).toMatchObject({
    status: 503,
    body: { error_code: 'service_unavailable' },
  });

  await startProvider();
  const first = await newToken();
  const body = { media_type: 'text', text: TEXT, plan_type: 6 };
  const { status, body: answer } = await platform.ask('/api/v3/pipeline/analyze', { token: first, body });
  expect(status).toBe(200);
  expect(answer.data).toMatchObject({ user_id: 'newsroom-desk', status: 'completed', plan_type: 5 });
  // A token of the process that is gone, whose key is in no set.
  expect((await platform.ask(HISTORY, { token })).status).toBe(401);

  await rotate();
  const second = await newToken();
  expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(first).kid);
  // A set that was read a moment ago is not asked for again at once.
  await expect
    .poll(async () => (await platform.ask(HISTORY, { token: second })).status, { interval: 500 })
    .toBe(200);
  expect((await platform.ask(HISTORY, { token: first })).status).toBe(200);

  await stopProvider();
  for (const good of [first, second]) expect((await platform.ask(HISTORY, { token: good })).status).toBe(200);
  // The other realm goes on with the embedded provider.
  expect((await platform.ask(HISTORY, { token: await platform.token({ realm: 'admins' }) })).status).toBe(
    200,
  );
});
