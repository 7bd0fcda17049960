import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type AnyService, buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';

/** A service for models on a port of its own. */
export interface RunningModelService {
  readonly url: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Starts a service for models with these settings; `replace` puts other needs in place of its own. */
export async function startModelService(
  service: AnyService,
  settings: Record<string, string>,
  home = '/nonexistent',
  replace: object = {},
): Promise<RunningModelService> {
  const platform = {
    home,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    database: () => Promise.reject(new Error('not needed')),
  };
  const built = await buildService(service, parseSettings(service.settings, settings), platform, replace);
  await built.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`;
  return {
    url,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    close: built.close,
  };
}
