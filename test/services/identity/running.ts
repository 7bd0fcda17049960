import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import type { Platform } from '../../../src/foundation/platform.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { identityService } from '../../../src/services/identity/service.ts';

/** A logger for tests that must be quiet. */
const silent = pino({ level: 'silent' });

/** The platform of a test; only the identity service opens the database. */
export function testPlatform(home: string, publicUrl: string, database?: () => Promise<Database>): Platform {
  return {
    home,
    publicUrl,
    version: '1.2.3',
    log: silent,
    metrics: new Registry(),
    database: database ?? (() => Promise.reject(new Error('this test has no database'))),
  };
}

/** A port on this machine whose server is filled in later, for addresses that must be known first. */
export async function listenFirst(): Promise<{ url: string; server: Server; serve(target: Server): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    serve: (target) => server.on('request', (request, response) => target.emit('request', request, response)),
  };
}

/** Starts the identity service on a port of its own. */
export async function startIdentity(
  place: { home: string; publicUrl: string; database: Database },
  environment: Record<string, string> = {},
) {
  const settings = parseSettings(identityService.settings, environment);
  const platform = testPlatform(place.home, place.publicUrl, async () => place.database);
  const built = await buildService(identityService, settings, platform);
  const url = await built.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...built, url };
}

/** An embedded database in a folder. */
export function testDatabase(home: string): Promise<Database> {
  return openDatabase({ home, log: silent });
}
