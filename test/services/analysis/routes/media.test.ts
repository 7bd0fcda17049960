import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { accountOf } from '../../../../src/services/analysis/pipeline/intake.ts';
import { storedMedia } from '../../../../src/services/analysis/resources/media.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
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
  service = await startAnalysis(database, { ANALYSIS_LARGEST_UPLOAD: '100000' }, folder);
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
      width: null,
      existing_session_ids: [],
    });
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
    const submission = submissionOf({ account: accountOf('clients', 'ana'), mediaUrl: first.media_url });
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

  it.each<[string, Buffer, string, [number, string]]>([
    ['no picture, sound or video', Buffer.from('<!doctype html><p>x'), 'file', [400, 'unsupported_media']],
    ['nothing', Buffer.alloc(0), 'file', [400, 'unsupported_media']],
    ['larger than allowed', Buffer.concat([PNG, PNG]), 'file', [413, 'payload_too_large']],
    ['under another name', PNG, 'picture', [400, 'validation_failed']],
  ])('that is %s is refused, and nothing of it is kept', async (_name, bytes, part, answer) => {
    const before = await files();
    expect(await codeOf(await upload(bytes, 'a', 'clients/dan/user', part))).toEqual(answer);
    await expect.poll(files).toBe(before);
  });

  it('whose sender leaves in the middle leaves nothing', async () => {
    const before = await files();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      `POST /api/v3/media/upload HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer clients/ana/user\r\n` +
        `content-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\n\r\n` +
        `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n${'x'.repeat(40_000)}`,
    );
    await expect.poll(files).toBe(before + 1);
    socket.destroy();
    await expect.poll(files).toBe(before);
  });

  it.each(['../../limpede.db', '%2e%2e/%2e%2e/x', 'a%2f..%2fb', '.arriving/x', 'x%00y', '2026-01-01/none'])(
    'is not found at %s',
    async (key) => {
      const response = await read(key);
      expect(response.status).toBe(404);
    },
  );
});
