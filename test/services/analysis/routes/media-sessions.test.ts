import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { COMPONENTS } from '../../../../src/services/analysis/resources/component-name.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const HEADS = {
  image: Buffer.from('GIF89a\x01\0\x01\0\0\0\0'),
  audio: Buffer.from('RIFF\0\0\0\0WAVEfmt '),
  video: Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42'),
};
const bytesOf = (kind: keyof typeof HEADS, tail = 'x') => Buffer.concat([HEADS[kind], Buffer.from(tail)]);

/** A host of media; `playing` says what other paths do. */
let playing: RequestListener = () => undefined;
let closedEarly = 0;
const host = createServer((request, response) => {
  response.once('close', () => {
    if (!response.writableFinished) closedEarly++;
  });
  const kind = (request.url ?? '').slice(1);
  if (kind in HEADS) response.end(bytesOf(kind as keyof typeof HEADS));
  else playing(request, response);
});
let site: string;
const home = freshHome();
let folder: string;
let database: Database;
let service: RunningAnalysis;
/** What the service does every 30 seconds, as it does it: the sweep of media without an owner. */
let sweeps: (() => void)[] = [];
const SWEEP_MS = 30_000;
beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  site = `http://${address}`;
  folder = await mkdtemp(join(tmpdir(), 'limpede-media-sessions-'));
  database = await openDatabase({ home: home.home, log: silent });
  const settings = { WEB_ALLOWED_PRIVATE_HOSTS: address, ANALYSIS_LARGEST_UPLOAD: '100000' };
  const intervals = vi.spyOn(globalThis, 'setInterval');
  service = await startAnalysis(database, settings, folder);
  sweeps = intervals.mock.calls.flatMap(([look, every]) => (every === SWEEP_MS ? [() => look()] : []));
  intervals.mockRestore();
});
afterAll(async () => {
  await service.close();
  host.closeAllConnections();
  host.close();
  await rm(folder, { recursive: true });
  await database.close();
  home.remove();
});

const MEDIA = ['image', 'audio', 'video'] as const;
const media = (media_type: string, more: object = {}) => ({
  media_type,
  media_url: `${site}/${media_type}`,
  ...more,
});
const elsewhere = (media_type: string, media_duration_sec = 1) => ({
  media_type,
  media_url: 'https://example.org/a.bin',
  media_duration_sec,
});
/** Why a component has nothing to say of media where no service examines them. */
const reasonOf = (kind: string, component: string) => {
  if (component === 'ai_tampered') return 'forensic_off';
  if (component === 'domain') return 'no_web_address';
  return kind === 'image' ? 'extractors_off' : 'speech_off';
};
/** Operations that take media, and the components that they run. */
const OPERATIONS: readonly [path: string, components: readonly string[]][] = [
  ['pipeline/analyze', COMPONENTS],
  ['pipeline/analyze-media', COMPONENTS],
  ['ai-tampered/analyze-media', ['ai_tampered']],
  ['claims/analyze-media', ['claims']],
  ['techniques/analyze-media', ['techniques']],
  ['source-assessment/analyze-media', ['domain']],
];

describe.each(OPERATIONS)('%s', (path, components) => {
  it.each(MEDIA)('keeps a session of %s, and says of every component why it did not run', async (kind) => {
    const { status, body } = await service.ask('POST', `/api/v3/${path}`, { body: media(kind) });
    expect(status).toBe(200);
    const session = analysisSession.parse(body.data);
    expect(session).toMatchObject({
      status: 'completed',
      input_type: kind,
      input_media_url: `${site}/${kind}`,
      input_text: null,
      risk_score: null,
      risk_category: 'inconclusive',
      components_run: [],
      components_skipped: COMPONENTS,
    });
    expect(session.confidence).toBeLessThanOrEqual(0.3);
    for (const { component, code } of session.skipped) {
      expect(code).toBe(components.includes(component) ? reasonOf(kind, component) : 'left_out_by_request');
    }
    expect(session.verdict?.explanation_en).not.toBe('');
    expect(session.verdict?.explanation_ro).not.toBe('');
  });
});

describe('operations for media alone', () => {
  it.each(OPERATIONS.slice(1).map(([path]) => path))('%s refuses other content', async (path) => {
    const text = 'Un text destul de lung pentru o analiză obișnuită.';
    for (const body of [
      { media_type: 'text', text },
      { media_type: 'url', url: 'https://example.org/' },
    ]) {
      const answer = await service.ask('POST', `/api/v3/${path}`, { body });
      expect([answer.status, answer.body.error_code]).toEqual([400, 'media_type_mismatch']);
      expect(answer.body.details[0].path).toBe('body.media_type');
    }
  });

  it.each<[string, object, string]>([
    ['no address', { media_type: 'image' }, 'media_type_mismatch'],
    ['an address inside', { media_type: 'image', media_url: 'http://127.0.0.1/a.png' }, 'url_not_allowed'],
    ['no address at all', { media_type: 'image', media_url: 'a.png' }, 'url_not_allowed'],
    ['a long video', elsewhere('video', 180.5), 'media_too_long'],
    ['a long sound', elsewhere('audio', 421), 'media_too_long'],
    ['a negative length', elsewhere('audio', -1), 'validation_failed'],
  ])('refuse %s', async (_name, body, code) => {
    for (const [path] of OPERATIONS) {
      const answer = await service.ask('POST', `/api/v3/${path}`, { body });
      expect([answer.status, answer.body.error_code]).toEqual([400, code]);
    }
  });

  it('take media as long as the limits allow', async () => {
    for (const [kind, seconds] of [
      ['video', 180],
      ['audio', 420],
      ['image', 9_999],
    ] as const) {
      const body = media(kind, { media_duration_sec: seconds });
      expect((await service.ask('POST', '/api/v3/pipeline/analyze-media', { body })).status).toBe(200);
    }
  });

  it('plan what they would do', async () => {
    const body = media('video', { dry_run: true });
    const { data } = (await service.ask('POST', '/api/v3/pipeline/analyze-media', { body })).body;
    expect(data.skipped.map(({ code }: { code: string }) => code)).toEqual(['no_web_address']);
    expect(data.verdict_profile.profile_code).toBe('default_video');
  });
});

it('an asynchronous media session ends in the same way', async () => {
  const accepted = await service.ask('POST', '/api/v3/pipeline/analyze-async', { body: media('audio') });
  expect(accepted.status).toBe(202);
  await eventually(async () => {
    const { body } = await service.ask('GET', `/api/v3/pipeline/results/${accepted.body.data.session_id}`);
    expect(body.data).toMatchObject({ status: 'completed', risk_score: null, risk_category: 'inconclusive' });
  });
});

describe('analyze-image', () => {
  const ask = (body: unknown) => service.ask('POST', '/api/v3/ai-tampered/analyze-image', { body });

  it('takes a picture, named as one or not', async () => {
    for (const body of [{ media_url: `${site}/image` }, media('image')]) {
      const { data } = (await ask(body)).body;
      expect(data).toMatchObject({ status: 'completed', input_type: 'image' });
      expect(data.skipped).toContainEqual(
        expect.objectContaining({ component: 'ai_tampered', code: 'forensic_off' }),
      );
    }
  });

  it.each([
    ['nothing', {}],
    ['a video', elsewhere('video')],
    ['a text', { media_type: 'text', text: 'Un text destul de lung pentru o analiză obișnuită.' }],
  ])('refuses %s', async (_name, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'media_type_mismatch']);
  });
});

const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

describe('a medium from elsewhere', () => {
  const send =
    (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(status, headers).end(body);

  it.each<[string, RequestListener, string]>([
    ['is not there', send(404, 'no'), 'media_not_found'],
    ['is a page', send(200, '<!doctype html><p>x', { 'content-type': 'image/gif' }), 'unsupported_media'],
    ['is of another kind', send(200, bytesOf('video')), 'media_type_mismatch'],
    ['is larger than it may be', send(200, bytesOf('image', 'x'.repeat(200_000))), 'payload_too_large'],
    [
      'grows larger than it may be',
      (_request, response) => {
        response.write(bytesOf('image', 'x'.repeat(60_000)));
        response.end('x'.repeat(60_000));
      },
      'payload_too_large',
    ],
    ['leads inside', send(302, '', { location: 'http://127.0.0.1:1/a' }), 'url_not_allowed'],
    ['leads to a name of ours', send(302, '', { location: 'http://localhost/a' }), 'url_not_allowed'],
    ['is packed', send(200, gzipSync(bytesOf('image')), { 'content-encoding': 'gzip' }), 'media_not_found'],
    [
      'breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '50000' }).write(bytesOf('image', 'x'.repeat(9_000)));
        setTimeout(() => response.destroy(), 20);
      },
      'media_not_found',
    ],
  ])(
    'that %s ends its session as failed, with the reason as its code, and leaves nothing',
    async (_name, play, code) => {
      playing = play;
      const before = await files();
      const body = media('image', { media_url: `${site}/other` });
      const direct = await service.ask('POST', '/api/v3/pipeline/analyze', { body });
      expect([direct.status, direct.body.data?.status, direct.body.data?.error_code]).toEqual([
        200,
        'failed',
        code,
      ]);
      const later = await service.ask('POST', '/api/v3/pipeline/analyze-async', { body });
      await eventually(async () => {
        const result = await service.ask('GET', `/api/v3/pipeline/results/${later.body.data.session_id}`);
        expect(result.body.data).toMatchObject({ status: 'failed', error_code: code });
      });
      expect(await files()).toBe(before);
    },
  );

  it('is kept, and known again by its bytes, whatever address it comes from', async () => {
    playing = send(200, bytesOf('image', 'the same'));
    const ids: string[] = [];
    const before = await files();
    for (const path of ['one', 'two']) {
      const body = media('image', { media_url: `${site}/${path}` });
      ids.unshift((await service.ask('POST', '/api/v3/pipeline/analyze', { body })).body.data.session_id);
    }
    expect(await files()).toBe(before + 1);
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(bytesOf('image', 'the same'))]), 'a.gif');
    const url = await service.listen();
    const headers = { authorization: 'Bearer clients/ana/user' };
    const answer = await fetch(`${url}/api/v3/media/upload`, { method: 'POST', body: form, headers });
    const { data } = (await answer.json()) as { data: { existing_session_ids: string[] } };
    expect(data.existing_session_ids).toEqual(ids);
    for (const id of ids) await service.ask('DELETE', `/api/v3/pipeline/sessions/${id}`);
    expect(await files()).toBe(before + 1);
    for (const sweep of sweeps) sweep();
    await eventually(async () => expect(await files()).toBe(before));
  });

  it('that never ends is let go when its session is canceled', async () => {
    const before = await files();
    const early = closedEarly;
    playing = (_request, response) => void response.write(bytesOf('image', 'x'.repeat(9_000)));
    const body = media('image', { media_url: `${site}/endless` });
    const { data } = (await service.ask('POST', '/api/v3/pipeline/analyze-async', { body })).body;
    await eventually(async () => expect(await files()).toBe(before + 1));
    await service.ask('POST', `/api/v3/pipeline/sessions/${data.session_id}/cancel`, { body: {} });
    await eventually(async () => {
      expect(closedEarly).toBe(early + 1);
      expect(await files()).toBe(before);
    });
    const { body: now } = await service.ask('GET', `/api/v3/pipeline/sessions/${data.session_id}`);
    expect(now.data).toMatchObject({ status: 'canceled', error_code: null });
  });
});
