import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawErrorLevel } from '../../../src/services/extractors/pictures/error-level.ts';
import drawInThread from '../../../src/services/extractors/pictures/extractors-picture-worker.ts';
import { powerSpectrum } from '../../../src/services/extractors/pictures/fourier.ts';
import { removeExpiredPictures } from '../../../src/services/extractors/pictures/picture-renderer.ts';
import { spectrogram } from '../../../src/services/extractors/pictures/spectrogram.ts';
import { waveform } from '../../../src/services/extractors/pictures/waveform.ts';
import type { MediumMetadata } from '../../../src/services/extractors/resources/metadata.ts';
import { itWithFfmpeg } from '../../media/ffmpeg.ts';
import { opened, pasted, photoLike, saved } from '../forensic/pictures.ts';
import { openExtractors } from './extractors.ts';
import { tone } from './sounds.ts';

let service: Awaited<ReturnType<typeof openExtractors>>;
beforeAll(async () => {
  service = await openExtractors();
});
afterAll(() => service.close());

const brightest = (values: Float32Array | Uint8Array) => values.indexOf(Math.max(...values));

async function storedPicture({
  bucket,
  object_key: key,
}: {
  bucket: string;
  object_key: string;
}): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await service.needs.objects.open({ bucket, key })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('the power of frequencies', () => {
  it('is where the tone is', () => {
    const samples = Float32Array.from({ length: 256 }, (_, at) => Math.sin((2 * Math.PI * 19 * at) / 256));
    const power = powerSpectrum(samples);
    expect([power.length, brightest(power)]).toEqual([128, 19]);
    expect(power[19]).toBeCloseTo(0.25, 4);
  });

  it('adds up to that of the samples', () => {
    const samples = Float32Array.from({ length: 64 }, (_, at) => Math.cos(at * at));
    const mean = samples.reduce((sum, value) => sum + value, 0) / 64;
    const power = powerSpectrum(samples.map((value) => value - mean));
    const whole = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 64;
    const twice = 2 * power.reduce((sum, value) => sum + value, 0);
    // The middle frequency stands once in the sum.
    expect(Math.abs(twice - whole) / whole).toBeLessThan(0.1);
  });
});

describe('a spectrogram', () => {
  it('has low tones below and time to the right', () => {
    const rate = 16_000;
    const samples = Float32Array.from(
      { length: 2 * rate },
      (_, at) => 0.01 * Math.sin((2 * Math.PI * (at < rate ? 1000 : 4000) * at) / rate),
    );
    const { width, height, pixels } = spectrogram(samples);
    const rowOf = (column: number) =>
      brightest(Uint8Array.from({ length: height }, (_, row) => pixels[row * width + column] ?? 0));
    expect([height - 1 - rowOf(2), height - 1 - rowOf(width - 3)]).toEqual([64, 256]);
  });

  it('of less than one look has one column', () => {
    expect(spectrogram(new Float32Array(10)).width).toBe(1);
  });
});

describe('a drawing as a file', () => {
  const samples = Float32Array.from({ length: 9000 }, (_, at) => Math.sin(at / 40) * (at / 9000));
  const greys = async (png: Uint8Array) => [...(await sharp(png).extractChannel(0).raw().toBuffer())];

  it('has the shades that were drawn, each in its place', async () => {
    const wave = await drawInThread({ kind: 'waveform', samples });
    expect(await greys(wave.png)).toEqual([...waveform(samples).pixels]);
    const frequencies = await drawInThread({ kind: 'spectrogram', samples });
    expect(await greys(frequencies.png)).toEqual([...spectrogram(samples).pixels]);
  });

  it('is turned as the picture is shown', async () => {
    const values = Uint8Array.from({ length: 32 * 16 }, (_, at) => (at * 37) % 251);
    const picture = { width: 32, height: 16, values };
    const [upright, turned] = await Promise.all(
      [1, 6].map((orientation) => drawInThread({ kind: 'error_level', picture, orientation })),
    );
    const expected = await sharp(upright?.png).rotate(90).extractChannel(0).raw().toBuffer();
    expect([turned?.width, turned?.height]).toEqual([16, 32]);
    expect(await greys(turned?.png ?? new Uint8Array())).toEqual([...expected]);
    expect(await greys(upright?.png ?? new Uint8Array())).toEqual([
      ...(await drawErrorLevel(picture)).pixels,
    ]);
  });
});

describe('an error level', () => {
  it('is higher in what was saved less often', async () => {
    const place = { x: 160, y: 96, width: 160, height: 144 };
    const first = await opened(await saved(photoLike(512, 384, 1), 60));
    const picture = pasted(first, photoLike(512, 384, 2), place, { x: 90, y: 60 });
    const grey = await sharp(picture.rgb, { raw: { width: 512, height: 384, channels: 3 } })
      .greyscale()
      .raw()
      .toBuffer();
    const { width, height, pixels } = await drawErrorLevel({ width: 512, height: 384, values: grey });
    const sums = { inside: 0, outside: 0 };
    for (let at = 0; at < pixels.length; at += 1) {
      const [x, y] = [at % width, Math.floor(at / width)];
      const isInside =
        x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height;
      sums[isInside ? 'inside' : 'outside'] += pixels[at] ?? 0;
    }
    const area = place.width * place.height;
    expect([width, height]).toEqual([512, 384]);
    expect(sums.inside / area).toBeGreaterThan(sums.outside / (width * height - area));
  });
});

describe('POST /v1/metadata with pictures', () => {
  it('stores the error level beside the object that it is of, as the picture is shown', async () => {
    const file = await sharp(await saved(photoLike(256, 128, 1), 80))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await service.needs.objects.put({ bucket: 'media', key: 'a/b' }, Readable.from([file]));
    const answer: MediumMetadata = (
      await service.sendJson('metadata', {
        object: { bucket: 'media', object_key: 'a/b' },
        pictures: ['error_level'],
      })
    ).json();
    expect(answer.pictures).toMatchObject([
      { kind: 'error_level', bucket: 'media', object_key: 'a/b.error-level.png', width: 128, height: 256 },
    ]);
    const [drawn] = answer.pictures;
    const png = await storedPicture(drawn ?? { bucket: '', object_key: '' });
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 128, height: 256 });
    expect(png.length).toBe(drawn?.size_bytes);
  });

  itWithFfmpeg('stores the spectrogram of a sound that came as a form', async () => {
    const answer: MediumMetadata = (
      await service.sendForm('metadata', tone(1000, 1), { pictures: 'spectrogram,error_level' })
    ).json();
    expect(answer.pictures).toMatchObject([{ kind: 'spectrogram', bucket: 'extracted', height: 512 }]);
    expect(answer.degraded).toMatchObject([{ part: 'error_level', reason: 'not_applicable' }]);
    const png = await storedPicture(answer.pictures[0] ?? { bucket: '', object_key: '' });
    expect((await sharp(png).metadata()).format).toBe('png');
  });

  it('draws nothing unless asked, and refuses what is no picture', async () => {
    const file = await saved(photoLike(64, 64, 1), 80);
    expect((await service.sendForm('metadata', file)).json().pictures).toEqual([]);
    expect((await service.sendForm('metadata', file, { pictures: 'portrait' })).statusCode).toBe(422);
  });
});

describe('pictures of earlier days', () => {
  it('go when their days are over', async () => {
    const folder = join(service.home, 'store');
    const today = new Date().toISOString().slice(0, 10);
    for (const name of ['2020-01-01', today, 'other'])
      await mkdir(join(folder, 'extracted', name), { recursive: true });
    await removeExpiredPictures(folder, 7);
    expect(['2020-01-01', today, 'other'].map((name) => existsSync(join(folder, 'extracted', name)))).toEqual(
      [false, true, true],
    );
    await removeExpiredPictures(join(service.home, 'nothing'), 7);
  });
});
