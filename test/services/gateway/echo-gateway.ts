import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyHome } from '../../foundation/database/engines.ts';
import { listen, listenIdentity, startGateway, tokenOf } from './behind.ts';

/** A service that echoes most requests; other paths do what they are called. */
function echoService() {
  /** Paths of requests that arrived. */
  const arrived: string[] = [];
  /** Requests that ended before their answer did, by path. */
  const abandoned: string[] = [];

  /** What the service behind does, by path: most paths echo. */
  async function behind(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    arrived.push(path);
    response.once('close', () => {
      if (!response.writableFinished) abandoned.push(path);
    });
    if (path === '/never') return;
    if (path === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
      return;
    }
    if (path === '/reset') {
      request.socket.destroy();
      return;
    }
    if (path === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.on('drain', () => undefined);
      await sleep(50);
      response.write('data: first\n\n');
      return;
    }
    if (path === '/created') {
      request.resume();
      response.writeHead(202, { location: '/agent-v3/x', 'set-cookie': ['a=1', 'b=2'], server: 'secret' });
      response.end('{}');
      return;
    }
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    const { method, headers } = request;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ method, path, headers, size }));
  }

  const swallow = (request: IncomingMessage, response: ServerResponse) => {
    behind(request, response).catch(() => response.destroy());
  };
  return { arrived, abandoned, swallow };
}

/** A gateway with such a service behind it, an identity service, and the token of a user. */
export async function startEchoGateway() {
  const { arrived, abandoned, swallow } = echoService();
  const place = emptyHome();
  const [identity, analysis] = await Promise.all([listenIdentity(place.home), listen(swallow)]);
  const gateway = await startGateway(place.home, {
    IDENTITY_URL: identity.url,
    ANALYSIS_URL: analysis.url,
    GATEWAY_RATE_LIMIT_RPS: '100000',
    GATEWAY_RATE_LIMIT_BURST: '100000',
    GATEWAY_CORS_ORIGINS: 'https://app.example, chrome-extension://abc',
  });
  const token = await tokenOf(place.home);
  const authorization = () => ({ authorization: `Bearer ${token}` });
  /** Asks as the user. */
  const call = (path: string, options: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, { ...options, headers: { ...authorization(), ...options.headers } });
  const close = async () => {
    await gateway.close();
    await Promise.all([identity.close(), analysis.close()]);
    await place.remove();
  };
  return {
    home: place.home,
    identity,
    analysis,
    gateway,
    token,
    arrived,
    abandoned,
    authorization,
    call,
    close,
  };
}

/** Status and code of an error. */
export const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error_code: string }).error_code,
];
