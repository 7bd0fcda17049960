import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODIFIED, startSample, TEXT } from './sample.ts';

let sample: Awaited<ReturnType<typeof startSample>>;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${sample.url}/v1/file/${encodeURIComponent(name)}`, { method, headers });

describe('an answer of bytes', () => {
  it('is whole, typed, validated and saved by a browser', async () => {
    const response = await get('ștampilă "1".html');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEXT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': String(TEXT.length),
      'accept-ranges': 'bytes',
      etag: '"v1"',
      'last-modified': MODIFIED.toUTCString(),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="_tampil_ _1_.html"; filename*=UTF-8''%C8%99tampil%C4%83%20%221%22.html`,
    });
  });

  it('is shown where the handler says so', async () => {
    expect((await get('shown')).headers.get('content-disposition')).toMatch(/^inline; filename="shown"/);
  });

  it.each([
    ['bytes=0-4', 'abcde', 'bytes 0-4/260'],
    ['bytes=255-', 'vwxyz', 'bytes 255-259/260'],
    ['bytes=-3', 'xyz', 'bytes 257-259/260'],
    ['bytes=1-1,5-9', 'b', 'bytes 1-1/260'],
  ])('serves the range %s', async (range, text, described) => {
    const response = await get('a.txt', { range });
    expect([response.status, await response.text()]).toEqual([206, text]);
    expect(response.headers.get('content-range')).toBe(described);
    expect(response.headers.get('content-length')).toBe(String(text.length));
  });

  it('refuses a range that lies outside', async () => {
    const before = sample.seen.opened;
    const response = await get('a.txt', { range: 'bytes=260-' });
    expect([response.status, await response.text()]).toEqual([416, '']);
    expect(response.headers.get('content-range')).toBe('bytes */260');
    expect(sample.seen.opened).toBe(before);
  });

  it('serves a range only of the state that the reader knows', async () => {
    expect((await get('a.txt', { range: 'bytes=0-4', 'if-range': '"v1"' })).status).toBe(206);
    const other = await get('a.txt', { range: 'bytes=0-4', 'if-range': '"v0"' });
    expect([other.status, await other.text()]).toEqual([200, TEXT]);
  });

  it('is not sent to a reader that has it', async () => {
    const before = sample.seen.opened;
    const response = await get('a.txt', { 'if-none-match': '"v1"', range: 'bytes=0-4' });
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', '"v1"']);
    expect(sample.seen.opened).toBe(before);
    expect((await get('a.txt', { 'if-none-match': '"v0"' })).status).toBe(200);
  });

  it('is described without being opened', async () => {
    const before = sample.seen.opened;
    const response = await get('a.txt', { range: 'bytes=0-4' }, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-length')).toBe('260');
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(sample.seen.opened).toBe(before);
  });

  it('has no ranges while its length is unknown', async () => {
    const response = await get('unsized', { range: 'bytes=0-4' });
    expect([response.status, await response.text()]).toEqual([200, TEXT]);
    expect(response.headers.has('accept-ranges')).toBe(false);
    expect(response.headers.get('content-disposition')).toBe('attachment');
  });

  it('may be something else by its status', async () => {
    const later = await get('later');
    expect([later.status, await later.json()]).toEqual([202, { later: true }]);
    const none = await get('none');
    expect([none.status, await none.json()]).toMatchObject([404, { error_code: 'not_found' }]);
    expect(none.headers.get('content-type')).toContain('application/json');
  });
});
