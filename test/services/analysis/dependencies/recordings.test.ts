import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Probeable, runCheck } from '../../../../src/foundation/health.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { openRecordingServices } from '../../../../src/services/analysis/dependencies/recordings.ts';
import { hasVision, type VideoClient } from '../../../../src/services/analysis/dependencies/video.ts';
import { analysisSettings } from '../../../../src/services/analysis/settings.ts';

describe('the services for sound and video, as health asks for them', () => {
  let vision: object;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        status: 'ok',
        checks: { vision: { status: 'healthy', error: null }, vision_model: vision },
      }),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());
  const open = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return openRecordingServices(parseSettings(analysisSettings, { VIDEO_URL: url, SPEECH_URL: 'none' }));
  };
  const signal = new AbortController().signal;

  it('are asked only where they are set', async () => {
    const services = open();
    expect(Object.keys(services.probes).sort()).toEqual(['video', 'video_model']);
    await services.close();
  });

  it('tell the vision server as the video service sees it', async () => {
    const services = open();
    vision = { status: 'healthy', error: null };
    await expect(services.probes.video_model?.probe(signal)).resolves.toBeUndefined();
    vision = { status: 'unhealthy', error: 'gone' };
    await expect(services.probes.video_model?.probe(signal)).rejects.toThrow('gone');
    await expect(services.probes.video?.probe(signal)).resolves.toBeUndefined();
    vision = { status: 'unknown', error: 'switched off' };
    const model = services.probes.video_model as Probeable;
    expect(await runCheck(model, 2_000)).toMatchObject({ status: 'unknown', error: 'switched off' });
    // Videos are still watched: their signed history is judged, and what can be measured is described.
    expect(await hasVision(services.video as VideoClient, signal)).toBe(true);
    await services.close();
  });
});
