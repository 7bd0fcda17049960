import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { embeddingsService } from '../../../src/services/embeddings/service.ts';
import { embeddingsSettings } from '../../../src/services/embeddings/settings.ts';

/** The embeddings service on a port of its own. */
export interface RunningEmbeddings {
  readonly url: string;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the service with these settings. */
export async function startEmbeddings(
  settings: Record<string, string> = {},
  home = '/nonexistent',
): Promise<RunningEmbeddings> {
  const built = await buildService(embeddingsService, parseSettings(embeddingsSettings, settings), {
    home,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    database: () => Promise.reject(new Error('not needed')),
  });
  await built.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = built.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    post: (body, headers = {}) =>
      fetch(`${url}/v1/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    close: built.close,
  };
}
