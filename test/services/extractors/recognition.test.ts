import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/foundation/log.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { openPictureDecoder } from '../../../src/services/extractors/picture-decoder.ts';
import {
  isRecognitionInstalled,
  recognitionFolder,
} from '../../../src/services/extractors/recognition/packages.ts';
import { createRecogniser } from '../../../src/services/extractors/recognition/recognition.ts';
import { objectName } from '../../../src/services/extractors/resources/object-names.ts';
import {
  pictureContent,
  recognitionState,
} from '../../../src/services/extractors/resources/picture-content.ts';
import { extractorsSettings } from '../../../src/services/extractors/settings.ts';
import { hasFfmpeg } from '../../media/ffmpeg.ts';
import { eventually } from '../../patience.ts';
import { photoLike } from '../forensic/pictures.ts';
import { openExtractors } from './extractors.ts';

const settings = parseSettings(extractorsSettings, {});
const log = createLog({ level: 'silent', name: 'test' });
const { rgb } = photoLike(480, 320, 3);
const photo = () => sharp(rgb, { raw: { width: 480, height: 320, channels: 3 } }).jpeg();

describe('POST /v1/detect where nothing is installed that recognises', () => {
  let service: Awaited<ReturnType<typeof openExtractors>>;
  beforeAll(async () => {
    const recogniser = createRecogniser(settings, openPictureDecoder(settings), log, () => false);
    service = await openExtractors({}, { recogniser });
  });
  afterAll(() => service.close());

  it('says that nobody looked, and why', async () => {
    const answer = await service.sendForm('detect', await photo().toBuffer());
    expect(answer.statusCode).toBe(200);
    const content = pictureContent.parse(answer.json());
    expect(content).toMatchObject({ faces: null, objects: null, nudity: null, width: null });
    expect(content.degraded.map(({ part, reason }) => [part, reason])).toEqual([
      ['faces', 'engine_missing'],
      ['objects', 'engine_missing'],
      ['nudity', 'engine_missing'],
    ]);
  });

  it('says so before a picture is sent', async () => {
    const answer = await service.app.inject('/v1/detect');
    expect(recognitionState.parse(answer.json())).toMatchObject({ installed: false });
  });

  it('is whole without it, and health tells what to do', async () => {
    // Each check has a time limit, which a busy machine may miss.
    await eventually(async () => {
      const { status, checks } = (await service.app.inject('/health')).json();
      // Without ffmpeg it is not whole, for another reason.
      expect(status).toBe(hasFfmpeg ? 'healthy' : 'degraded');
      expect(checks.recognition.status).toBe('healthy');
      expect(checks.recognition.note).toContain('limpede setup recognition');
    });
  });

  it('refuses what is no picture', async () => {
    const answer = await service.sendForm('detect', Buffer.from('%PDF-1.4 nothing'));
    expect(answer.statusCode).toBe(400);
  });
});

const installed = isRecognitionInstalled(recognitionFolder());
describe.skipIf(!installed)(
  `POST /v1/detect${installed ? '' : ' (left out: `limpede setup recognition` was not run)'}`,
  () => {
    let service: Awaited<ReturnType<typeof openExtractors>>;
    beforeAll(async () => {
      service = await openExtractors();
    });
    afterAll(() => service.close());

    it('looks at a picture as it is shown, and finds no face where there is none', async () => {
      const turned = await photo().withMetadata({ orientation: 6 }).toBuffer();
      const content = pictureContent.parse((await service.sendForm('detect', turned)).json());
      expect(content).toMatchObject({ width: 320, height: 480, faces: [], degraded: [] });
      expect(content.objects).not.toBeNull();
      expect(content.nudity).toBeLessThan(0.5);
    });

    it('tells a picture that cannot be decoded', async () => {
      const broken = Buffer.from('89504e470d0a1a0a0000000d4948445200000010', 'hex');
      expect((await service.sendForm('detect', broken)).statusCode).toBe(400);
    });
  },
);

it('names objects in both languages, and keeps a label that it does not know', () => {
  expect(objectName('dining table')).toEqual({ en: 'dining table', ro: 'masă' });
  expect(objectName('unicorn')).toEqual({ en: 'unicorn', ro: 'unicorn' });
});
