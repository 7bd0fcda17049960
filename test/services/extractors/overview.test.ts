import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waveform } from '../../../src/services/extractors/pictures/waveform.ts';
import { recordingOverview } from '../../../src/services/extractors/resources/overview.ts';
import { describeWithFfmpeg } from '../../media/ffmpeg.ts';
import { openExtractors } from './extractors.ts';
import { tone } from './sounds.ts';

describe('a wave form', () => {
  it('is as high as the sound is loud, and a line in silence', () => {
    const samples = Float32Array.from({ length: 2048 }, (_, at) => (at < 1024 ? (at % 2 === 0 ? 1 : -1) : 0));
    const { width, height, pixels } = waveform(samples);
    const dark = (column: number) =>
      Array.from({ length: height }, (_, row) => pixels[row * width + column]).filter(
        (shade) => shade === 60,
      );
    expect([width, dark(10).length, dark(width - 10).length]).toEqual([1024, height, 0]);
  });
});

describeWithFfmpeg('overviews', () => {
  let service: Awaited<ReturnType<typeof openExtractors>>;
  let film: Buffer;
  beforeAll(async () => {
    service = await openExtractors();
    const folder = mkdtempSync(join(tmpdir(), 'limpede-overview-'));
    const path = join(folder, 'film.mp4');
    const text = "drawtext=text='BREAKING NEWS TODAY':fontsize=48:fontcolor=black:x=40:y=90";
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', `color=white:d=4:s=640x240:r=5,${text}`],
      ...['-f', 'lavfi', '-i', 'sine=d=4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', path],
    ]);
    film = readFileSync(path);
    rmSync(folder, { recursive: true });
  });
  afterAll(() => service.close());

  const overviewOf = async (file: Buffer, fields: Record<string, string> = {}) => {
    const answer = await service.sendForm('overview', file, fields);
    expect(answer.statusCode, answer.body).toBe(200);
    return recordingOverview.parse(answer.json());
  };

  it('show a video: frames at their times, the words in six of them, its sound', async () => {
    const overview = await overviewOf(film);
    expect(overview.degraded).toEqual([]);
    expect(overview.frames).toHaveLength(16);
    const times = overview.frames.map(({ timestamp_s: time }) => time);
    expect([...times].sort((one, two) => one - two)).toEqual(times);
    const [first] = overview.frames;
    const { format, width } = await sharp(Buffer.from(first?.picture.data ?? '', 'base64')).metadata();
    expect([format, width]).toEqual(['jpeg', 480]);
    const read = overview.frames.filter(({ text }) => text !== null);
    expect(read).toHaveLength(6);
    for (const { text } of read) expect(text).toContain('BREAKING NEWS');
    for (const drawn of [overview.waveform, overview.spectrogram]) expect(drawn?.mime_type).toBe('image/png');
  });

  it('show a sound, and nothing that it has not', async () => {
    const overview = await overviewOf(tone(440, 1));
    expect(overview).toMatchObject({ frames: [], waveform: { height: 128 }, spectrogram: { height: 512 } });
    expect(overview.degraded.map(({ part, reason: why }) => [part, why])).toEqual([
      ['frames', 'not_applicable'],
    ]);
  });

  it('hold the parts that were asked for', async () => {
    const overview = await overviewOf(film, { parts: 'waveform' });
    expect(overview).toMatchObject({ frames: [], spectrogram: null, degraded: [] });
    expect(overview.waveform).not.toBeNull();
  });

  it('are not made of pictures, and of files that break off only as far as they go', async () => {
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect((await service.sendForm('overview', picture)).statusCode).toBe(400);
    const broken = await overviewOf(film.subarray(0, 900));
    expect(broken.frames).toEqual([]);
    expect(broken.degraded.map(({ part }) => part)).toEqual(['frames', 'waveform', 'spectrogram']);
  });
});
