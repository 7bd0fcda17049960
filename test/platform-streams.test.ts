import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Loss } from '../src/foundation/client.ts';
import { analysis } from '../src/services/analysis/contract.ts';
import { filesBelow } from './files-below.ts';
import { PATIENCE_MS } from './patience.ts';
import { runHere } from './running-platform.ts';

const PNG = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  randomBytes(3_000_000),
]);
const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';

let platform: Awaited<ReturnType<typeof runHere>>;
let client: ReturnType<typeof openClient>;

/** The typed client of the analysis service, through the gateway. */
function openClient(token: string) {
  const url = platform.outside;
  return createClient(analysis, { name: 'platform', url, token, timeoutMs: PATIENCE_MS });
}

beforeAll(async () => {
  platform = await runHere({ LLM_URL: 'none', WEB_URL: 'none', DOMAIN_CHECK_URL: 'none' });
  client = openClient(await platform.token({ user: 'ana' }));
});
afterAll(async () => {
  await client.close();
  await platform.stop();
});

/** Pieces of a file, as a disk would give them. */
async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Files of contents that are still arriving. */
const arriving = () => filesBelow(join(platform.environment.LIMPEDE_HOME ?? '', 'objects', '.arriving'));

describe('through the gateway', () => {
  it('a picture is stored as it streams, and read back whole and in ranges', async () => {
    const file = { content: pieces(PNG), fileName: 'poză.png', mediaType: 'image/png' };
    const stored = await client.uploadMedia({ body: { fields: {}, files: { file } } });
    expect(stored?.data).toMatchObject({ mime_type: 'image/png', size_bytes: PNG.length });
    const { bucket, object_key: objectKey } = stored?.data ?? { bucket: '', object_key: '' };
    const read = await client.mediaFile({ params: { bucket, objectKey } });
    const back: Buffer[] = [];
    for await (const piece of read?.content ?? []) back.push(piece as Buffer);
    expect(Buffer.concat(back).equals(PNG)).toBe(true);
    const path = `/api/v3/media/file/${bucket}/${objectKey}`;
    const token = await platform.token({ user: 'ana' });
    const range = await platform.ask(path, { token, headers: { range: 'bytes=1-3' } });
    expect([range.status, range.text, range.headers.get('content-range')]).toEqual([
      206,
      'PNG',
      `bytes 1-3/${PNG.length}`,
    ]);
    const other = await platform.ask(path, { token: await platform.token({ user: 'ion' }) });
    expect([other.status, other.body.error_code]).toEqual([404, 'media_not_found']);
    expect(arriving()).toEqual([]);
  });

  it('an upload that its sender gives up leaves nothing', async () => {
    const leaving = new AbortController();
    const losses: Loss[] = [];
    async function* endless() {
      for (let sent = 0; ; sent++) {
        if (sent === 20) leaving.abort();
        yield randomBytes(65_536);
      }
    }
    const file = { content: endless(), fileName: 'x', mediaType: 'image/png' };
    const options = { signal: leaving.signal, lost: (loss: Loss) => losses.push(loss) };
    expect(await client.uploadMedia({ body: { fields: {}, files: { file } } }, options)).toBeUndefined();
    expect(losses).toEqual([]);
    await expect.poll(arriving, { timeout: PATIENCE_MS }).toEqual([]);
  });

  it('the events of a session come while it runs, and go on after the last one that was seen', async () => {
    const accepted = await client.analyzeAsync({ headers: {}, body: { media_type: 'text', text: TEXT } });
    if (accepted === undefined || !('async_' in accepted)) throw new Error('not accepted');
    const params = { sessionId: accepted.data.session_id };
    const seen: { event: string; id: string | undefined }[] = [];
    for await (const { event, id } of (await client.progress({ params })) ?? []) {
      seen.push({ event, id });
      if (seen.length === 2) break;
    }
    const lastEventId = seen[1]?.id;
    for await (const { event, id, data } of (await client.progress({ params, lastEventId })) ?? []) {
      seen.push({ event, id });
      if (event === 'verdict.final') expect(data.risk_score).toBeTypeOf('number');
    }
    const whole: typeof seen = [];
    for await (const { event, id } of (await client.progress({ params })) ?? []) whole.push({ event, id });
    expect(seen).toEqual(whole);
    expect(whole.slice(-2).map(({ event }) => event)).toEqual(['verdict.final', 'session.status']);
  });
});
