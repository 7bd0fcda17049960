import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/foundation/client.ts';
import { sample, startSample } from './sample.ts';

let running: Awaited<ReturnType<typeof startSample>>;
beforeAll(async () => {
  running = await startSample();
});
afterAll(() => running.close());

const send = (body: string | FormData, type?: string) =>
  fetch(`${running.url}/v1/either`, {
    method: 'POST',
    body,
    ...(type !== undefined && { headers: { 'content-type': type } }),
  });

describe('a body that is a form or JSON', () => {
  it('is sent by the typed client either way', async () => {
    const client = createClient(sample, { name: 'sample', url: running.url, timeoutMs: 30_000 });
    const file = { content: Buffer.alloc(70), fileName: 'a', mediaType: 'image/png' };
    expect(await client.either({ body: { fields: { title: 'a' }, files: { file } } })).toEqual({
      told: 'a 70',
    });
    expect(await client.either({ body: { json: { place: 'there' } } })).toEqual({ told: 'there' });
    await client.close();
  });

  it.each([
    ['JSON that does not fit', '{"place":"x"}', 'application/json', 400, 'validation_failed'],
    ['what is called JSON and is none', '{"place":', 'application/json', 400, 'invalid_json'],
    [
      'JSON that is too long',
      JSON.stringify({ place: 'x'.repeat(1000) }),
      'application/json',
      413,
      'payload_too_large',
    ],
    ['another content type', 'place=there', 'application/x-www-form-urlencoded', 400, 'validation_failed'],
    ['a form without its boundary', 'xx', 'multipart/form-data', 400, 'validation_failed'],
  ])('refuses %s', async (_name, body, type, status, code) => {
    const response = await send(body, type);
    expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
      status,
      code,
    ]);
  });

  it('refuses a form without its file', async () => {
    const data = new FormData();
    data.append('title', 'a');
    expect((await send(data)).status).toBe(400);
  });
});
