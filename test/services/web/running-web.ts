import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe } from 'vitest';
import { type BuiltService, buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { type FetchAnswer, web } from '../../../src/services/web/contract.ts';
import { findChromium } from '../../../src/services/web/fetch/browser/chromium.ts';
import { webService } from '../../../src/services/web/service.ts';
import { webSettings } from '../../../src/services/web/settings.ts';
import { isRequired } from '../../required.ts';

/** A site on this machine that counts what it is asked. */
export interface Site {
  readonly origin: string;
  readonly port: number;
  /** Paths that were asked for, with their query. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Serves pages by path; what is not listed answers 404. A page is HTML, or a listener that answers itself. */
export async function serveSite(
  pages: Readonly<Record<string, string | RequestListener>>,
  host = '127.0.0.1',
): Promise<Site> {
  const asked: string[] = [];
  const server: Server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const page = pages[path.split('?')[0] ?? '/'];
    if (typeof page === 'function') page(request, response);
    else
      response
        .writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
        .end(page ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The web service on this machine, and how it is asked for pages. */
export interface RunningWeb {
  readonly built: BuiltService<object>;
  fetch(urls: string[], more?: Record<string, unknown>): Promise<FetchAnswer>;
  close(): Promise<void>;
}

/** Starts a web service that may reach what `allowed` lists of the private network; without a browser unless settings name one. */
export async function startWeb(
  allowed: readonly string[],
  settings: Record<string, string> = { WEB_CHROMIUM: 'none' },
): Promise<RunningWeb> {
  const built = await buildService(
    webService,
    parseSettings(webSettings, {
      WEB_EVIDENCE_INDEX: 'false',
      WEB_ALLOWED_PRIVATE_HOSTS: allowed.join(','),
      WEB_HOST_RATE_RPS: '1000',
      WEB_HOST_RATE_BURST: '1000',
      WEB_RATE_LIMIT_RPS: '1000',
      WEB_RATE_LIMIT_BURST: '1000',
      ...settings,
    }),
    {
      home: '/nonexistent',
      version: '9.9.9',
      publicUrl: 'http://127.0.0.1:8080',
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      database: () => Promise.reject(new Error('not needed')),
    },
  );
  return {
    built,
    fetch: async (urls, more = {}) => {
      const reply = await built.app.inject({ method: 'POST', url: '/v1/fetch', payload: { urls, ...more } });
      return web.operations.fetch.answer.parse(reply.json());
    },
    close: () => built.close(),
  };
}

const found = findChromium({ path: undefined, sandbox: 'auto' });

/** A suite with the real browser: skipped with the reason in its name, unless LIMPEDE_TEST_REQUIRE names `chromium`. */
export function describeWithChromium(name: string, suite: () => void): void {
  if (!('absent' in found) || isRequired('chromium')) describe(name, suite);
  else describe.skip(`${name} (${found.absent})`, suite);
}
