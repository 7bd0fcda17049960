import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { request } from 'undici';
import { z } from 'zod';
import { packageFile } from '../foundation/files.ts';
import { parseStatus } from '../foundation/health.ts';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { findChromium } from '../services/web/fetch/browser/chromium.ts';
import { webSettings } from '../services/web/settings.ts';
import { claimSearchNotice } from './claim-search-notice.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { mediaChecks } from './media-checks.ts';
import { type ServiceRow, serviceRows } from './service-table.ts';

/** Weights that must be there. */
const MODELS = [
  'techniques.bin',
  'techniques-upper.bin',
  'text-upper.bin',
  'claims-words.bin',
  'claims-cues.bin',
  'claims-vector-weights.json',
  'ai-text.bin',
  'language.bin',
  'domain-name.bin',
  'vocabulary.bin',
  'encoder-en.bin',
  'encoder-ro.bin',
  'gloss-ro.tsv',
  'reranker.json',
  'claim-match-weights.json',
  'claim-likeness.json',
  'stance-weights.json',
  'relations-en.tsv',
  'hierarchy-en.tsv',
];

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 1_500;
/** A service asks its own parts first. */
const SERVICE_MS = 3_000;
/** The default port of the gateway. */
const FIRST_PORT = 8080;

function models(): DoctorCheck[] {
  return MODELS.map((file) => {
    const there = existsSync(packageFile('models', file));
    return {
      name: file,
      state: there ? 'good' : 'wrong',
      words: there ? 'weights are there' : 'weights are missing: reinstall the package',
    };
  });
}

async function server(name: string, url: string | undefined, unset: string): Promise<DoctorCheck> {
  if (url === undefined || url === 'none') return { name, state: 'absent', words: unset };
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    await body.dump();
    return { name, state: statusCode < 500 ? 'good' : 'wrong', words: `${url} answers ${statusCode}` };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      words: `${url}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function database(url: string | undefined, home: string): DoctorCheck {
  if (url !== undefined)
    return { name: 'Database', state: 'good', words: 'PostgreSQL, as DATABASE_URL says' };
  const words = `embedded, in ${home}: survives a killed process, not a power cut; set DATABASE_URL for that`;
  return { name: 'Database', state: 'good', words };
}

function browser(environment: Environment): DoctorCheck {
  const { WEB_CHROMIUM, WEB_CHROMIUM_SANDBOX } = parseSettings(
    webSettings.pick({ WEB_CHROMIUM: true, WEB_CHROMIUM_SANDBOX: true }),
    environment,
  );
  const chromium = findChromium({ path: WEB_CHROMIUM, sandbox: WEB_CHROMIUM_SANDBOX });
  return 'absent' in chromium
    ? { name: 'Browser', state: 'absent', words: `${chromium.absent}: pages are read by plain HTTP alone` }
    : { name: 'Browser', state: 'good', words: chromium.words };
}

async function platform(url: string): Promise<DoctorCheck> {
  const { state } = await server('Platform', `${url}/agent-v3/api/v3/health`, '');
  const runs = state === 'good';
  return {
    name: 'Platform',
    state: runs ? 'good' : 'absent',
    words: runs ? `runs at ${url}` : `does not run at ${url}`,
  };
}

const health = z.looseObject({
  status: z.preprocess(parseStatus, z.enum(['healthy', 'degraded', 'unhealthy'])),
  checks: z.record(z.string(), z.looseObject({ status: z.string(), error: z.string().nullish() })).optional(),
});
const listed = z.array(
  z.looseObject({ name: z.string(), healthy: z.boolean(), message: z.string().nullish() }),
);

/** The failing parts of a service by name, from its health: named checks, or a list of backends or providers. */
function gapsOf(body: z.infer<typeof health>): string[] {
  const checks = Object.entries(body.checks ?? {})
    .filter(([, { status }]) => status === 'unhealthy')
    .map(([name, { error }]) => `${name}: ${error ?? 'does not work'}`);
  const lists = Object.values(body)
    .flatMap((value) => listed.safeParse(value).data ?? [])
    .filter(({ healthy }) => !healthy)
    .map(({ name, message }) => `${name}: ${message ?? 'does not work'}`);
  return [...checks, ...lists];
}

/** The engine of a service: the embedded one, or the settings that replace it. */
function engineOf({ embedded, atScale }: ServiceRow, environment: Environment): string {
  const names = [...atScale.matchAll(/`([A-Z][A-Z\d_]+)`/g)].flatMap(([, name]) => name ?? []);
  const set = names.filter((name) => (environment[name]?.trim() ?? '') !== '');
  return set.length === 0 ? embedded : `${set.join(', ')} set; without: ${embedded}`;
}

/** The state of a service, with the remedy for what is missing. */
async function service(row: ServiceRow, environment: Environment): Promise<DoctorCheck> {
  const { name, remedy } = row;
  const url = serviceAddress(row, environment);
  if (url === 'none') return { name, state: 'absent', words: `switched off by ${name.toUpperCase()}_URL` };
  try {
    const { body } = await request(`${url}/health`, { signal: AbortSignal.timeout(SERVICE_MS) });
    const report = health.parse(await body.json());
    const gaps = gapsOf(report).join('; ');
    if (report.status === 'healthy' && gaps === '')
      return { name, state: 'good', words: `healthy at ${url}; ${engineOf(row, environment)}` };
    return {
      name,
      state: 'wrong',
      words: `${report.status === 'healthy' ? 'degraded' : report.status} at ${url}${gaps === '' ? '' : ` (${gaps})`}: ${remedy}`,
    };
  } catch {
    return { name, state: 'absent', words: `does not answer at ${url}: ./bin/limpede up ${name}` };
  }
}

/** The address of a service of this installation, as the other services get it. */
function serviceAddress({ name, port }: ServiceRow, environment: Environment): string {
  const set = (setting: string) => environment[setting]?.trim() || undefined;
  const upper = name.toUpperCase();
  const first = Number(set('LIMPEDE_PORT') ?? FIRST_PORT);
  return set(`${upper}_URL`) ?? `http://127.0.0.1:${set(`${upper}_PORT`) ?? port - FIRST_PORT + first}`;
}

/** Runs all checks. */
export async function runDoctorChecks(environment: Environment): Promise<DoctorCheck[]> {
  const settings = parseSettings(platformSettings, environment);
  const home = resolve(settings.LIMPEDE_HOME);
  const publicUrl = publicUrlOf(settings, environment);
  const unset = (name: string) => `${name} is not set: engines of our own answer`;
  return [
    { name: 'Node', state: 'good', words: process.version },
    database(settings.DATABASE_URL, home),
    await platform(publicUrl),
    await server('Text models, cloud', environment.LLM_CLOUD_URL, unset('LLM_CLOUD_URL')),
    await server('Text models, GPU', environment.LLM_GPU_URL, unset('LLM_GPU_URL')),
    await server('Text models, CPU', environment.LLM_CPU_URL, unset('LLM_CPU_URL')),
    browser(environment),
    ...(await mediaChecks(home, environment)),
    await server(
      'Speech server',
      environment.SPEECH_UPSTREAM_URL,
      'SPEECH_UPSTREAM_URL is not set: name a transcription server of the common convention, or use an engine above',
    ),
    await server(
      'Vision server',
      environment.VISION_UPSTREAM_URL,
      'VISION_UPSTREAM_URL is not set: pictures are described by what can be measured; name a server of the common convention',
    ),
    { name: 'Search', state: 'good', words: claimSearchNotice(environment) },
    ...models(),
    ...(await Promise.all(serviceRows().map((row) => service(row, environment)))),
  ];
}

const SIGNS: Record<DoctorCheck['state'], string> = { good: '✓', absent: '–', wrong: '✗' };

/** `limpede doctor`: which engines, servers and models were found. Ends with 1 when a needed thing is missing. */
export function doctorCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'doctor', description: 'Say which engines, servers and models were found' },
    args: { json: { type: 'boolean', description: 'Print the findings as JSON' } },
    run: async ({ args }) => {
      const checks = await runDoctorChecks(environment);
      const lines = checks.map(({ name, state, words }) => `  ${SIGNS[state]} ${name.padEnd(20)} ${words}`);
      process.stdout.write(
        args.json === true ? `${JSON.stringify(checks, null, 2)}\n` : `\n${lines.join('\n')}\n\n`,
      );
      if (MODELS.some((file) => checks.some(({ name, state }) => name === file && state === 'wrong')))
        process.exitCode = 1;
    },
  });
}
