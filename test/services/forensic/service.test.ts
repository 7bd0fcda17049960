import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/foundation/log.ts';
import { createMetrics } from '../../../src/foundation/metrics.ts';
import { type BuiltService, buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { DETECTORS, type PictureAnalysis } from '../../../src/services/forensic/contract.ts';
import { forensicService } from '../../../src/services/forensic/service.ts';
import { forensicSettings } from '../../../src/services/forensic/settings.ts';
import { wavOf } from '../../../src/services/speech/pieces.ts';
import { filesBelow } from '../../files-below.ts';
import { describeWithFfmpeg, hasFfmpeg } from '../../media/ffmpeg.ts';
import { recordingOf, voiceLike } from '../../media/recording/voices.ts';
import { opened, pasted, photoLike, saved } from './pictures.ts';

const HOME = mkdtempSync(join(tmpdir(), 'limpede-forensic-'));
afterAll(() => rmSync(HOME, { recursive: true }));

type Needs = Parameters<typeof forensicService.routes>[0];

const open = (environment: Record<string, string> = {}, replace: Partial<Needs> = {}) =>
  buildService(
    forensicService,
    parseSettings(forensicSettings, environment),
    {
      home: HOME,
      version: '0.0.0',
      publicUrl: 'http://127.0.0.1',
      log: createLog({ level: 'silent', name: 'test' }),
      metrics: createMetrics(),
      database: () => Promise.reject(new Error('this service keeps nothing')),
    },
    replace,
  );

let built: BuiltService<object>;
beforeAll(async () => {
  built = await open();
});
afterAll(() => built.close());

async function send(
  file: Buffer,
  fields: Record<string, string> = {},
  to: BuiltService<object> = built,
  url = '/v1/analyze',
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(file)]), 'a.jpg');
  const request = new Request(`http://localhost${url}`, { method: 'POST', body: form });
  return to.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}

/** An upload of which all but the end is there. */
function slowUpload(to: BuiltService<object>, url: string) {
  const payload = new PassThrough();
  payload.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nno medium');
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const response = to.app.inject({ method: 'POST', url, headers, payload });
  return { response, end: () => payload.end('\r\n--x--\r\n') };
}

const detectorOf = (analysis: PictureAnalysis, name: (typeof DETECTORS)[number]) =>
  analysis.detectors.find(({ detector }) => detector === name);

describe('POST /v1/analyze', () => {
  it('finds the part that was put into a photo, and draws where', async () => {
    const place = { x: 160, y: 96, width: 160, height: 144 };
    const first = await opened(await saved(photoLike(512, 384, 1), 60));
    const file = await saved(pasted(first, photoLike(512, 384, 2), place, { x: 90, y: 60 }), 92);
    const response = await send(file, { pictures: 'true' });
    expect(response.statusCode).toBe(200);
    const analysis: PictureAnalysis = response.json();
    expect(analysis).toMatchObject({
      mime_type: 'image/jpeg',
      width: 512,
      height: 384,
      frames: 1,
      degraded: [],
    });
    expect(analysis.file.jpeg).toMatchObject({ quality: 92, standard_table: true, subsampling: '4:2:0' });
    expect(analysis.detectors.map(({ detector }) => detector).sort()).toEqual([...DETECTORS].sort());
    const found = detectorOf(analysis, 'double_quantisation');
    expect(found).toMatchObject({ applicable: true, found: true, log_likelihood_ratio: { value: 3 } });
    expect(found?.explanation?.ro).toMatch(/salvată de două ori/);
    const [region] = found?.regions ?? [];
    expect(Math.abs((region?.x ?? 0) - place.x)).toBeLessThan(48);
    const picture = await sharp(Buffer.from(found?.picture?.data ?? '', 'base64')).metadata();
    expect(picture).toMatchObject({ format: 'png', width: 512, height: 384 });
    const drawn = analysis.detectors.flatMap(({ picture }) => picture?.data ?? []);
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(detectorOf(analysis, 'jpeg_grid')).toMatchObject({
      applicable: false,
      reason: { code: 'lossy_container' },
      score: null,
      found: null,
    });
  });

  it('flags nothing in an untouched photo, and draws only when asked', async () => {
    const analysis: PictureAnalysis = (await send(await saved(photoLike(512, 384, 5), 85))).json();
    expect(analysis.detectors.filter(({ found }) => found === true)).toEqual([]);
    expect(analysis.detectors.filter(({ picture }) => picture !== null)).toEqual([]);
    expect(analysis.detectors.every(({ log_likelihood_ratio: { value } }) => value === 0)).toBe(true);
  });

  it('reads what a generator wrote into its file', async () => {
    const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const analysis: PictureAnalysis = (
      await send(withText(png, 'prompt', '{"3":{"class_type":"KSampler"}}'))
    ).json();
    expect(analysis.file.generator).toEqual({ name: 'ComfyUI', keys: ['prompt'] });
    expect(detectorOf(analysis, 'generator_metadata')).toMatchObject({ found: true });
    const harmless: PictureAnalysis = (await send(withText(png, 'prompt', 'Write a poem'))).json();
    expect(harmless.file.generator).toBeNull();
  });

  it('reads the source that IPTC has a name for', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
      Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"/></rdf:RDF></x:xmpmeta>`;
    const file = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
      .withXmp(xmp)
      .jpeg()
      .toBuffer();
    const analysis: PictureAnalysis = (await send(file)).json();
    expect(analysis.file.digital_source_type).toBe('trainedAlgorithmicMedia');
    expect(detectorOf(analysis, 'generator_metadata')).toMatchObject({ found: true, score: 1 });
  });

  it.each([
    ['unsupported_media', 400, () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['unsupported_media', 400, () => Buffer.from('#EXTM3U\nfile:///etc/passwd\n')],
    ['unsupported_media', 400, () => Buffer.from('%PDF-1.7')],
    ['broken_media', 400, () => Buffer.from('89504e470d0a1a0a0000000d4948445200000010', 'hex')],
  ] as const)('answers %s (%i)', async (code, status, file) => {
    const response = await send(file());
    expect([response.statusCode, response.json().detail.error]).toEqual([status, code]);
  });

  it('answers 413 beyond the largest file, and 422 without a file', async () => {
    const small = await open({ FORENSIC_MAX_FILE_BYTES: '1024' });
    const response = await send(await saved(photoLike(256, 256, 1), 95), {}, small);
    expect([response.statusCode, response.json().detail.error]).toEqual([413, 'payload_too_large']);
    await small.close();
    const empty = await built.app.inject({
      method: 'POST',
      url: '/v1/analyze',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      payload: '--x\r\ncontent-disposition: form-data; name="pictures"\r\n\r\ntrue\r\n--x--\r\n',
    });
    expect(empty.statusCode).toBe(422);
  });

  it('refuses what one caller sends too much of', async () => {
    const narrow = await open({ FORENSIC_CALLER_SHARE: '1' });
    const file = await saved(photoLike(512, 384, 1), 85);
    const responses = await Promise.all([
      send(file, {}, narrow),
      send(file, {}, narrow),
      send(file, {}, narrow),
    ]);
    const statuses = responses.map(({ statusCode }) => statusCode).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
    await narrow.close();
  });

  it.each([
    ['/v1/analyze', 400],
    // Where nothing reads recordings, that is said in place of what is wrong with the file.
    ['/v1/analyze/recording', hasFfmpeg ? 400 : 503],
  ])(
    'takes no more uploads to %s at once than it may examine, though none of them is there yet',
    async (url, refused) => {
      const narrow = await open({ FORENSIC_CALLER_SHARE: '2' });
      const uploads = [1, 2, 3].map(() => slowUpload(narrow, url));
      const third = await Promise.race(uploads.map(({ response }) => response));
      expect(third.statusCode).toBe(429);
      for (const { end } of uploads) end();
      const statuses = (await Promise.all(uploads.map(({ response }) => response))).map(
        (one) => one.statusCode,
      );
      // What is no medium is read before it is refused as such.
      expect(statuses.sort()).toEqual([refused, refused, 429].sort());
      await narrow.close();
    },
  );

  it('looks at the file and the hash alone when it is asked to be quick', async () => {
    const file = await saved(photoLike(512, 384, 5), 85);
    const full: PictureAnalysis = (await send(file)).json();
    const quick: PictureAnalysis = (await send(file, { depth: 'quick' })).json();
    expect(quick.detectors.map(({ detector }) => detector)).toEqual(['generator_metadata', 'file_history']);
    expect([quick.hash, quick.file, quick.sha256]).toEqual([full.hash, full.file, full.sha256]);
  });
});

describe('GET /health', () => {
  it('decodes a picture, and says how decoders are kept apart', async () => {
    // The start of a decoding process may take longer than a check waits, on a busy machine.
    const health = async () => (await built.app.inject('/health')).json();
    const note = expect.stringMatching(/^decoders run/);
    await expect.poll(health).toMatchObject({
      status: hasFfmpeg ? 'healthy' : 'degraded',
      checks: { pictures: { status: 'healthy', note } },
    });
  });

  it('is unhealthy when pictures cannot be decoded', async () => {
    const fail = () => Promise.reject(new Error('no decoder'));
    const broken = await open(
      {},
      {
        examiner: { probe: fail, admitted: fail, examine: fail, close: async () => undefined },
      },
    );
    expect((await broken.app.inject('/health')).json().status).toBe('unhealthy');
    await broken.close();
  });
});

/** A PNG with a text of its own after its header. */
function withText(png: Buffer, key: string, text: string): Buffer {
  const body = Buffer.from(`tEXt${key}\0${text}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  const afterHeader = 33;
  return Buffer.concat([png.subarray(0, afterHeader), chunk, png.subarray(afterHeader)]);
}

describeWithFfmpeg('POST /v1/analyze/recording', () => {
  const sendRecording = (file: Buffer) => send(file, {}, built, '/v1/analyze/recording');
  const voice = wavOf(recordingOf(voiceLike(4), new Float32Array(16_000)), { startSec: 0, endSec: 5 });

  it('finds digital silence, says what it cannot see, and leaves no file', async () => {
    const response = await sendRecording(voice);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      media_type: 'audio',
      duration_s: 5,
      sound: { codec: 'pcm_s16le', sample_rate: 16_000, channels: 1 },
      detectors: [
        { detector: 'digital_silence', applicable: true, found: true },
        { detector: 'bandwidth_change' },
        { detector: 'bandwidth', applicable: true, cannot_see: { ro: expect.any(String) } },
      ],
    });
    expect(filesBelow(join(HOME, 'temporary'))).toEqual([]);
  });

  it('hashes the moving pictures of a film that nobody hears', async () => {
    const film = join(HOME, 'film.mp4');
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=d=2:s=96x64:r=10'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, film]);
    const response = await sendRecording(readFileSync(film));
    expect(response.json()).toMatchObject({
      media_type: 'video',
      duration_s: 2,
      voiced_s: 0,
      sound: null,
      picture: { codec: 'h264', width: 96, height: 64, frames_per_second: 10 },
      detectors: [{ detector: 'lip_sync' }, { detector: 'pulse' }],
    });
    expect(response.json().hashes.frames).toHaveLength(8);
    expect(response.json().hashes.frames[0]).toMatchObject({
      at_s: 0,
      value: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('refuses what is no recording', async () => {
    const response = await sendRecording(Buffer.from('noise'));
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      { detail: { error: 'broken_media' } },
    ]);
  });
});
