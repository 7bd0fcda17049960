import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import type { MediumMetadata } from '../../../src/services/extractors/resources/metadata.ts';
import { filesBelow } from '../../files-below.ts';
import { describeWithFfmpeg } from '../../media/ffmpeg.ts';
import { openExtractors } from './extractors.ts';
import { tone } from './sounds.ts';

const fixture = (name: string) => packageFile('test', 'services', 'extractors', 'fixtures', name);
/** A drawing of ours that says that a model made it, signed by a certificate below trusted-root.pem. */
const signed = () => readFile(fixture('signed.jpg'));

let service: Awaited<ReturnType<typeof openExtractors>>;
beforeAll(async () => {
  service = await openExtractors();
});
afterAll(() => service.close());

const picture = () => sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } });
const taken = () =>
  picture()
    .withExif({
      IFD0: { Make: 'Pana', Model: 'X1', Software: 'Edit 2' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '44/1 25/1 30/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '26/1 6/1 0/1',
      },
    })
    .jpeg()
    .toBuffer();

describe('the metadata of a picture', () => {
  it('says what its tags say, but not where it was taken unless it is asked', async () => {
    const answer: MediumMetadata = (await service.sendForm('metadata', await taken())).json();
    expect(answer).toMatchObject({
      media_type: 'image',
      mime_type: 'image/jpeg',
      facts: { camera: { make: 'Pana', model: 'X1' }, software: 'Edit 2', generator: null },
      container: { format: 'JPEG', width: 64, height: 48, tracks: 1 },
      c2pa: { state: 'absent', manifests: [] },
      has_location: true,
      location: null,
      degraded: [],
    });
    expect(JSON.stringify(answer)).not.toMatch(/GPS|44\.4/);
    const asked: MediumMetadata = (
      await service.sendForm('metadata', await taken(), { location: 'true' })
    ).json();
    expect(asked.location?.latitude).toBeCloseTo(44.425, 3);
    expect(asked.exif.GPSLatitude).toBeDefined();
  });

  it('names the program that made it, also in the comment of a JPEG', async () => {
    const file = await picture()
      .withExif({ IFD0: { ImageDescription: 'a cat, Steps: 20, Sampler: Euler a, CFG scale: 7' } })
      .jpeg()
      .toBuffer();
    const answer: MediumMetadata = (await service.sendForm('metadata', file)).json();
    expect(answer.facts?.generator).toEqual({ name: 'Stable Diffusion web UI', keys: ['ImageDescription'] });
  });

  it.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('has its size in a %s', async (format) => {
    const answer = await service.sendForm('metadata', await picture()[format]().toBuffer());
    expect(answer.json().container).toMatchObject({ width: 64, height: 48 });
  });

  it('has its size in a lossless WebP and in one with transparency', async () => {
    for (const file of [picture().webp({ lossless: true }), picture().ensureAlpha(0.5).webp()])
      expect((await service.sendForm('metadata', await file.toBuffer())).json().container).toMatchObject({
        width: 64,
        height: 48,
      });
  });

  it('is refused when its header breaks off', async () => {
    const answer = await service.sendForm('metadata', (await picture().webp().toBuffer()).subarray(0, 20));
    expect([answer.statusCode, answer.json().detail.error]).toEqual([400, 'broken_media']);
  });

  it('is read from JSON and from a stored object alike', async () => {
    const file = await taken();
    await service.needs.objects.put({ bucket: 'media', key: 'a/b' }, Readable.from([file]));
    const answers = await Promise.all([
      service.sendForm('metadata', file),
      service.sendJson('metadata', { data: file.toString('base64') }),
      service.sendJson('metadata', { object: { bucket: 'media', object_key: 'a/b' } }),
    ]);
    const hashes = new Set(answers.map((answer) => answer.json().sha256));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(hashes.size).toBe(1);
  });

  it.each([
    ['no source', 422, 'value_error', {}],
    ['two sources', 422, 'value_error', { data: 'AAAA', object: { bucket: 'a', object_key: 'b' } }],
    ['an object that is not there', 404, 'media_not_found', { object: { bucket: 'a', object_key: 'b' } }],
    [
      'an object outside of the store',
      404,
      'media_not_found',
      { object: { bucket: '..', object_key: '../x' } },
    ],
    [
      'what is no medium',
      400,
      'unsupported_media',
      { data: Buffer.from('#EXTM3U\nfile:///etc/passwd').toString('base64') },
    ],
  ])('refuses %s', async (_name, status, code, body) => {
    const answer = await service.sendJson('metadata', body);
    expect(answer.statusCode).toBe(status);
    expect(JSON.stringify(answer.json())).toContain(status === 422 ? 'Exactly one of' : code);
  });

  it('is refused beyond the largest picture', async () => {
    const small = await openExtractors({ EXTRACTORS_MAX_PICTURE_BYTES: '1024' });
    const file = await sharp({
      create: {
        width: 512,
        height: 512,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 90, sigma: 60 },
      },
    })
      .jpeg()
      .toBuffer();
    expect((await small.sendForm('metadata', file)).statusCode).toBe(413);
    expect((await small.sendJson('metadata', { data: file.toString('base64') })).statusCode).toBe(413);
    await small.close();
  });
});

describe('a signed history', () => {
  it('holds, says that a model made the picture, and knows no trusted signers unless they are named', async () => {
    const { c2pa }: MediumMetadata = (await service.sendForm('metadata', await signed())).json();
    expect(c2pa).toMatchObject({
      state: 'valid',
      trusted: null,
      content: 'unchanged',
      ai_origin: 'generated',
      digital_source_types: ['trainedAlgorithmicMedia'],
      failures: [],
    });
    expect(c2pa.manifests).toMatchObject([
      {
        label: c2pa.active,
        made_by: 'Limpede tests 1',
        signature: { issuer: 'Limpede tests', common_name: 'Limpede test signer', algorithm: 'Es256' },
        actions: [{ action: 'c2pa.created', software_agent: 'Limpede tests' }],
      },
    ]);
  });

  it('is trusted when the operator trusts its signer', async () => {
    const trusting = await openExtractors({ EXTRACTORS_C2PA_TRUST_ANCHORS: fixture('trusted-root.pem') });
    const { c2pa }: MediumMetadata = (await trusting.sendForm('metadata', await signed())).json();
    expect(c2pa).toMatchObject({ state: 'valid', trusted: true });
    await trusting.close();
    await expect(openExtractors({ EXTRACTORS_C2PA_TRUST_ANCHORS: '/nonexistent' })).rejects.toThrow(
      'no file with certificates',
    );
  });

  it('shows that the picture was changed after it was signed', async () => {
    const file = await signed();
    const place = file.length - 60;
    file[place] = (file[place] ?? 0) ^ 0x10;
    const { c2pa }: MediumMetadata = (await service.sendForm('metadata', file)).json();
    expect(c2pa).toMatchObject({ state: 'invalid', content: 'changed', ai_origin: 'generated' });
    expect(c2pa.failures).toMatchObject([{ code: 'assertion.dataHash.mismatch', of_ingredient: false }]);
  });

  it('that was changed itself says nothing of the content', async () => {
    const file = await signed();
    const place = file.indexOf('Limpede tests');
    file.write('Simpede', place, 'latin1');
    const { c2pa }: MediumMetadata = (await service.sendForm('metadata', file)).json();
    expect([c2pa.state, c2pa.content]).toEqual(['invalid', 'not_checked']);
  });
});

describeWithFfmpeg('the metadata of a recording', () => {
  it('is read from the file, which is gone afterwards', async () => {
    const answer: MediumMetadata = (await service.sendForm('metadata', tone(0, 1))).json();
    expect(answer).toMatchObject({
      media_type: 'audio',
      facts: null,
      container: {
        format: 'wav',
        duration_sec: 1,
        sound: { codec: 'pcm_s16le', sample_rate: 8000, channels: 1 },
      },
      c2pa: { state: 'absent' },
      degraded: [],
    });
    expect(filesBelow(join(service.home, 'temporary'))).toEqual([]);
  });

  it('is refused when nothing of it can be read', async () => {
    const answer = await service.sendForm(
      'metadata',
      Buffer.concat([tone(0, 1).subarray(0, 20), Buffer.alloc(5000, 7)]),
    );
    expect([answer.statusCode, answer.json().detail?.error]).toEqual([400, 'broken_media']);
  });
});

describe('GET /health', () => {
  it('reads a picture, and says what is not installed', async () => {
    const { status, checks } = (await service.app.inject('/health')).json();
    expect([status === 'unhealthy', checks.metadata.status, checks.objects.status]).toEqual([
      false,
      'healthy',
      'healthy',
    ]);
  });
});
