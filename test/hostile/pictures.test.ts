import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mediumMetadata } from '../../src/services/extractors/resources/metadata.ts';
import { pictureText } from '../../src/services/extractors/resources/ocr.ts';
import { startCampaign } from '../campaign.ts';
import { PATIENCE_MS } from '../patience.ts';
import { openExtractors } from '../services/extractors/extractors.ts';
import { photoLike, saved } from '../services/forensic/pictures.ts';
import { PICTURE_CASES } from './picture-cases.ts';

const attacks = startCampaign('hostile pictures');
/** Cases of a sample: reading the text of one starts a process. */
const SAMPLE = 8;
/** How a file is refused whose bytes are not what they should be. */
const REFUSALS = ['unsupported_media', 'broken_media', 'too_many_pixels'];

/** A slow machine is no hang: what never ends meets the limit of the test itself. */
const LIMITS = {
  EXTRACTORS_DECODE_TIMEOUT_MS: String(PATIENCE_MS),
  EXTRACTORS_METADATA_TIMEOUT_MS: String(PATIENCE_MS),
  EXTRACTORS_OCR_TIMEOUT_MS: String(PATIENCE_MS),
};

let service: Awaited<ReturnType<typeof openExtractors>>;
let trap: Server;
let asked = 0;
const told = { read: 0, refused: 0 };
beforeAll(async () => {
  service = await openExtractors(LIMITS);
  trap = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  attacks.summary(`${told.read} answers and ${told.refused} refusals`);
  trap.close();
  await service.close();
});

/** Files that lie where recordings are while they are read. */
async function filesLeft(): Promise<string[]> {
  const folder = join(service.home, 'extractors');
  const folders = await readdir(folder).catch(() => []);
  return (await Promise.all(folders.map((name) => readdir(join(folder, name))))).flat();
}

it.each(attacks.pick(PICTURE_CASES, SAMPLE))(
  '$name',
  async ({ make }) => {
    const file = await make(`http://127.0.0.1:${(trap.address() as AddressInfo).port}`);
    for (const [operation, answer] of [
      ['metadata', mediumMetadata],
      ['ocr', pictureText],
    ] as const) {
      const response = await service.sendForm(
        operation,
        file,
        operation === 'metadata' ? { location: 'true' } : {},
      );
      told[response.statusCode === 200 ? 'read' : 'refused'] += 1;
      if (response.statusCode === 200) answer.parse(response.json());
      else
        expect([response.statusCode, REFUSALS]).toEqual([
          400,
          expect.arrayContaining([response.json().detail.error]),
        ]);
    }
    expect([asked, await filesLeft(), ({} as Record<string, unknown>).polluted]).toEqual([0, [], undefined]);
  },
  4 * PATIENCE_MS,
);

it('and pictures are read afterwards', async () => {
  const response = await service.sendForm('metadata', await saved(photoLike(64, 48, 1), 80));
  expect(response.json()).toMatchObject({ container: { width: 64, height: 48 }, degraded: [] });
});
