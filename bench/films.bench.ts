import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { pino } from 'pino';
import { type Database, openDatabase } from '../src/foundation/database/database.ts';
import type { FrameHash } from '../src/media/recording/film-hashes.ts';
import { momentsToStore } from '../src/media/recording/film-moments.ts';
import { lookUpRecording } from '../src/services/analysis/media/recording-history.ts';
import { storeFilm } from '../src/services/analysis/store/film-hashes.ts';
import type { StoredMedia } from '../src/services/analysis/store/media.ts';
import { migrations } from '../src/services/analysis/store/migrations.ts';
import type { AnalysisTables } from '../src/services/analysis/store/tables.ts';

/**
 * How long it takes to look a film up among so many others of one owner: a film of three minutes that is none of them, a copy of a minute of
 * one, and what comparing it with all of them frame by frame would take. Hashes are made: scenes of some seconds in which a few bits move.
 */
const FILMS = Number(process.env.BENCH_FILMS ?? 10_000);
const SECONDS = 60;
const LONG_SECONDS = 180;
const ROUNDS = 5;
const OWNER = 'clients/bench';
const log = pino({ level: 'warn' });

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const idOf = (film: number) => `00000000-0000-4000-8000-${film.toString(16).padStart(12, '0')}`;
const textOf = (bytes: Buffer) => bytes.toString('hex');

/** A film whose scene changes every four seconds or so, and in which three bits move each quarter of a second. */
function filmOf(seconds: number): FrameHash[] {
  const hash = Buffer.alloc(32);
  return Array.from({ length: 4 * seconds }, (_, quarter) => {
    if (quarter === 0 || random() < 1 / 16) for (let at = 0; at < 32; at += 1) hash[at] = 256 * random();
    for (let moved = 0; moved < 3; moved += 1) {
      const bit = Math.floor(256 * random());
      hash[bit >> 3] = (hash[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    }
    return { timeSec: quarter / 4, hash: textOf(hash), quality: 100 };
  });
}

/** The same with eight bits of each frame changed: a copy that was compressed anew. */
const copyOf = (film: readonly FrameHash[]): FrameHash[] =>
  film.map((frame) => {
    const hash = Buffer.from(frame.hash, 'hex');
    for (let bit = 0; bit < 8; bit += 1)
      hash[4 * bit] = (hash[4 * bit] ?? 0) ^ (1 << Math.floor(8 * random()));
    return { ...frame, hash: textOf(hash) };
  });

/** So many films of an owner, each with a completed session. */
async function fill(database: Database): Promise<FrameHash[]> {
  await database.migrate('analysis', migrations);
  const queries = database.kysely<AnalysisTables>();
  let known: FrameHash[] = [];
  for (let film = 0; film < FILMS; film += 1) {
    const id = idOf(film);
    await sql`insert into media_object (media_id, account, bucket, object_key, media_type, mime_type, size_bytes, sha256)
      values (${id}, ${OWNER}, 'media', ${id}, 'video', 'video/mp4', 1, ${id})`.execute(queries);
    await sql`insert into analysis_session (session_id, user_id, account, input_type, input_hash, source_app, plan_type, user_flagged,
        status, submission, plan, config_version, media_id)
      values (${id}, 'bench', ${OWNER}, 'video', ${id}, 'api', 1, false, 'completed', '{}', '{}', 0, ${id})`.execute(
      queries,
    );
    const frames = filmOf(SECONDS);
    await storeFilm(queries, id, frames, momentsToStore(frames));
    if (film === FILMS >> 1) known = frames;
  }
  return known;
}

const middle = (values: number[]) => [...values].sort((one, two) => one - two)[values.length >> 1] ?? 0;

async function measure(name: string, database: Database): Promise<void> {
  const filling = performance.now();
  const known = await fill(database);
  const each = (performance.now() - filling) / FILMS;
  const queries = database.kysely<AnalysisTables>();
  const media = { mediaId: idOf(2 ** 40), account: OWNER, sha256: 'none' } as StoredMedia;
  const { rows } = await sql<{ size: string }>`
    select pg_size_pretty(pg_total_relation_size('film_hash') + pg_total_relation_size('film_moment')) as size`.execute(
    queries,
  );
  console.log(`| ${name} | film kept, with its rows | ${each.toFixed(1)} ms | ${rows[0]?.size} in all |`);
  for (const [what, film] of [
    ['unknown film of three minutes', filmOf(LONG_SECONDS)],
    [
      'copy of half of one after a minute of another',
      [
        ...filmOf(SECONDS),
        ...copyOf(known.slice(0, 2 * SECONDS)).map((frame) => ({
          ...frame,
          timeSec: frame.timeSec + SECONDS,
        })),
      ],
    ],
  ] as const) {
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = performance.now();
      // Nothing is kept of it: there is no such medium.
      const seen = await lookUpRecording({ queries, log }, media, film);
      times.push(performance.now() - at);
      found = seen?.sessions.length ?? -1;
    }
    console.log(`| ${name} | ${what} | ${middle(times).toFixed(0)} ms | ${found} found |`);
  }
}

console.log(`${FILMS} films of ${SECONDS} s\n\n| Database | What | Time | |\n|---|---|---|---|`);
const server = process.env.LIMPEDE_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';
const admin = new Client({ connectionString: server });
const isThere = await admin.connect().then(
  () => true,
  () => false,
);
if (isThere) {
  const name = `limpede_bench_films_${process.pid}`;
  await admin.query(`create database ${name}`);
  const home = await mkdtemp(join(tmpdir(), 'limpede-bench-'));
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const database = await openDatabase({ url, home, log });
  await measure('PostgreSQL', database).finally(async () => {
    await database.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    await rm(home, { recursive: true });
  });
}
const home = await mkdtemp(join(tmpdir(), 'limpede-bench-'));
const database = await openDatabase({ home, log });
await measure('embedded', database).finally(async () => {
  await database.close();
  await rm(home, { recursive: true });
});
