import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaign } from '../campaign.ts';
import { freshPostgres } from '../foundation/database/engines.ts';
import { eventually, pause } from '../patience.ts';
import { createEnvironment, type Environment, type Program, runBeside, talkTo } from '../running-platform.ts';
import { amqpUrl, createWay } from '../services/analysis/broker/rabbitmq/server.ts';
import { type DatabaseSize, growthByTable, watchDatabase } from './database-size.ts';
import { inWords, type Judgement, judgeGrowth, judgeLevel, type Series } from './judge.ts';
import { type Tally, work } from './load.ts';
import { startUpstream } from './upstreams.ts';

/** Set by `npm run soak`. */
const minutes = Number(process.env.LIMPEDE_SOAK_MINUTES ?? '0');
const MINUTE_MS = 60_000;
const CALLERS = 4;
/** Steps of a sample. */
const SAMPLE = 24;
/** How often the platform is looked at, and its lines are cut, in milliseconds. */
const LOOK_MS = 5_000;
const CUT_MS = 40_000;
const MOOD_MS = 4_000;
/** What memory and handles may stand higher by in the last third of a run. */
const TOLERANCE = 0.1;
/** Bytes that the database may grow by for each session that was made and deleted: who, when and how it ended stay. */
const KEPT_BYTES = 4096;

/** PostgreSQL behind a line that can be cut; a sample has the embedded database. */
async function openEngines(real: boolean) {
  if (!real) return { settings: {}, cut: () => undefined, size: undefined, close: async () => undefined };
  const fresh = await freshPostgres();
  const [database, queues] = [await createWay(fresh.url), await createWay(amqpUrl)];
  const prefix = `limpede-soak-${process.pid}`;
  const watcher = await watchDatabase(fresh.url);
  let turn = 0;
  return {
    settings: { DATABASE_URL: database.url, AMQP_URL: queues.url, AMQP_PREFIX: prefix },
    cut: () => (turn++ % 2 === 0 ? database : queues).drop(),
    size: watcher.look,
    close: async () => {
      await watcher.close();
      await Promise.all([database.close(), queues.close()]);
      await fresh.remove();
    },
  };
}

let engines: Awaited<ReturnType<typeof openEngines>>;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let environment: Environment;
let remove: () => Promise<void>;
let program: Program | undefined;
beforeAll(async () => {
  engines = await openEngines(minutes > 0);
  upstream = await startUpstream(MOOD_MS);
  ({ environment, remove } = await createEnvironment({
    ...engines.settings,
    LIMPEDE_LOG_LEVEL: 'error',
    LLM_GPU_URL: `${upstream.url}/v1`,
    LLM_DEFAULT_MODEL: 'm',
    WEB_ALLOWED_PRIVATE_HOSTS: upstream.host,
    GATEWAY_RATE_LIMIT_RPS: '1000',
    GATEWAY_RATE_LIMIT_BURST: '1000',
  }));
  program = await runBeside(environment);
});
afterAll(async () => {
  program?.child.kill('SIGKILL');
  await program?.ended;
  upstream?.close();
  await engines?.close();
  await remove?.();
});

interface Look {
  readonly at: number;
  readonly sessions: number;
  readonly memory: number;
  readonly handles: number;
  readonly database: DatabaseSize | undefined;
}

/** Memory and open handles of the platform, as the system reports them. */
async function lookAt(at: number, sessions: number): Promise<Look> {
  const folder = `/proc/${program?.child.pid}`;
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
  const handles = readdirSync(`${folder}/fd`).length;
  // The database is asked beside the line that is cut; a look that fails would be a hole, not a zero.
  return { at, sessions, memory: Number(kibibytes) * 1024, handles, database: await engines.size?.() };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** What the looks show, in words, and what does not level off. */
function judge(looks: readonly Look[]) {
  const of = (value: (look: Look) => number, at: (look: Look) => number = (look) => look.at): Series =>
    looks.map((look) => ({ at: at(look), value: value(look) }));
  const memory = judgeLevel(
    of(({ memory: bytes }) => bytes),
    TOLERANCE,
  );
  const handles = judgeLevel(
    of(({ handles: count }) => count),
    TOLERANCE,
  );
  const sizes = looks.every(({ database }) => database !== undefined);
  const database = sizes
    ? judgeGrowth(
        of(
          ({ database: size }) => size?.bytes ?? 0,
          ({ sessions }) => sessions,
        ),
        KEPT_BYTES,
      )
    : undefined;
  const all: [string, Judgement | undefined][] = [
    ['memory', memory],
    ['handles', handles],
    ['database', database],
  ];
  const words = [
    `memory ${inWords(memory, mebibytes)}`,
    `handles ${inWords(handles, String)}`,
    ...(database === undefined || database.level === null
      ? []
      : [`database ${Math.round(database.slope)} bytes for each session`]),
  ];
  return { words, growing: all.filter(([, judged]) => judged?.level === false).map(([name]) => name) };
}

describe('the platform under lasting work and faults', () => {
  const campaign = startCampaign('soak');

  it(
    'answers every request as documented, and its memory, handles and database level off',
    async () => {
      const talk = talkTo(environment);
      const tokens = await Promise.all(
        Array.from({ length: CALLERS }, (_, index) => talk.token({ user: `user-${index}` })),
      );
      const tally: Tally = { sessions: 0, deleted: 0, turnedAway: 0, left: 0, done: {}, problems: [] };
      const started = Date.now();
      const end = started + minutes * MINUTE_MS;
      let steps = 0;
      const goesOn = () => steps++ < SAMPLE || Date.now() < end;
      const looks: Look[] = [];
      const cutter = setInterval(() => engines.cut(), CUT_MS);
      let working = true;
      const done = Promise.all(
        tokens.map((token) => work({ talk, token, campaign, pages: upstream.url, tally }, goesOn)),
      );
      const watching = (async () => {
        while (working) {
          looks.push(await lookAt((Date.now() - started) / 1000, tally.sessions));
          await Promise.race([pause(LOOK_MS), done]);
        }
      })();
      await done;
      working = false;
      clearInterval(cutter);
      await watching;

      const { out, err } = program?.output ?? { out: '', err: '' };
      const unexpected = `${out}${err}`.split('\n').filter((line) => line.includes('failed unexpectedly'));
      expect([...tally.problems.slice(0, 10), ...unexpected.slice(0, 5)]).toEqual([]);
      expect(program?.child.exitCode).toBeNull();
      await eventually(async () => expect((await talk.ask('/api/v3/health')).status).toBe(200));
      const { words, growing } = judge(looks);
      const kinds = Object.entries(tally.done).map(([name, count]) => `${name} ${count}`);
      campaign.summary(
        `${Math.round((Date.now() - started) / 1000)} s, ${tally.sessions} sessions (${tally.deleted} deleted), ${kinds.join(', ')}, ${tally.turnedAway} told to come again; ${words.join(', ')}`,
      );
      const [early, late] = [looks[Math.floor(looks.length / 3)]?.database, looks.at(-1)?.database];
      const tables = early !== undefined && late !== undefined ? growthByTable(early, late) : [];
      expect({ growing, tables: growing.includes('database') ? tables : [] }).toEqual({
        growing: [],
        tables: [],
      });
    },
    (minutes + 10) * MINUTE_MS,
  );
});
