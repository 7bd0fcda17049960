import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { request } from 'undici';
import { packageFile } from '../foundation/files.ts';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';

/** One thing that was looked for. */
export interface Finding {
  readonly name: string;
  readonly state: 'good' | 'absent' | 'wrong';
  readonly words: string;
}

/** Weights that must be there. */
const MODELS = [
  'techniques.bin',
  'claims-words.bin',
  'claims-cues.bin',
  'ai-text.bin',
  'language.bin',
  'domain-name.bin',
  'vocabulary.bin',
];

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 1_500;

function models(): Finding[] {
  return MODELS.map((file) => {
    const there = existsSync(packageFile('models', file));
    return {
      name: file,
      state: there ? 'good' : 'wrong',
      words: there ? 'weights are there' : 'weights are missing: reinstall the package',
    };
  });
}

async function server(name: string, url: string | undefined, unset: string): Promise<Finding> {
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

function database(url: string | undefined, home: string): Finding {
  if (url !== undefined)
    return { name: 'Database', state: 'good', words: 'PostgreSQL, as DATABASE_URL says' };
  const words = `embedded, in ${home}: survives a killed process, not a power cut; set DATABASE_URL for that`;
  return { name: 'Database', state: 'good', words };
}

async function platform(url: string): Promise<Finding> {
  const { state } = await server('Platform', `${url}/agent-v3/api/v3/health`, '');
  const runs = state === 'good';
  return {
    name: 'Platform',
    state: runs ? 'good' : 'absent',
    words: runs ? `runs at ${url}` : `does not run at ${url}`,
  };
}

/** Everything that the doctor looks at. */
export async function examine(environment: Environment): Promise<Finding[]> {
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
    ...models(),
  ];
}

const SIGNS: Record<Finding['state'], string> = { good: '✓', absent: '–', wrong: '✗' };

/** `limpede doctor`: which engines, servers and models were found. Ends with 1 when a needed thing is missing. */
export function doctorCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'doctor', description: 'Say which engines, servers and models were found' },
    args: { json: { type: 'boolean', description: 'Print the findings as JSON' } },
    run: async ({ args }) => {
      const findings = await examine(environment);
      const lines = findings.map(({ name, state, words }) => `  ${SIGNS[state]} ${name.padEnd(20)} ${words}`);
      process.stdout.write(
        args.json === true ? `${JSON.stringify(findings, null, 2)}\n` : `\n${lines.join('\n')}\n\n`,
      );
      if (MODELS.some((file) => findings.some(({ name, state }) => name === file && state === 'wrong')))
        process.exitCode = 1;
    },
  });
}
