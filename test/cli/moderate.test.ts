import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CommandDef, runCommand } from 'citty';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { moderateCommand } from '../../src/cli/moderate.ts';
import { type Database, openDatabase } from '../../src/foundation/database/database.ts';
import { freshHome, silent } from '../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from '../services/analysis/routes/running-analysis.ts';

const PREFIX = '/agent-v3';
const TEXT =
  'Acești trădători vor să ne distrugă țara! Potrivit INS, în 2023 inflația a fost de 10,4 la sută.';
const home = freshHome();
const folder = mkdtempSync(join(tmpdir(), 'limpede-moderate-'));
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
      request.method as 'GET' | 'POST',
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
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs the command as a moderator; what it printed. */
async function moderate(rawArgs: string[], user = 'mara'): Promise<string> {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  const environment = { LIMPEDE_PUBLIC_URL: url, LIMPEDE_TOKEN: `admins/${user}/moderator` };
  await runCommand(moderateCommand(environment) as unknown as CommandDef, { rawArgs });
  const lines = print.mock.calls.map(([line]) => String(line));
  print.mockRestore();
  return lines.join('\n');
}

/** A session that its user wants a person to look at. */
async function flagged(number: number): Promise<string> {
  const { body } = await service.ask('POST', '/api/v3/pipeline/analyze', {
    body: { media_type: 'text', text: `${TEXT} Al ${number}-lea.`, user_flagged: true },
  });
  return body.data.session_id;
}
const sessionOf = async (sessionId: string) =>
  (await service.ask('GET', `/api/v3/pipeline/sessions/${sessionId}`)).body.data;

describe('limpede moderate', () => {
  it('lists what waits, claims the most urgent entry, shows it and resolves it', async () => {
    const sessions = [await flagged(1), await flagged(2)];
    const waiting = (await moderate(['list'])).split('\n').map((line) => line.split('\t'));
    expect(
      waiting.map(([, priority, reason, status, , session]) => [priority, reason, status, session]),
    ).toEqual(sessions.map((session) => ['1', 'flagged', 'pending', session]));
    const next = await moderate(['next', '--lang', 'ro']);
    const [id = ''] = next.split('\t');
    expect(next).toContain('in_review');
    expect(next).toContain(`Sesiune ${sessions[0]}`);
    expect(await moderate(['show', id])).toContain(`Session ${sessions[0]}`);
    expect(await moderate(['resolve', id, '--action', 'approved'])).toMatch(
      new RegExp(`^${id}\t.*\tresolved\t`),
    );
    expect((await moderate(['list', '--status', 'resolved'])).split('\t')[0]).toBe(id);
  });

  it('corrects by a file of patches, and claims the entry for it', async () => {
    const sessionId = await flagged(3);
    const line = (await moderate(['list'])).split('\n').find((entry) => entry.endsWith(sessionId)) ?? '';
    const [id = ''] = line.split('\t');
    const corrections = join(folder, 'patch.json');
    writeFileSync(corrections, JSON.stringify({ verdict: { risk_score: 88 } }));
    const resolved = [
      'resolve',
      id,
      '--action',
      'corrected',
      '--notes',
      'seen',
      '--corrections',
      corrections,
    ];
    expect(await moderate(resolved)).toContain('resolved');
    expect(await sessionOf(sessionId)).toMatchObject({ risk_score: 88, revision: 2 });
  });

  it('says why it cannot, and leaves an entry of somebody else alone', async () => {
    await flagged(4);
    const [id = ''] = (await moderate(['next'], 'dan')).split('\t');
    await expect(moderate(['resolve', id, '--action', 'rejected'])).rejects.toThrow(
      '409 entry_already_claimed',
    );
    await expect(moderate(['show', '999999'])).rejects.toThrow('404 queue_entry_not_found');
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, '{');
    const resolved = ['resolve', id, '--action', 'corrected', '--corrections', broken];
    await expect(moderate(resolved, 'dan')).rejects.toThrow(broken);
    writeFileSync(broken, '{"verdict": 3}');
    await expect(moderate(resolved, 'dan')).rejects.toThrow('corrections.verdict: ');
  });
});
