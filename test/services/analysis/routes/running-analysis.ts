import { Registry } from 'prom-client';
import type { Caller } from '../../../../src/foundation/auth.ts';
import { databaseChanges } from '../../../../src/foundation/configuration/changes.ts';
import { openConfigurations } from '../../../../src/foundation/configuration/configuration.ts';
import type { Database } from '../../../../src/foundation/database/database.ts';
import type { Platform } from '../../../../src/foundation/platform.ts';
import { buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { analysisService } from '../../../../src/services/analysis/service.ts';
import { analysisSettings } from '../../../../src/services/analysis/settings.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { keepEngineThreads } from '../engines/lasting-threads.ts';

/** An answer of the service. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** What is sent beside method and path. A token is `realm/subject/role,role`; a string goes as it is, all else as JSON. */
export interface Sent {
  readonly as?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The token of a user without a role. */
const READER = 'clients/ana/user';
/** The token of an administrator. */
export const ADMIN = 'admins/root/admin';

function callerOf(token: string): Promise<Caller> {
  const [realm = '', subject = '', roles = ''] = token.split('/');
  return Promise.resolve({
    subject,
    realm,
    roles: roles.split(','),
    email: `${subject}@example.org`,
    planCap: null,
    application: 'test',
  });
}

/** Starts the analysis service on a database, without any other service unless the settings name one. */
export async function startAnalysis(
  database: Database,
  settings: Record<string, string> = {},
  home = '/nonexistent',
) {
  keepEngineThreads();
  const configurations = openConfigurations(
    databaseChanges(async () => database),
    silent,
  );
  await configurations.ready;
  const platform: Platform = {
    home,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: silent,
    metrics: new Registry(),
    database: async () => database,
    configuration: configurations.of,
  };
  const environment = {
    LLM_URL: 'none',
    WEB_URL: 'none',
    DOMAIN_CHECK_URL: 'none',
    FORENSIC_URL: 'none',
    EXTRACTORS_URL: 'none',
    ...settings,
  };
  const built = await buildService(analysisService, parseSettings(analysisSettings, environment), platform, {
    verifyToken: callerOf,
  });
  await built.begin();
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, sent: Sent = {}) => {
    const { as = READER, body, headers } = sent;
    const response = await built.app.inject({
      method,
      url: path,
      headers: {
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const json = String(response.headers['content-type']).includes('json');
    return {
      status: response.statusCode,
      headers: response.headers,
      body: json ? response.json() : response.body,
    } satisfies Answered;
  };
  const listen = () => built.app.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await built.close();
    await configurations.close();
  };
  return { ask, listen, close };
}

/** A running analysis service. */
export type RunningAnalysis = Awaited<ReturnType<typeof startAnalysis>>;
