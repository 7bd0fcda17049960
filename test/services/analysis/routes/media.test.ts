import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { accountOf } from '../../../../src/services/analysis/pipeline/intake.ts';
import { storedMedia } from '../../../../src/services/analysis/resources/media.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { startManualClock, until } from '../../../patience.ts';
import { newSession, submissionOf } from '../harness.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const PNG = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  Buffer.alloc(50_000, 7),
]);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

const home = freshHome();
let folder: string;
let database: Database;
let service: RunningAnalysis;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-media-'));
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(
    database,
    { ANALYSIS_LARGEST_UPLOAD: '100000', ANALYSIS_MEDIA_QUOTA: '200000' },
    folder,
  );
  url = await service.listen();
});
afterAll(async () => {
  await service.close();
  await database.close();
  home.remove();
  await rm(folder, { recursive: true });
});

const authorization = (as: string) => ({ authorization: `Bearer ${as}` });
function upload(bytes: Uint8Array, name = 'a.png', as = 'clients/ana/user', part = 'file') {
  const body = new FormData();
  body.append(part, new Blob([Uint8Array.from(bytes)], { type: 'text/html' }), name);
  return fetch(`${url}/api/v3/media/upload`, { method: 'POST', body, headers: authorization(as) });
}
const mediaOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return storedMedia.parse(((await response.json()) as { data: unknown }).data);
};
const read = (key: string, headers: Record<string, string> = {}, as = 'clients/ana/user') =>
  fetch(`${url}/api/v3/media/file/media/${key}`, { headers: { ...authorization(as), ...headers } });
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error_code: string }).error_code,
];
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

describe('a medium', () => {
  it('is stored with what its bytes say, whatever its name and type say', async () => {
    const media = await mediaOf(await upload(PNG, 'poză.html'));
    expect(media).toMatchObject({
      bucket: 'media',
      media_type: 'image',
      mime_type: 'image/png',
      size_bytes: PNG.length,
      sha256: createHash('sha256').update(PNG).digest('hex'),
      existing_session_ids: [],
    });
    // Without a reader on this machine the answer says so.
    if (media.unread === null) expect([media.width, media.height, media.duration_sec]).toEqual([1, 1, null]);
    else expect(media.unread.code).toBe('media_reader_missing');
    expect(media.media_url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/agent-v3\/api\/v3\/media\/file\/media\//);
    const whole = await read(media.object_key);
    expect(Buffer.from(await whole.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/png',
      etag: `"${media.sha256}"`,
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(
        /^inline; filename="po_\.html"|^inline; filename="poz_\.html"/,
      ),
    });
    const range = await read(media.object_key, { range: 'bytes=1-3' });
    expect([range.status, await range.text()]).toEqual([206, 'PNG']);
    expect((await read(media.object_key, { 'if-none-match': `"${media.sha256}"` })).status).toBe(304);
  });

  it('is kept once, and names the sessions about it', async () => {
    const first = await mediaOf(await upload(PNG));
    const before = await files();
    const submission = submissionOf({
      account: accountOf('clients', 'ana'),
      mediaUrl: first.media_url,
      mediaId: first.media_id,
    });
    const session = newSession(submission);
    const queries = database.kysely<AnalysisTables>();
    await insertSession(queries, { ...session, status: 'completed', lease: null });
    const again = await mediaOf(await upload(PNG));
    expect(again).toEqual({ ...first, existing_session_ids: [session.sessionId] });
    expect(await files()).toBe(before);
  });

  it('belongs to its owner alone', async () => {
    const own = await mediaOf(await upload(PNG));
    expect(await codeOf(await read(own.object_key, {}, 'clients/ion/user'))).toEqual([
      404,
      'media_not_found',
    ]);
    const other = await mediaOf(await upload(PNG, 'a.png', 'clients/ion/user'));
    expect(other.media_id).not.toBe(own.media_id);
    expect(other.existing_session_ids).toEqual([]);
    expect((await fetch(`${url}/api/v3/media/file/media/${own.object_key}`)).status).toBe(401);
  });

  it('that may carry a program is saved, never shown', async () => {
    const media = await mediaOf(await upload(SVG));
    expect(media.mime_type).toBe('image/svg+xml');
    const response = await read(media.object_key);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it.each<[string, Buffer, string, [number, string], string?]>([
    ['no picture, sound or video', Buffer.from('<!doctype html><p>x'), 'file', [400, 'unsupported_media']],
    ['no picture from its first bytes on', Buffer.alloc(90_000, 'text '), 'file', [400, 'unsupported_media']],
    ['nothing', Buffer.alloc(0), 'file', [400, 'unsupported_media']],
    ['larger than allowed', Buffer.concat([PNG, PNG]), 'file', [413, 'payload_too_large']],
    ['too large for the room that is left', PNG, 'file', [413, 'payload_too_large'], 'clients/full/user'],
    ['under another name', PNG, 'picture', [400, 'validation_failed']],
  ])(
    'that is %s is refused, and nothing of it is kept',
    async (_name, bytes, part, answer, as = 'clients/dan/user') => {
      if (as.includes('full')) {
        await mediaOf(await upload(Buffer.concat([PNG, Buffer.alloc(40_000)]), 'a', as));
        await mediaOf(await upload(Buffer.concat([PNG, Buffer.alloc(45_000)]), 'a', as));
      }
      const before = await files();
      expect(await codeOf(await upload(bytes, 'a', as, part))).toEqual(answer);
      await expect.poll(files).toBe(before);
    },
  );

  it('whose sender leaves in the middle leaves nothing', async () => {
    const before = await files();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      `POST /api/v3/media/upload HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer clients/ana/user\r\n` +
        `content-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\n\r\n` +
        `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`,
    );
    socket.write(PNG.subarray(0, 40_000));
    await expect.poll(files).toBe(before + 1);
    socket.destroy();
    await expect.poll(files).toBe(before);
  });

  it('that comes twice in a form is refused, and the service goes on', async () => {
    const part = (name: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"; filename="x"\r\n\r\n${'x'.repeat(20_000)}\r\n`;
    const send = (names: readonly string[]) =>
      fetch(`${url}/api/v3/media/upload`, {
        method: 'POST',
        headers: { ...authorization('clients/eva/user'), 'content-type': 'multipart/form-data; boundary=b' },
        body: `${names.map(part).join('')}--b--\r\n`,
      });
    expect(await codeOf(await send(['file', 'file']))).toEqual([400, 'validation_failed']);
    expect(await codeOf(await send(['file', 'other']))).toEqual([400, 'validation_failed']);
    await mediaOf(await upload(PNG, 'a.png', 'clients/eva/user'));
  });

  it('whose sender stops in the middle is refused, and leaves neither bytes nor a place that is taken', async () => {
    const before = await files();
    const clock = startManualClock();
    let heard = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('data', (data) => {
      heard += data.toString();
    });
    try {
      socket.write(
        `POST /api/v3/media/upload HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer clients/stefan/user\r\n` +
          `content-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\n\r\n` +
          `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`,
      );
      socket.write(PNG.subarray(0, 40_000));
      await until(async () => (await files()) === before + 1);
      await clock.advance(31_000);
    } finally {
      clock.restore();
    }
    await until(() => heard !== '');
    expect(heard).toMatch(/^HTTP\/1\.1 400 .*did not arrive in time/s);
    await until(async () => (await files()) === before);
    await mediaOf(await upload(PNG, 'a.png', 'clients/stefan/user'));
    socket.destroy();
  });

  it.each(['../../limpede.db', '%2e%2e/%2e%2e/x', 'a%2f..%2fb', '.arriving/x', 'x%00y', '2026-01-01/none'])(
    'is not found at %s',
    async (key) => {
      const response = await read(key);
      expect(response.status).toBe(404);
    },
  );
});

const post = (body: object, as = 'clients/ana/user') =>
  service.ask('POST', '/api/v3/media/download-url', { as, body });
/** The path of an address of the platform, on the service. */
const inside = (address: string) =>
  url + new URL(address).pathname.replace('/agent-v3', '') + new URL(address).search;

describe('a download address', () => {
  it('opens the medium that it was asked for, whole or a range of it, without a token', async () => {
    const media = await mediaOf(await upload(PNG));
    const { media_id, bucket, object_key, media_url } = media;
    for (const name of [{ media_id }, { bucket, object_key }, { media_url }]) {
      const { status, body } = await post({ ...name, expires_in_sec: 60 });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ mime_type: 'image/png', size_bytes: PNG.length });
      expect(Date.parse(body.data.expires_at)).toBeGreaterThan(Date.now());
      const whole = await fetch(inside(body.data.download_url));
      expect(Buffer.from(await whole.arrayBuffer()).equals(PNG)).toBe(true);
      const range = await fetch(inside(body.data.download_url), { headers: { range: 'bytes=1-3' } });
      expect([range.status, await range.text()]).toEqual([206, 'PNG']);
    }
  });

  it.each([
    ['no name', {}],
    ['two names', { media_id: '00000000-0000-4000-8000-000000000000', media_url: 'https://example.org/a' }],
    ['half a name', { bucket: 'media' }],
    ['too short a time', { media_url: 'https://example.org/a', expires_in_sec: 59 }],
    ['too long a time', { media_url: 'https://example.org/a', expires_in_sec: 3601 }],
  ])('is not made for %s', async (_name, body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed']);
  });

  it("is not made for other people's media, nor for what is stored nowhere", async () => {
    const { media_id, bucket, object_key, media_url } = await mediaOf(await upload(PNG));
    for (const name of [{ media_id }, { bucket, object_key }, { media_url }]) {
      const answer = await post(name, 'clients/ion/user');
      expect([answer.status, answer.body.error_code]).toEqual([404, 'media_not_found']);
    }
    for (const address of ['https://example.org/a.png', `${media_url}x`, `${media_url}/../../x`]) {
      expect((await post({ media_url: address })).status).toBe(404);
    }
  });

  it('is worth nothing when a part of it is changed, and when its time is over', async () => {
    const media = await mediaOf(await upload(PNG));
    const other = await mediaOf(await upload(SVG));
    const address = inside((await post({ media_id: media.media_id })).body.data.download_url);
    const { searchParams } = new URL(address);
    const later = Number(searchParams.get('expires')) + 1;
    const forged = [
      address.replace(/expires=\d+/, `expires=${later}`),
      address.replace(media.media_id, other.media_id),
      address.replace(media.media_id, randomUUID()),
      address.replace(media.media_id, 'x'),
      address.replace(/signature=.*/, 'signature=AAAA'),
      `${address.slice(0, -1)}${address.endsWith('A') ? 'E' : 'A'}`,
    ];
    for (const each of forged) expect(await codeOf(await fetch(each)), each).toEqual([401, 'token_invalid']);
    vi.useFakeTimers({ toFake: ['Date'], now: later * 1000 });
    try {
      expect(await codeOf(await fetch(address))).toEqual([401, 'token_expired']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an analysis of a stored medium', () => {
  const analyze = (media_url: string, more: object = {}, as = 'clients/eva/user') =>
    service.ask('POST', '/api/v3/pipeline/analyze', {
      as,
      body: { media_type: 'image', media_url, ...more },
    });

  it('is one of its sessions, and takes it along when the last of them is deleted', async () => {
    const media = await mediaOf(await upload(PNG, 'a.png', 'clients/eva/user'));
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { status, body } = await analyze(media.media_url);
      expect([status, body.data?.input_media_url]).toEqual([200, media.media_url]);
      ids.unshift(body.data.session_id);
    }
    const again = await mediaOf(await upload(PNG, 'a.png', 'clients/eva/user'));
    expect(again.existing_session_ids).toEqual(ids);
    for (const [index, id] of ids.entries()) {
      expect((await read(media.object_key, {}, 'clients/eva/user')).status).toBe(200);
      expect(
        (await service.ask('DELETE', `/api/v3/pipeline/sessions/${id}`, { as: 'clients/eva/user' })).status,
      ).toBe(200);
      expect((await read(media.object_key, {}, 'clients/eva/user')).status).toBe(index === 1 ? 404 : 200);
    }
  });

  it('is refused for other people, for other kinds and for what is gone', async () => {
    const media = await mediaOf(await upload(PNG, 'a.png', 'clients/eva/user'));
    const refused: [ReturnType<typeof analyze>, [number, string]][] = [
      [analyze(media.media_url, {}, 'clients/ion/user'), [404, 'media_not_found']],
      [analyze(`${media.media_url}x`), [404, 'media_not_found']],
      [analyze(media.media_url, { media_type: 'video' }), [400, 'media_type_mismatch']],
      [analyze(media.media_url, { media_type: 'audio' }), [400, 'media_type_mismatch']],
    ];
    for (const [answer, expected] of refused) {
      const { status, body } = await answer;
      expect([status, body.error_code]).toEqual(expected);
    }
  });
});
