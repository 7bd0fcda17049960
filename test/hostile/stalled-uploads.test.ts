import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { AnyService } from '../../src/foundation/service.ts';
import { extractorsService } from '../../src/services/extractors/service.ts';
import { forensicService } from '../../src/services/forensic/service.ts';
import { speechService } from '../../src/services/speech/service.ts';
import { videoService } from '../../src/services/video/service.ts';
import { startCampaign } from '../campaign.ts';
import { filesBelow } from '../files-below.ts';
import { startModelService } from '../foundation/model-service/running.ts';
import { describeWithFfmpeg } from '../media/ffmpeg.ts';
import { startManualClock, until } from '../patience.ts';

interface Entrance {
  readonly path: string;
  readonly service: AnyService;
  readonly settings: Record<string, string>;
  /** Whether what comes lies in a file until it is whole. */
  readonly inFile: boolean;
}

const FORENSIC = { service: forensicService, settings: { FORENSIC_CALLER_SHARE: '1' } };
const EXTRACTORS = { service: extractorsService, settings: { EXTRACTORS_CALLER_SHARE: '1' } };
const VIDEO = {
  service: videoService,
  settings: { VIDEO_CALLER_SHARE: '1', VISION_URL: 'http://127.0.0.1:9', LLM_URL: 'none' },
};
const ENTRANCES: readonly Entrance[] = [
  { ...FORENSIC, path: '/v1/analyze', inFile: false },
  { ...FORENSIC, path: '/v1/analyze/recording', inFile: true },
  ...['/v1/metadata', '/v1/ocr', '/v1/detect', '/v1/overview'].map((path) => ({
    ...EXTRACTORS,
    path,
    inFile: true,
  })),
  {
    service: speechService,
    settings: { SPEECH_CALLER_SHARE: '1' },
    path: '/v1/audio/transcriptions',
    inFile: true,
  },
  ...['/analyze/video', '/analyze/video/semantic'].map((path) => ({ ...VIDEO, path, inFile: true })),
];
const CASES = ENTRANCES.flatMap((entrance) =>
  (['stops', 'drips'] as const).map((how) => ({ ...entrance, how, name: `${entrance.path} that ${how}` })),
);

/** The beginning of a WAV file, more than is needed to identify its type. */
function soundStart(): Buffer {
  const start = Buffer.alloc(20_000);
  start.write('RIFF', 0, 'latin1');
  start.writeUInt32LE(900_000, 4);
  start.write('WAVEfmt ', 8, 'latin1');
  start.writeUInt32LE(16, 16);
  start.writeUInt16LE(1, 20);
  start.writeUInt16LE(1, 22);
  start.writeUInt32LE(8_000, 24);
  start.writeUInt32LE(16_000, 28);
  start.writeUInt16LE(2, 32);
  start.writeUInt16LE(16, 34);
  start.write('data', 36, 'latin1');
  start.writeUInt32LE(899_000, 40);
  return start;
}

const FORM_START = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const FORM_END = '\r\n--x--\r\n';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Sends the headers of an upload, then parts of it; gathers what is answered. */
function upload(url: string, path: string, length: number) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  closing.push(() => socket.destroy());
  let heard = '';
  let isClosed = false;
  socket.on('data', (data) => {
    heard += data.toString();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isClosed = true;
  });
  const size = `content-length: ${length}`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: multipart/form-data; boundary=x\r\n${size}\r\n\r\n`,
  );
  return {
    write: (part: string | Buffer) => void socket.write(part),
    leave: () => void socket.destroy(),
    status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? Number.NaN),
    message: () => heard,
    isClosed: () => isClosed,
  };
}

/** The status of an upload that is whole, of something that is no medium. */
async function wholeUpload(url: string, path: string): Promise<number> {
  const body = `${FORM_START}no medium${FORM_END}`;
  const { write, status } = upload(url, path, body.length);
  write(body);
  await until(() => !Number.isNaN(status()));
  return status();
}

const campaign = startCampaign('stalled uploads');
const chosen = campaign.pick(CASES, 6);

describeWithFfmpeg('an upload', () => {
  it.each(chosen)('to $name is closed, and leaves neither its place nor its file', async (entrance) => {
    const { path, service, settings, inFile, how } = entrance;
    const home = mkdtempSync(join(tmpdir(), 'limpede-stalled-'));
    closing.push(() => rmSync(home, { recursive: true }));
    const clock = startManualClock();
    closing.push(() => clock.restore());
    const { url, close } = await startModelService(service, settings, home);
    closing.push(close);
    const { write, status, message, isClosed } = upload(url, path, 1_000_000);
    write(FORM_START);
    write(soundStart());
    if (inFile) await until(() => filesBelow(home).length > 0);
    // The place is taken.
    await until(async () => (await wholeUpload(url, path)) === 429);
    for (let seconds = 0; seconds < 60 && Number.isNaN(status()); seconds += 5) {
      if (how === 'drips') write('\0');
      await clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => !Number.isNaN(status()));
    expect(message()).toMatch(/did not arrive in time|came too slowly|408 Request Timeout/);
    expect(message()).toMatch(/connection: close/i);
    // A sender that goes on is cut off.
    await clock.advance(5_000);
    await until(isClosed);
    await until(() => filesBelow(home).length === 0);
    clock.restore();
    expect(await wholeUpload(url, path)).toBe(400);
    if (entrance === chosen.at(-1)) campaign.summary(`${chosen.length} of ${CASES.length} uploads`);
  });

  it.each(campaign.pick(ENTRANCES, 3))(
    'to $path whose sender leaves leaves neither its place nor its file',
    async ({ path, service, settings, inFile }) => {
      const home = mkdtempSync(join(tmpdir(), 'limpede-left-'));
      closing.push(() => rmSync(home, { recursive: true }));
      const { url, close } = await startModelService(service, settings, home);
      closing.push(close);
      const sound = soundStart();
      const whole = FORM_START.length + sound.length + FORM_END.length;
      for (const length of [1_000_000, whole]) {
        const { write, leave } = upload(url, path, length);
        write(FORM_START);
        write(sound);
        // Either in the middle of it, or while it is examined.
        if (length === whole) write(FORM_END);
        else if (inFile) await until(() => filesBelow(home).length > 0);
        leave();
        await until(async () => (await wholeUpload(url, path)) === 400);
        await until(() => filesBelow(home).length === 0);
      }
    },
  );
});
