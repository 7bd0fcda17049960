import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { type CallOptions, type Client, createClient } from '../../foundation/client.ts';
import { platformSettings } from '../../foundation/platform.ts';
import { type Environment, parseSettings } from '../../foundation/settings.ts';
import { operatorTokenFile } from '../../services/web/authenticate.ts';
import { web } from '../../services/web/contract.ts';
import { freePorts } from '../platform-access.ts';
import { UserError } from '../user-error.ts';

/** The web service to ask, and how to end it if it was started for this call. */
export interface EvidenceConnection {
  readonly client: Client<typeof web>;
  stop(): Promise<void>;
}

const environmentVariables = z.object({
  LIMPEDE_HOME: platformSettings.shape.LIMPEDE_HOME,
  WEB_OPERATOR_TOKEN: z.string().trim().min(1).optional(),
});

const GREETING_MS = 1_000;
/** Long documents, and pages that have to be fetched. */
const CALL_MS = 300_000;
/** How often an index that is being opened is asked, and for how long. */
const OPENING_MS = { every: 500, patience: 60_000 };

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/ready`, { signal: AbortSignal.timeout(GREETING_MS) });
    await body.dump();
    return statusCode < 500;
  } catch {
    return false;
  }
}

/** The services that an import needs, started for this call on ports of their own. */
async function startServices(environment: Environment) {
  const { startPlatform } = await import('../../main.ts');
  const [webPort, embeddingsPort] = await freePorts(2);
  const { WEB_URL: _web, EMBEDDINGS_URL: _embeddings, ...rest } = environment;
  const running = await startPlatform({
    LIMPEDE_LOG_LEVEL: 'error',
    ...rest,
    LIMPEDE_SERVICES: 'web,embeddings',
    WEB_PORT: String(webPort),
    EMBEDDINGS_PORT: String(embeddingsPort),
  });
  return { url: `http://127.0.0.1:${webPort}`, stop: running.stop };
}

function operatorToken({ LIMPEDE_HOME, WEB_OPERATOR_TOKEN }: z.infer<typeof environmentVariables>): string {
  if (WEB_OPERATOR_TOKEN !== undefined) return WEB_OPERATOR_TOKEN;
  const file = operatorTokenFile(resolve(LIMPEDE_HOME));
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new UserError(
    `no token of an operator: set WEB_OPERATOR_TOKEN, or LIMPEDE_HOME to the folder of the platform`,
  );
}

async function openIndex(environment: Environment, say: (line: string) => void): Promise<EvidenceConnection> {
  const { serviceAddress } = await import('../../main.ts');
  const known = serviceAddress('web', environment);
  const runs = await answers(known);
  if (!runs) say(`nothing runs at ${known}: the index is opened for this call`);
  const started = runs ? undefined : await startServices(environment);
  const token = operatorToken(parseSettings(environmentVariables, environment));
  const client = createClient(web, { name: 'web', url: started?.url ?? known, token, timeoutMs: CALL_MS });
  return {
    client,
    stop: async () => {
      await client.close();
      await started?.stop();
    },
  };
}

/** The answer of a call; throws a UserError that says why there is none. */
export async function answerOrThrow<Value>(
  call: (options: CallOptions) => Promise<Value | undefined>,
): Promise<Value> {
  let problem = 'the web service gave no answer';
  const value = await call({
    lost: (loss) => {
      problem = `the web service was lost: ${loss.reason}`;
    },
    refused: (refusal) => {
      problem = `the web service refused with status ${refusal.status}: ${JSON.stringify(refusal.body)}`;
      if (refusal.status === 401)
        problem +=
          '; the token is that of WEB_OPERATOR_TOKEN, else that of the folder LIMPEDE_HOME: set either to what the service that runs has';
    },
  });
  if (value === undefined) throw new UserError(problem);
  return value;
}

/** Waits for an index that is still being opened. */
async function whenOpen({ client }: EvidenceConnection): Promise<void> {
  const until = Date.now() + OPENING_MS.patience;
  let opening = true;
  while (opening && Date.now() < until) {
    opening = false;
    const open = await client.listEvidence(
      {},
      {
        refused: () => undefined,
        lost: ({ reason }) => {
          opening = reason === 'unavailable';
        },
      },
    );
    if (open !== undefined) return;
    await pause(OPENING_MS.every);
  }
  await answerOrThrow((options) => client.listEvidence({}, options));
}

/** Runs one command on the index, and ends what was started for it. */
export async function withIndex(
  environment: Environment,
  work: (access: EvidenceConnection) => Promise<void>,
): Promise<void> {
  const access = await openIndex(environment, (line) => process.stderr.write(`  ${line}\n`));
  try {
    await whenOpen(access);
    await work(access);
  } finally {
    await access.stop();
  }
}
