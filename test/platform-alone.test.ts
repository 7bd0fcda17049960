import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Contract, fillPath, type Operation } from '../src/foundation/contract.ts';
import { isJson } from '../src/foundation/payloads.ts';
import { existingServices } from '../src/main.ts';
import { startCampaign } from './campaign.ts';
import { hasFfmpeg } from './media/ffmpeg.ts';
import { PATIENCE_MS } from './patience.ts';
import { createEnvironment, type Environment, limpede, type Program, talkTo } from './running-platform.ts';
import { tone } from './services/extractors/sounds.ts';
import { listenIdentity } from './services/gateway/behind.ts';
import { json, plainAnswer, startUpstream, type Upstream } from './services/llm/upstream.ts';

const TEXT =
  'Guvernul a anunțat ieri că inflația a crescut cu 12% în 2023, potrivit institutului de statistică.';
const ID = randomUUID();
/** One of these fits each body of the platform; an operation for which none does fails the test by its name. */
const BODIES: readonly unknown[] = [
  { media_type: 'text', text: TEXT },
  { text: TEXT },
  { url: 'https://example.org/' },
  { domain: 'example.org' },
  { urls: ['https://example.org/'] },
  { claim: 'Inflația a crescut cu 12% în 2023.' },
  { queries: ['inflația în 2023'] },
  { model: 'limpede-encoder-1', input: 'un text' },
  { model: 'limpede-reranker-1', query: 'preț', documents: ['un text', 'alt text'] },
  { model: 'm', messages: [{ role: 'user', content: 'salut' }] },
  { model: 'm', prompt: 'salut' },
  { model: 'm', backend: 'gpu' },
  { label: 'browser' },
  { media_id: ID },
  { value: 3 },
  { action: 'approved' },
  { decision: 'approved' },
  { fact_id: ID, reason: 'nu mai e nevoie' },
  { locked: true, reason: 'verificat de un om' },
  {
    status: 'supported',
    confidence: 0.9,
    explanation_en: null,
    explanation_ro: null,
    decided_by: 'test',
    decided_at: '2026-01-01T00:00:00Z',
  },
  { reason: 'nu mai e nevoie' },
  { target: 'verdict', agree: true },
  { stage: 'deep', tier: 'free', primary: 'limpede-techniques-1' },
  { stage: 'screening', tier: 'free', primary: 'limpede-ai-text-1' },
  { stage: 'extraction', tier: 'free', primary: 'limpede-claims-1' },
  { media_type: 'text', note: 'o notă' },
  { actor: 'test', claims: [TEXT] },
  { items: [{ url: 'https://example.org/', title: 'Un titlu', text: TEXT }] },
  { stage: 'assessment', tier: 'free', primary: 'limpede-domain-1' },
  { realm: 'clients', name: 'ion', password: 'o parolă destul de lungă', roles: ['user'] },
  { password: 'o altă parolă destul de lungă' },
  { origin: 'test', entries: [{ kind: 'page', key: 'a', url: 'https://example.org/' }] },
  {},
];
/** Operations on media take media, and on pictures pictures, whatever else their body would allow. */
const BODIES_OF: readonly (readonly [name: RegExp, body: unknown])[] = [
  [/AnalyzeImage$/, { media_type: 'image', media_url: 'https://example.org/a.png' }],
  [/nalyzeMedia$/, { media_type: 'image', media_url: 'https://example.org/a.png' }],
  [/^sourceAssessmentAssignStage$/, { stage: 'assessment', tier: 'free', primary: 'limpede-domain-1' }],
];
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SOUND = tone(440, 1);
/** A second of a picture that changes; without ffmpeg nothing reads it, whatever it is. */
const FILM = hasFfmpeg ? makeFilm() : PICTURE;

function makeFilm(): Buffer {
  const source = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=64x64:r=5', '-f', 'matroska', '-'];
  return execFileSync('ffmpeg', ['-v', 'error', ...source]);
}

/** What an upload holds, by the path that takes it. */
function exampleFile(path: string): Buffer {
  if (path.includes('video')) return FILM;
  return /transcription|recording|overview/.test(path) ? SOUND : PICTURE;
}

const PARAMS: readonly string[] = [
  'clients',
  ID,
  'llm.retries',
  'media',
  '1',
  'a.png',
  'example',
  'techniques',
  'free',
];
const QUERIES: readonly Record<string, string>[] = [{}, { q: 'inflație' }, { expires: '1', signature: 'x' }];

/** Statuses of a call that was understood: done, not done for a reason of the contract, or waiting for what is not there. */
const UNDERSTOOD = new Set([200, 201, 202, 204, 206, 401, 403, 404, 409, 410, 429, 501, 502, 503, 504]);
/**
 * A model server that cannot load by name says so with 400; by its contract the video service answers 500 when no vision server does, or
 * no ffmpeg is there.
 */
const SAYS_NO = new Set(['llm.load 400', 'llm.unload 400', 'video.analyze 500', 'video.describe 500']);
const REFUSED = new Set([400, 401, 403, 404, 405, 413, 415, 422]);

const fits = (schema: { safeParse(value: unknown): { success: boolean } }, values: readonly unknown[]) =>
  values.find((value) => schema.safeParse(value).success);

/** A call that the contract of an operation allows, by examples; undefined when no example fits. */
function validCall(
  name: string,
  { method, path, params, query, body }: Operation,
): { path: string; init: RequestInit } | undefined {
  const named = Object.entries(params?.shape ?? {}).map(([param, schema]) => [
    param,
    fits(schema as never, PARAMS) ?? 'missing',
  ]);
  const asked = query === undefined ? {} : fits(query, QUERIES);
  if (asked === undefined || named.some(([, value]) => value === 'missing')) return undefined;
  const search = new URLSearchParams(asked as Record<string, string>).toString();
  const url = fillPath(path, Object.fromEntries(named)) + (search === '' ? '' : `?${search}`);
  if (body === undefined) return { path: url, init: { method } };
  if (!isJson(body)) {
    const form = new FormData();
    form.append('file', new Blob([exampleFile(path)]), 'a');
    return { path: url, init: { method, body: form } };
  }
  const special = BODIES_OF.find(([pattern]) => pattern.test(name))?.[1];
  const sent = fits(body, special === undefined ? BODIES : [special]);
  if (sent === undefined) return undefined;
  return {
    path: url,
    init: { method, body: JSON.stringify(sent), headers: { 'content-type': 'application/json' } },
  };
}

/** A call that no operation allows: a body that is no JSON, no token, or a malformed address. */
function invalidCall(operation: Operation, call: { path: string; init: RequestInit }) {
  const { method, body } = operation;
  if (body !== undefined)
    return {
      path: call.path,
      init: { method, body: '{"', headers: { 'content-type': 'application/json' } },
      known: true,
    };
  if (operation.access !== 'public') return { ...call, known: false };
  return { path: call.path, init: { method: 'PATCH' }, known: true };
}

const services = await existingServices();
let identity: Awaited<ReturnType<typeof listenIdentity>>;
let environment: Environment;
let models: Upstream;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ environment, remove } = await createEnvironment({ WEB_EXTRACT_WORKERS: '1' }));
  models = await startUpstream();
  models.script = ({ response }) => json(response, 200, plainAnswer);
  environment.LLM_GPU_URL = models.url;
  identity = await listenIdentity(environment.LIMPEDE_HOME ?? '');
  const keys = (realm: string) => `${identity.url}/realms/${realm}/jwks`;
  const issuer = (realm: string) => `${environment.LIMPEDE_PUBLIC_URL}/realms/${realm}`;
  for (const realm of ['clients', 'admins'])
    Object.assign(environment, {
      [`AUTH_${realm.toUpperCase()}_ISSUER`]: issuer(realm),
      [`AUTH_${realm.toUpperCase()}_JWKS_URL`]: keys(realm),
      [`AUTH_${realm.toUpperCase()}_AUDIENCE`]: 'limpede',
    });
});
afterAll(async () => {
  await Promise.all([identity.close(), models.close()]);
  await remove();
});

/** The settings without the issuers: tokens are made with the keys that those publish. */
const embedded = (): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AUTH_')));

async function start(names: readonly string[]): Promise<Program> {
  const program = limpede(['up', ...names], environment);
  const ready = new Promise<void>((resolve) => {
    program.child.stdout?.on('data', () => {
      if (program.output.out.includes('Ctrl-C stops it')) resolve();
    });
  });
  const failed = program.ended.then((code) => {
    throw new Error(`${names.join(', ')} ended with ${code}: ${program.output.err}${program.output.out}`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  return program;
}

async function stop({ child, ended }: Program): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

async function statusOf(
  base: string,
  path: string,
  init: RequestInit,
  token: string | undefined,
): Promise<number> {
  const headers = {
    ...(init.headers as Record<string, string>),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const leave = new AbortController();
  const patience = setTimeout(() => leave.abort(), PATIENCE_MS);
  const response = await fetch(base + path, {
    ...init,
    headers,
    redirect: 'manual',
    signal: leave.signal,
  });
  clearTimeout(patience);
  // A stream of events has no end of its own.
  leave.abort();
  return response.status;
}

async function callAll(name: string, contract: Contract, prefix = ''): Promise<string[]> {
  const base = `http://127.0.0.1:${environment[`${name.toUpperCase()}_PORT`]}${prefix}`;
  const talk = talkTo(embedded());
  const admin = await talk.token({ realm: 'admins', role: 'admin' });
  const user = await talk.token();
  const wrong: string[] = [];
  for (const [operationName, operation] of Object.entries(contract.operations)) {
    const call = validCall(operationName, operation);
    if (call === undefined) {
      wrong.push(`${name}.${operationName}: no example fits`);
      continue;
    }
    const token =
      typeof operation.access === 'object' ? admin : operation.access === 'bearer' ? user : undefined;
    const status = await statusOf(base, call.path, call.init, token);
    if (!UNDERSTOOD.has(status) && !SAYS_NO.has(`${name}.${operationName} ${status}`))
      wrong.push(`${name}.${operationName}: a valid call was answered ${status}`);
    const invalid = invalidCall(operation, call);
    const refused = await statusOf(base, invalid.path, invalid.init, invalid.known ? token : undefined);
    const open = operation.access === 'bearer' && !invalid.known && refused === 200;
    if (!REFUSED.has(refused) && !open)
      wrong.push(`${name}.${operationName}: an invalid call was answered ${refused}`);
  }
  return wrong;
}

const campaign = startCampaign('services alone');
/** Each is a process of its own, which takes seconds to start: a sample has some of them, a long run all. */
const chosen = campaign.pick(services, 4);

describe('a service alone in its process, with its settings', () => {
  afterAll(() => {
    const names = chosen.map(({ name }) => name).join(', ');
    campaign.summary(
      `${chosen.length} of ${services.length} services, each with all its operations: ${names}`,
    );
  });

  it('there is an example of each operation of all services', () => {
    const missing = services.flatMap(({ name, service }) => {
      const { operations }: Contract = service.contract;
      return Object.entries(operations)
        .filter(([operationName, operation]) => validCall(operationName, operation) === undefined)
        .map(([operationName]) => `${name}.${operationName}`);
    });
    expect(missing).toEqual([]);
  });

  it.each(chosen.map(({ name, service }) => [name, service] as const))(
    '%s starts, and answers each of its operations',
    async (name, service) => {
      const program = await start([name]);
      try {
        expect((await callAll(name, service.contract)).join('; ')).toBe('');
      } finally {
        await stop(program);
      }
    },
    4 * PATIENCE_MS,
  );
});
