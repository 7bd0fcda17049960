import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnalysisSession,
  analysisSession,
} from '../src/services/analysis/resources/analysis-session.ts';
import { eventually, PATIENCE_MS } from './patience.ts';
import {
  createEnvironment,
  type Environment,
  limpede,
  type Program,
  runBeside,
  talkTo,
} from './running-platform.ts';

/** What the gateway and its neighbours share; everything else is elsewhere, and they know it by its address alone. */
const FRONT = ['gateway', 'identity', 'analysis', 'dashboard', 'catalogue'];
const BEHIND = [
  'llm',
  'web',
  'embeddings',
  'reranking',
  'video',
  'speech',
  'extractors',
  'forensic',
  'vision',
  'brain',
];
const ALONE = 'domain_check';
/** By this the front knows the text-model gateway, which is in another process. */
const SECRET = 'a-secret-of-this-installation';

const STORY = `<!doctype html><html lang="en"><head><title>Council approves bus budget</title></head><body><article><h1>Council approves bus budget</h1>
${'<p>The city council approved a budget of 12 million euros for buses on Tuesday, according to minutes published by the clerk. Mayor Ana Pop said that vaccines cause autism.</p>'.repeat(6)}
</article></body></html>`;

let site: Server;
let story: string;
let front: Environment;
let behind: Environment;
const removals: (() => Promise<void>)[] = [];
const programs: Program[] = [];

/** A process's own folder and ports, and the addresses of the services that run in other processes. */
async function placeOf(own: Environment, elsewhere: Readonly<Record<string, Environment>> = {}) {
  const { environment, remove } = await createEnvironment(own);
  removals.push(remove);
  for (const [name, { [`${name.toUpperCase()}_PORT`]: port }] of Object.entries(elsewhere))
    environment[`${name.toUpperCase()}_URL`] = `http://127.0.0.1:${port}`;
  return environment;
}

const from = (names: readonly string[], place: Environment) =>
  Object.fromEntries(names.map((name) => [name, place]));

beforeAll(async () => {
  site = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(STORY),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  story = `http://${host}/story`;
  const alone = await placeOf({});
  behind = await placeOf({
    LLM_INTERNAL_TOKEN: SECRET,
    WEB_ALLOWED_PRIVATE_HOSTS: host,
    WEB_EXTRACT_WORKERS: '1',
    DOMAIN_CHECK_URL: `http://127.0.0.1:${alone.DOMAIN_CHECK_PORT}`,
  });
  front = await placeOf(
    { LLM_INTERNAL_TOKEN: SECRET, WEB_ALLOWED_PRIVATE_HOSTS: host },
    { ...from(BEHIND, behind), [ALONE]: alone },
  );
  behind.DASHBOARD_URL = `http://127.0.0.1:${front.DASHBOARD_PORT}`;
  alone.DASHBOARD_URL = behind.DASHBOARD_URL;
  programs.push(
    ...(await Promise.all([runBeside(front, FRONT), runBeside(behind, BEHIND), runBeside(alone, [ALONE])])),
  );
}, 6 * PATIENCE_MS);
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGTERM');
  await Promise.all(programs.map(({ ended }) => ended));
  site?.close();
  await Promise.all(removals.map((remove) => remove()));
});

async function analyze(body: object): Promise<AnalysisSession> {
  const { ask, token } = talkTo(front);
  const answered = await ask('/api/v3/pipeline/analyze', { token: await token(), body });
  expect(answered.status, answered.text).toBe(200);
  return analysisSession.parse(answered.body.data);
}

/** Nothing is lost: a text model that is not connected is named, and is no loss. */
const isLost = ({ effect }: AnalysisSession['degraded'][number]) => effect !== 'own_engine';

describe('services spread over three processes that know each other by settings', () => {
  it('analyse a page through the gateway: every part of it runs, and nothing is lost', async () => {
    // The first evidence of processes that have just started may come too late on a busy machine.
    await eventually(async () => {
      const session = await analyze({ media_type: 'url', url: story });
      expect(session).toMatchObject({
        status: 'completed',
        components_run: expect.arrayContaining(['techniques', 'ai_tampered', 'claims', 'domain']),
        components_skipped: [],
      });
      expect(session.degraded.filter(isLost)).toEqual([]);
      expect(session.verdict).not.toBeNull();
    });
  });

  it('look a claim up in the evidence of another process', async () => {
    await eventually(async () => {
      const { claims } = await analyze({
        media_type: 'text',
        text: 'Doctors say that vaccines cause autism.',
      });
      expect(claims?.claims_verified[0]?.previous_fact_checks.length).toBeGreaterThan(0);
    });
  });

  it('are all seen by the catalogue', async () => {
    const { ask, token } = talkTo(front);
    const admin = await token({ realm: 'admins', role: 'admin' });
    await eventually(async () => {
      const { body } = await ask('/catalogue/v1/status', { token: admin });
      const { services, unreachable } = body.data;
      expect(unreachable).toEqual([]);
      const names = services.map(({ name }: { name: string }) => name);
      expect(names.toSorted()).toEqual([...FRONT, ...BEHIND, ALONE].sort());
    });
  });

  it('follow a change at the dashboard, which is in another process', async () => {
    const { ask, token } = talkTo(front);
    const admin = await token({ realm: 'admins', role: 'admin' });
    const key = '/dashboard/api/config/llm.rate_limit_burst';
    const changed = await ask(key, { method: 'PUT', token: admin, body: { value: 1234 } });
    expect(changed.status, changed.text).toBe(200);
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${behind.LLM_PORT}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
      });
      expect(answer.headers.get('ratelimit-limit')).toBe('1234');
    });
  });
});

describe('a second process on a folder whose database is in use', () => {
  it('starts what needs no database, and says what its index lacks', async () => {
    const own = await placeOf({ LIMPEDE_HOME: String(front.LIMPEDE_HOME), WEB_EXTRACT_WORKERS: '1' });
    const program = await runBeside(own, ['web']);
    try {
      const health = await fetch(`http://127.0.0.1:${own.WEB_PORT}/health`);
      expect(JSON.stringify(await health.json())).toContain('in use by process');
    } finally {
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
    }
  });

  it('refuses what cannot do without, in one sentence', async () => {
    const own = await placeOf({ LIMPEDE_HOME: String(front.LIMPEDE_HOME) });
    const { ended, output } = limpede(['up', 'brain'], own);
    expect(await ended).toBe(1);
    expect(output.err).toMatch(/in use by process \d+.*LIMPEDE_HOME.*DATABASE_URL/);
  });
});
