import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnalysisSession,
  analysisSession,
} from '../src/services/analysis/resources/analysis-session.ts';
import { startCampaign } from './campaign.ts';
import { pause, until } from './patience.ts';
import {
  createEnvironment,
  type Environment,
  limpede,
  type Program,
  runBeside,
  talkTo,
} from './running-platform.ts';

const ANALYZE = '/api/v3/pipeline/analyze';
/** Sentences enough that a batch of them takes longer than the kill needs. */
const sentence = (number: number) =>
  `Report ${number} says that ministers LIED about the vaccine and that everybody must share this before noon. `;
const longText = (number: number) => sentence(number).repeat(10);

let place: Awaited<ReturnType<typeof createEnvironment>>;
let environment: Environment;
let program: Program | undefined;
let token: string;
let talk: ReturnType<typeof talkTo>;

beforeAll(async () => {
  place = await createEnvironment({ ANALYSIS_SLOTS_FREE: '3' }, { firstStart: true });
  environment = place.environment;
  talk = talkTo(environment);
  program = await runBeside(environment);
  token = await talk.token({ user: 'ana' });
});
afterAll(async () => {
  if (program?.child.exitCode === null && program.child.signalCode === null) {
    program.child.kill('SIGKILL');
    await program.ended;
  }
  await place?.remove();
});

const accept = async (number: number): Promise<string> => {
  const body = { media_type: 'text', text: longText(number) };
  const accepted = await talk.ask('/api/v3/pipeline/analyze-async', { token, body });
  expect(accepted.status, accepted.text).toBe(202);
  return accepted.body.data.session_id;
};
const historyOf = async (): Promise<AnalysisSession[]> => {
  const list = await talk.ask('/api/v3/pipeline/history?limit=100', { token });
  return list.body.data.items;
};
const isFree = (port: string | undefined) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(Number(port), '127.0.0.1', () => server.close(() => resolve(true)));
  });
const portsOf = () =>
  Object.entries(environment).flatMap(([name, port]) => (name.endsWith('_PORT') ? [port] : []));

describe('the platform as a process', () => {
  it('says where it is, how to get a token and what to ask first', () => {
    const out = program?.output.out ?? '';
    expect(out).toContain(`Limpede is ready at ${environment.LIMPEDE_PUBLIC_URL}`);
    expect(out).toContain(environment.LIMPEDE_HOME);
    expect(out).toContain('limpede token');
    expect(out).toContain(`curl -s ${environment.LIMPEDE_PUBLIC_URL}/agent-v3${ANALYZE}`);
    expect(out).toMatch(/reader +\S{12,}/);
  });

  it('refuses a second process on its folder and keeps working', async () => {
    const other = await createEnvironment({ LIMPEDE_HOME: String(environment.LIMPEDE_HOME) });
    // One service that keeps data is enough to want the folder.
    const second = limpede(['up', 'identity'], other.environment);
    expect(await second.ended).toBe(1);
    expect(second.output.err).toMatch(/in use|another process|is used/i);
    expect(second.output.err.trim().split('\n').length, second.output.err).toBeLessThanOrEqual(3);
    expect((await talk.ask('/api/v3/health')).status).toBe(200);
    await other.remove();
  });

  it('refuses a start on ports that are taken, in one sentence', async () => {
    const other = await createEnvironment();
    const taken = { ...other.environment, GATEWAY_PORT: String(environment.GATEWAY_PORT) };
    const second = limpede(['up', 'gateway'], taken);
    expect(await second.ended).toBe(1);
    expect(second.output.err).toContain(String(environment.GATEWAY_PORT));
    expect(second.output.err.trim().split('\n').length, second.output.err).toBeLessThanOrEqual(2);
    await other.remove();
  });

  it('loses nothing that it accepted when it is killed, and does nothing twice', async () => {
    const kills = startCampaign('kill rounds of the platform');
    const rounds = kills.rounds(1, 20);
    for (let round = 0; round < rounds; round++) await killRound(kills.integer(0, 800));
    kills.summary(`${rounds} kills with ten sessions each, nothing lost, nothing twice`);
  });

  async function killRound(delayMs: number): Promise<void> {
    const known = new Set((await historyOf()).map(({ session_id }) => session_id));
    const ids = await Promise.all(Array.from({ length: 10 }, (_, number) => accept(number)));
    const direct = talk
      .ask(ANALYZE, { token, body: { media_type: 'text', text: longText(99) } })
      .then(({ status }) => status)
      .catch(() => 'cut');
    const begun = ['running', 'completed'];
    await until(async () => (await historyOf()).some(({ status }) => begun.includes(status)));
    await pause(delayMs);
    const before = (await historyOf()).filter(({ session_id }) => !known.has(session_id));
    program?.child.kill('SIGKILL');
    expect(await program?.ended).toBe('SIGKILL');
    await direct;

    program = await runBeside(environment);
    expect(program.output.out).not.toContain('shown this once');
    const sessions = [];
    for (const id of ids) sessions.push(analysisSession.parse((await talk.final(id, token)).body.data));
    for (const { status, components_run, degraded, verdict } of sessions) {
      expect([status, components_run]).toEqual(['completed', ['techniques', 'ai_tampered', 'claims']]);
      expect(degraded.filter(({ effect }) => effect === 'component_lost')).toEqual([]);
      expect(verdict).not.toBeNull();
    }
    // What the direct form had stored is taken up as well: every session of before is there, once, and ended.
    for (const { session_id } of before) await talk.final(session_id, token);
    const after = (await historyOf()).filter(({ session_id }) => !known.has(session_id));
    const stored = new Set(after.map(({ session_id }) => session_id));
    expect(stored.size).toBe(after.length);
    for (const { session_id } of before) expect(stored.has(session_id)).toBe(true);
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 'completed'));
    expect(after.length).toBeGreaterThanOrEqual(ids.length);
    expect(after.length).toBeLessThanOrEqual(ids.length + 1);
  }

  it('takes tokens of before the restart, and shows the sessions of before', async () => {
    expect((await historyOf()).length).toBeGreaterThan(9);
  });

  it('stops on Ctrl-C in the middle of work, and finishes it the next time', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, number) => accept(number + 20)));
    program?.child.kill('SIGINT');
    expect(await program?.ended).toBe(0);
    program = await runBeside(environment);
    for (const id of ids) expect((await talk.final(id, token)).body.data.status).toBe('completed');
  });

  it('stops when it is told to, with code 0, and its ports are free', async () => {
    const silent = connect(Number(environment.GATEWAY_PORT), '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    program?.child.kill('SIGTERM');
    expect(await program?.ended).toBe(0);
    expect(program?.output.err).toBe('');
    silent.destroy();
    for (const port of portsOf()) expect(await isFree(port), port).toBe(true);
  });
});
