import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { rerankingService } from '../../../src/services/reranking/service.ts';
import { rerankingSettings } from '../../../src/services/reranking/settings.ts';

/** The reranking service on a port of its own. */
export interface RunningReranking {
  readonly url: string;
  post(body: unknown, headers?: Record<string, string>, path?: string): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the service with these settings. */
export async function startReranking(
  settings: Record<string, string> = {},
  home = '/nonexistent',
): Promise<RunningReranking> {
  const built = await buildService(rerankingService, parseSettings(rerankingSettings, settings), {
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
    post: (body, headers = {}, path = '/v1/rerank') =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    close: built.close,
  };
}
