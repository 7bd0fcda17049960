import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { defineCommand } from 'citty';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import type { AnalyzeRequest } from '../services/analysis/resources/analyze-request.ts';
import { asyncAccepted } from '../services/analysis/resources/async-accepted.ts';
import type { QueueStatus } from '../services/analysis/resources/queue-status.ts';
import { callApi } from './api.ts';
import { type ReportStyle, report } from './report.ts';
import { makeToken } from './token.ts';
import { UserError } from './user-error.ts';

/** How often a running session is looked at, in milliseconds. */
const LOOK_MS = 150;
/** Longest wait for a session, in milliseconds. */
const PATIENCE_MS = 120_000;
/** Longest wait to learn whether a platform runs, in milliseconds. */
const GREETING_MS = 1_000;
const DEFAULT_WIDTH = 96;

const environmentVariables = z.object({
  LIMPEDE_PORT: platformSettings.shape.LIMPEDE_PORT,
  LIMPEDE_PUBLIC_URL: platformSettings.shape.LIMPEDE_PUBLIC_URL,
  LIMPEDE_TOKEN: z.string().trim().min(1).optional(),
});

/** What the argument is: an address, the text of a file, or a text. */
export function requestFor(input: string): AnalyzeRequest {
  if (/^https?:\/\//i.test(input)) return { media_type: 'url', url: input };
  if (isFile(input)) return { media_type: 'text', text: textOfFile(readFileSync(input), input) };
  if (pathLike.test(input))
    throw new UserError(`${input}: there is no such file; an address begins with http://`);
  return { media_type: 'text', text: input };
}

/** One word that looks like a path or a file name: it is refused, not analysed as a text. */
const pathLike = /^(?:(?:\.{0,2}|~)\/\S+|\S{1,250}\.[a-z0-9]{2,5})$/iu;

/** Whether there is such a file; a text too long for a path, or with a NUL, makes the system throw and is none. */
function isFile(input: string): boolean {
  try {
    return statSync(input).isFile();
  } catch {
    return false;
  }
}

function textOfFile(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: refused below.
  }
  throw new UserError(`${name}: only text files in UTF-8 can be analysed yet`);
}

/** A platform to ask: where it is, a token for it, and how to end it if it was started for this call. */
interface Platform {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
  stop(): Promise<void>;
}

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/agent-v3/api/v3/health`, {
      signal: AbortSignal.timeout(GREETING_MS),
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** A port that nothing listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const found = server.address();
      server.close(() => resolve(typeof found === 'object' && found !== null ? found.port : 0));
    });
  });
}

/** Starts the platform for one call, on ports of its own and quietly. */
async function startQuietly(environment: Environment): Promise<Omit<Platform, 'agent'>> {
  // Loaded only when it is needed: asking a platform that runs takes a fraction of that.
  const { serviceNames, startPlatform } = await import('../main.ts');
  const ports = await Promise.all(
    serviceNames().map(async (name) => [`${name.toUpperCase()}_PORT`, String(await freePort())] as const),
  );
  const own = Object.fromEntries(ports);
  const url = `http://127.0.0.1:${own.GATEWAY_PORT}`;
  const complete = { LIMPEDE_LOG_LEVEL: 'error', ...environment, ...own, LIMPEDE_PUBLIC_URL: url };
  const { stop } = await startPlatform(complete);
  return { url, token: await makeToken({}, complete), stop };
}

async function findPlatform(environment: Environment, say: (line: string) => void): Promise<Platform> {
  const settings = parseSettings(environmentVariables, environment);
  const url = publicUrlOf(settings, environment);
  const agent = new Agent({ connections: 4 });
  if (await answers(url)) {
    const token = settings.LIMPEDE_TOKEN ?? (await makeToken({}, environment));
    return { url, token, agent, stop: async () => agent.close() };
  }
  say(`nothing runs at ${url}: starting a platform for this call`);
  const started = await startQuietly(environment);
  return {
    ...started,
    agent,
    stop: async () => Promise.all([started.stop(), agent.close()]).then(() => undefined),
  };
}

const dataOf = <Data>(answered: unknown) => (answered as { data: Data }).data;
const FINAL = ['completed', 'failed', 'canceled'];

/** Runs one analysis and follows it to its end. */
async function analyze(
  platform: Platform,
  asked: AnalyzeRequest,
  say: (line: string) => void,
): Promise<AnalysisSession> {
  const accepted = asyncAccepted.parse(
    await callApi(platform, 'POST', '/agent-v3/api/v3/pipeline/analyze-async', asked),
  );
  const { poll_url, result_url } = accepted.data;
  const end = Date.now() + PATIENCE_MS;
  let told = '';
  while (Date.now() < end) {
    const status = dataOf<QueueStatus>(await callApi(platform, 'GET', poll_url));
    const line = `${Math.round(status.progress * 100)}% ${status.stage ?? status.status} ${status.completed_components.join(', ')}`;
    if (line !== told) say(line.trim());
    told = line;
    if (FINAL.includes(status.status))
      return dataOf<AnalysisSession>(await callApi(platform, 'GET', result_url));
    await pause(LOOK_MS);
  }
  throw new UserError(`the session ${accepted.data.session_id} did not end within ${PATIENCE_MS / 1000} s`);
}

/** `limpede analyze`: one analysis, its progress on standard error, its report on standard output. */
export function analyzeCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'analyze', description: 'Analyse a text, a web page or a text file' },
    args: {
      input: {
        type: 'positional',
        required: true,
        description: 'A text, an address or the path of a text file; - reads standard input',
      },
      json: { type: 'boolean', description: 'Print the whole session as JSON' },
      lang: { type: 'enum', options: ['en', 'ro'], default: 'en', description: 'Language of the report' },
      plan: { type: 'string', description: 'Plan, 1 to 6' },
      quiet: { type: 'boolean', description: 'No progress' },
    },
    run: async ({ args }) => {
      const say =
        args.quiet === true ? () => undefined : (line: string) => process.stderr.write(`  ${line}\n`);
      const input = args.input === '-' ? readFileSync(0, 'utf8') : args.input;
      const asked = {
        ...requestFor(input),
        ...(args.plan !== undefined && { plan_type: Number(args.plan) }),
      };
      const platform = await findPlatform(environment, say);
      try {
        const session = await analyze(platform, asked, say);
        process.stdout.write(
          `${args.json === true ? JSON.stringify(session, null, 2) : report(session, styleOf(args.lang))}\n`,
        );
      } finally {
        await platform.stop();
      }
    },
  });
}

function styleOf(language: string): ReportStyle {
  const { stdout } = process;
  const width = Math.min(stdout.columns ?? DEFAULT_WIDTH, DEFAULT_WIDTH);
  return {
    language: language === 'ro' ? 'ro' : 'en',
    width,
    colour: stdout.isTTY === true && stdout.hasColors(),
  };
}
