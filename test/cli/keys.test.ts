import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CommandDef, runCommand } from 'citty';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { keysCommand } from '../../src/cli/keys.ts';
import { isApiKey } from '../../src/foundation/api-keys.ts';
import { type Database, openDatabase } from '../../src/foundation/database/database.ts';
import { freshHome, silent } from '../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from '../services/analysis/routes/running-analysis.ts';

const PREFIX = '/agent-v3';
const home = freshHome();
let database: Database;
let service: RunningAnalysis;
let server: Server;
let url: string;

beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(database);
  // In the place of the gateway: takes its prefix off.
  server = createServer(async (request, response) => {
    const body = await text(request);
    const { status, body: answer } = await service.ask(
      request.method as 'GET' | 'POST' | 'DELETE',
      String(request.url).slice(PREFIX.length),
      { as: String(request.headers.authorization).slice('Bearer '.length), ...(body !== '' && { body }) },
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await service.close();
  await database.close();
  home.remove();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs the command; what it printed. */
async function keys(...rawArgs: string[]): Promise<string[]> {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
  const environment = { LIMPEDE_PUBLIC_URL: url, LIMPEDE_TOKEN: 'clients/ana/user' };
  await runCommand(keysCommand(environment) as unknown as CommandDef, { rawArgs });
  const lines = print.mock.calls.map(([line]) => String(line));
  print.mockClear();
  return lines;
}

describe('limpede keys', () => {
  it('issues a key, lists it and revokes it', async () => {
    const [key = '', ...more] = await keys('issue', '--label', 'My browser', '--scopes', 'read');
    expect(isApiKey(key)).toBe(true);
    expect(more).toEqual([]);
    const history = { as: null, headers: { 'x-api-key': key } };
    expect((await service.ask('GET', '/api/v3/pipeline/history', history)).status).toBe(200);
    const [line = '', ...others] = await keys('list');
    expect(others).toEqual([]);
    const [id = '', prefix, scopes, , end, label] = line.split('\t');
    expect([prefix, scopes, end, label]).toEqual([`${key.slice(0, 12)}...`, 'read', 'no end', 'My browser']);
    await keys('revoke', id);
    expect(await keys('list')).toEqual([]);
    expect((await service.ask('GET', '/api/v3/pipeline/history', history)).status).toBe(401);
  });

  it('says in one line why a key is not issued', async () => {
    await expect(keys('issue', '--label', 'x', '--scopes', 'everything')).rejects.toThrow(
      /400 validation_failed/,
    );
    await expect(keys('revoke', 'nonsense')).rejects.toThrow(/404 not_found: You have no such key/);
  });

  it('says when nothing runs', async () => {
    const environment = { LIMPEDE_PUBLIC_URL: 'http://127.0.0.1:1', LIMPEDE_TOKEN: 'x' };
    await expect(
      runCommand(keysCommand(environment) as unknown as CommandDef, { rawArgs: ['list'] }),
    ).rejects.toThrow(/nothing runs at/);
  });
});
