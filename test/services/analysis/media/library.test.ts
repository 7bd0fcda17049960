import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { createDiskStore } from '../../../../src/foundation/objects/disk.ts';
import type { ObjectStore } from '../../../../src/foundation/objects/object-store.ts';
import {
  createMediaLibrary,
  type IncomingContent,
  type MediaLibrary,
} from '../../../../src/services/analysis/media/library.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { newSession, submissionOf } from '../harness.ts';

const home = freshHome();
let folder: string;
let database: Database;
let queries: Kysely<AnalysisTables>;
let objects: ObjectStore;
let library: MediaLibrary;
const open = (store: ObjectStore, days = 30) =>
  createMediaLibrary({ queries, objects: store, share: { bytes: 10_000, arriving: 3 }, days, log: silent });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-library-'));
  database = await openDatabase({ home: home.home, log: silent });
  await database.migrate('analysis', migrations);
  queries = database.kysely<AnalysisTables>();
  objects = createDiskStore(folder);
  library = open(objects);
});
afterAll(async () => {
  await database.close();
  home.remove();
  await rm(folder, { recursive: true });
});

/** Bytes that begin like a GIF and go on by chance. */
const gif = (size: number) => Buffer.concat([Buffer.from('GIF89a'), randomBytes(size - 6)]);
async function* inPieces(bytes: Buffer, before: Promise<void> = Promise.resolve()) {
  yield bytes.subarray(0, 5_000);
  await before;
  yield bytes.subarray(5_000);
}
const incoming = (bytes: Buffer, more: Partial<IncomingContent> = {}): IncomingContent => ({
  content: inPieces(bytes),
  fileName: undefined,
  mostBytes: 10_000,
  leastBytes: 1,
  ...more,
});
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
const unowned = async () => (await queries.selectFrom('media_unowned').selectAll().execute()).length;
const receiveAndKeep = async (account: string, bytes: Buffer, from = library) =>
  from.keep(await from.receive(account, incoming(bytes)));

describe('the share of one user', () => {
  it('holds for files that arrive together', async () => {
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    // No byte is sent before all have room: otherwise the second would be refused at once.
    const content = async function* () {
      await wait;
      yield gif(6_000);
    };
    const one = () => incoming(gif(6_000), { mostBytes: 6_000, content: content() });
    const under = Promise.allSettled(
      Array.from({ length: 3 }, () => library.receive('clients/together', one())),
    );
    await expect.poll(unowned).toBeGreaterThan(1);
    go();
    const outcomes = await under;
    const arrived = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(arrived).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'payload_too_large' });
    for (const arrival of arrived) await library.discard(arrival);
    expect([await files(), await unowned()]).toEqual([0, 0]);
  });

  it('is a number of files on their way, too', async () => {
    const held = [];
    for (let count = 0; count < 3; count++)
      held.push(await library.receive('clients/many', incoming(gif(1_000), { mostBytes: 1_000 })));
    await expect(library.receive('clients/many', incoming(gif(1_000)))).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '5' },
    });
    await library.discard(await library.receive('clients/other', incoming(gif(1_000))));
    for (const arrival of held) await library.discard(arrival);
    await library.discard(await library.receive('clients/many', incoming(gif(1_000))));
    expect([await files(), await unowned()]).toEqual([0, 0]);
  });

  it('refuses before the first byte what is said to be larger than the room that is left', async () => {
    let asked = false;
    const content = (async function* () {
      asked = true;
      yield gif(5_000);
    })();
    await expect(
      library.receive('clients/large', incoming(gif(10), { content, leastBytes: 10_001, mostBytes: 20_000 })),
    ).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(asked).toBe(false);
  });
});

describe('an object that nobody owns', () => {
  const past = () => sql`update media_unowned set until = now() - interval '1 second'`.execute(queries);

  it('is removed when its process is gone: half arrived, arrived, or with no file at all', async () => {
    const never = new Promise<void>(() => undefined);
    void library.receive('clients/gone', { ...incoming(gif(9_000)), content: inPieces(gif(9_000), never) });
    const arrived = await open(objects).receive('clients/gone2', incoming(gif(1_000)));
    await sql`insert into media_unowned (bucket, object_key, account, reserved_bytes, until)
      values ('media', 'never/came', 'clients/gone', 5, now())`.execute(queries);
    await expect.poll(files).toBe(2);
    await past();
    await library.sweep();
    expect([await files(), await unowned()]).toEqual([0, 0]);
    // A sender that was only slow is refused as too late, and nothing without bytes is kept.
    await expect(library.keep(arrived)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await queries.selectFrom('media_object').selectAll().execute()).toEqual([]);
  });

  it('goes with what the extractors drew of it', async () => {
    const arrival = await library.receive('clients/drawn', incoming(gif(1_000)));
    const { bucket, key } = arrival.name;
    await objects.put({ bucket, key: `${key}.error-level.png` }, Readable.from([gif(100)]));
    expect(await files()).toBe(2);
    await library.discard(arrival);
    expect([await files(), await unowned()]).toEqual([0, 0]);
  });

  it('is left alone while it arrives, and what is owned is never touched', async () => {
    const kept = await receiveAndKeep('clients/owner', gif(1_000));
    const arriving = await library.receive('clients/owner', incoming(gif(1_000)));
    await library.sweep();
    expect(await files()).toBe(2);
    expect((await library.keep(arriving)).account).toBe('clients/owner');
    expect((await library.find({ mediaId: kept.mediaId }))?.sha256).toBe(kept.sha256);
  });

  it('stays for the next sweep while the store is away', async () => {
    const before = await files();
    let away = false;
    const flaky = open({
      ...objects,
      remove: (name) => (away ? Promise.reject(new Error('away')) : objects.remove(name)),
    });
    const arrival = await flaky.receive('clients/flaky', incoming(gif(1_000)));
    away = true;
    await flaky.discard(arrival);
    await past();
    await expect(flaky.sweep()).rejects.toThrow('away');
    expect([await files(), await unowned()]).toEqual([before + 1, 1]);
    // Its sender has the room again at once.
    const { reserved_bytes } = await queries
      .selectFrom('media_unowned')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(Number(reserved_bytes)).toBe(0);
    away = false;
    await past();
    await flaky.sweep();
    expect([await files(), await unowned()]).toEqual([before, 0]);
  });
});

describe('a medium that was not used for long', () => {
  const age = () => sql`update media_object set used_at = now() - interval '31 days'`.execute(queries);

  it('goes, unless a younger or an open session is about it', async () => {
    const account = 'clients/old';
    const unused = await receiveAndKeep(account, gif(500));
    const used = await receiveAndKeep(account, gif(600));
    const old = await receiveAndKeep(account, gif(700));
    for (const media of [used, old]) {
      const session = newSession(submissionOf({ account, mediaId: media.mediaId }));
      await insertSession(queries, { ...session, status: 'completed', lease: null });
      if (media === old)
        await sql`update analysis_session set created_at = now() - interval '40 days'
          where session_id = ${session.sessionId}`.execute(queries);
    }
    await age();
    await open(objects, 0).sweep();
    expect(await library.find({ mediaId: unused.mediaId })).toBeDefined();
    await library.sweep();
    const left = [unused, used, old].map(({ mediaId }) => library.find({ mediaId }));
    expect((await Promise.all(left)).map((media) => media !== undefined)).toEqual([false, true, false]);
    await expect(library.open(old)).rejects.toMatchObject({ code: 'media_not_found' });
  });

  it('is young again when it is sent again', async () => {
    const bytes = gif(800);
    const media = await receiveAndKeep('clients/again', bytes);
    await age();
    expect((await receiveAndKeep('clients/again', bytes)).mediaId).toBe(media.mediaId);
    await library.sweep();
    expect(await library.find({ mediaId: media.mediaId })).toBeDefined();
  });
});
