import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { RedisConnection } from '../../../src/foundation/redis/redis.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { MOUNTS, type Mount } from '../../../src/services/gateway/mounts.ts';
import { createGatewayService } from '../../../src/services/gateway/service.ts';
import { loadKeys, signToken, type TokenRequest } from '../../../src/services/identity/keys.ts';
import { testPlatform } from '../identity/running.ts';

/** The public address that the gateway of these tests believes to have. */
export const PUBLIC_URL = 'https://limpede.example';

/** A server on a port of its own. */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server; close(): Promise<void> }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A key set like the identity service's, and an echo of everything else. */
export async function listenIdentity(home: string) {
  const sets = new Map<string, unknown>();
  for (const realm of ['clients', 'admins'] as const) {
    const { keys } = await loadKeys(home, realm);
    const open = keys.map(({ kty, n, e, kid, alg, use }) => ({ kty, n, e, kid, alg, use }));
    sets.set(`/realms/${realm}/jwks`, { keys: open });
  }
  return listen((request, response) => {
    const found = sets.get(request.url ?? '') ?? { method: request.method, url: request.url };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  });
}

/** A token of the keys in a folder. */
export async function tokenOf(home: string, changes: Partial<TokenRequest> = {}): Promise<string> {
  const request: TokenRequest = {
    realm: 'clients',
    subject: 'ana',
    roles: ['user'],
    application: 'test',
    lifetime: 600,
    ...changes,
  };
  return signToken(await loadKeys(home, request.realm), PUBLIC_URL, request);
}

/** Starts a gateway on a port of its own, to the services of the platform or to those of another table. */
export async function startGateway(
  home: string,
  environment: Record<string, string>,
  mounts: readonly Mount[] = MOUNTS,
  redis?: RedisConnection,
) {
  const service = createGatewayService(mounts);
  const settings = parseSettings(service.settings, environment);
  const built = await buildService(service, settings, { ...testPlatform(home, PUBLIC_URL), redis });
  const url = await built.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...built, url };
}

/** Sends bytes as they are and returns what comes back until the connection ends or `until` is seen. */
export function exchangeBytes(url: string, bytes: string | Buffer, until?: RegExp): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      seen += chunk;
      if (until?.test(seen)) socket.destroy();
    });
    socket.once('close', () => resolve(seen));
    socket.once('error', reject);
  });
}
