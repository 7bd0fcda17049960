import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/foundation/log.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { createTextReader } from '../../../src/services/extractors/ocr/ocr.ts';
import { openPictureDecoder } from '../../../src/services/extractors/picture-decoder.ts';
import { extractorsSettings } from '../../../src/services/extractors/settings.ts';
import { photoLike } from '../forensic/pictures.ts';
import { openExtractors } from './extractors.ts';

const settings = parseSettings(extractorsSettings, {});
const decoder = openPictureDecoder(settings);
const log = createLog({ level: 'silent', name: 'test' });
let service: Awaited<ReturnType<typeof openExtractors>>;
beforeAll(async () => {
  const text = createTextReader(settings, decoder, log, (language) => language !== 'ro');
  service = await openExtractors({}, { text });
});
afterAll(async () => {
  decoder.close();
  await service.close();
});

describe('POST /v1/ocr without the data of one language', () => {
  it('reads in the other one, and names the one that is missing', async () => {
    const { width, height, rgb } = photoLike(320, 240, 3);
    const file = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const both = (await service.sendForm('ocr', file)).json();
    expect(both).toMatchObject({ text: '', degraded: [{ part: 'ro', reason: 'engine_missing' }] });
    expect(both.passes.map((pass: { language: string }) => pass.language)).not.toContain('ro');
    const english = (await service.sendForm('ocr', file, { languages: 'en' })).json();
    expect(english).toMatchObject({ text: '', degraded: [] });
    const romanian = (await service.sendForm('ocr', file, { languages: 'ro' })).json();
    expect(romanian).toMatchObject({ text: null, degraded: [{ part: 'text', reason: 'engine_missing' }] });
  });

  it('is told by health', async () => {
    const health = (await service.app.inject({ url: '/health' })).json();
    expect(health.checks.text).toMatchObject({
      status: 'unhealthy',
      error: 'the data of ro is not installed',
    });
  });
});
