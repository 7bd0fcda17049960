import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { type S3Server, s3Settings, startS3Server } from '../../../foundation/objects/s3-server.ts';
import { eventually } from '../../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let database: Database;
let server: S3Server;
let service: RunningAnalysis;
let url: string;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  server = await startS3Server();
  service = await startAnalysis(database, s3Settings(server));
  url = await service.listen();
});
afterAll(async () => {
  await service?.close();
  await server?.remove();
  await database.close();
  home.remove();
});

const headers = { authorization: 'Bearer clients/ana/user' };
function upload(bytes: Buffer) {
  const body = new FormData();
  body.append('file', new Blob([Uint8Array.from(bytes)]), 'a.gif');
  return fetch(`${url}/api/v3/media/upload`, { method: 'POST', body, headers });
}
const gif = () => Buffer.concat([Buffer.from('GIF89a'), randomBytes(20_000)]);
const read = (key: string, more: object = {}) =>
  fetch(`${url}/api/v3/media/file/media/${key}`, { headers: { ...headers, ...more } });
const objectsHealth = async () => (await service.ask('GET', '/health')).body.checks.objects.status;

describe('media on an S3 store', () => {
  it('come back by their address and by a signed one, which never leads to the store itself', async () => {
    const bytes = gif();
    const { data } = (await (await upload(bytes)).json()) as {
      data: { object_key: string; media_id: string };
    };
    expect(Buffer.from(await (await read(data.object_key)).arrayBuffer()).equals(bytes)).toBe(true);
    expect(await (await read(data.object_key, { range: 'bytes=0-5' })).text()).toBe('GIF89a');
    const signed = await service.ask('POST', '/api/v3/media/download-url', {
      body: { media_id: data.media_id },
    });
    const address = new URL(signed.body.data.download_url);
    expect(address.origin).toBe('http://127.0.0.1:8080');
    const open = await fetch(url + address.pathname.replace('/agent-v3', '') + address.search);
    expect(Buffer.from(await open.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('are out of reach while the store is, which health shows, and come back with it', async () => {
    const { data } = (await (await upload(gif())).json()) as { data: { object_key: string } };
    expect(await objectsHealth()).toBe('healthy');
    await server.kill();
    expect(await objectsHealth()).toBe('unhealthy');
    for (const answer of [await upload(gif()), await read(data.object_key)]) {
      const body = (await answer.json()) as { error_code: string };
      expect([answer.status, body.error_code]).toEqual([503, 'service_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // Texts are analysed without it.
    const text = 'Un text destul de lung pentru o analiză obișnuită, fără nicio imagine.';
    const session = await service.ask('POST', '/api/v3/pipeline/analyze', {
      body: { media_type: 'text', text },
    });
    expect(session.body.data.status).toBe('completed');
    await server.start();
    await eventually(async () => expect(await objectsHealth()).toBe('healthy'));
    expect((await read(data.object_key)).status).toBe(200);
    expect((await upload(gif())).status).toBe(200);
  });
});
