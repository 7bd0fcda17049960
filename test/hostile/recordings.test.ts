import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFacts } from '../../src/media/recording/facts.ts';
import { hashFilm } from '../../src/media/recording/film-hashes.ts';
import { decodeFrames } from '../../src/media/recording/frames.ts';
import { RecordingError } from '../../src/media/recording/programs.ts';
import { decodeSound } from '../../src/media/recording/sound.ts';
import { chooseFrames, midpoints, readTimeline } from '../../src/media/recording/timeline.ts';
import { detectVoices } from '../../src/media/recording/voice-activity.ts';
import { decodeRun, decodeSoundRun } from '../../src/media/recording/window.ts';
import { startCampaign } from '../campaign.ts';
import { describeWithFfmpeg } from '../media/ffmpeg.ts';
import { type CasePlace, RECORDING_CASES } from './recording-cases.ts';

const campaign = startCampaign('hostile recordings');

const SECRET = 'a-word-that-no-recording-may-read';
const MOST_SECONDS = 30;
const LONGEST_SIDE = 64;
const timeoutMs = 30_000;
const WINDOW = { fromSec: 0, seconds: 2, timeoutMs };

/** Everything that the services do with a recording, at a small scale; its outcome. */
async function examine(path: string): Promise<string> {
  const facts = await readFacts(path);
  expect(JSON.stringify(facts)).not.toContain(SECRET);
  const { picture, startSec } = facts;
  const done: string[] = [];
  if (picture !== null && (facts.durationSec ?? 0) <= MOST_SECONDS) {
    const timeline = await readTimeline(path, { startSec, timeoutMs });
    const chosen = chooseFrames(timeline, midpoints(4, 0, timeline.durationSec));
    const options = { picture, timeline, startSec, longestSide: LONGEST_SIDE, timeoutMs };
    const frames = await decodeFrames(path, chosen, options);
    for (const { width, height, rgb, timeSec } of frames) {
      expect(Math.max(width, height)).toBeLessThanOrEqual(LONGEST_SIDE);
      expect(rgb).toHaveLength(3 * width * height);
      expect(Number.isFinite(timeSec)).toBe(true);
    }
    for (const { timeSec, hash } of await hashFilm(path, {
      picture,
      startSec,
      mostSeconds: MOST_SECONDS,
      timeoutMs,
    })) {
      expect(timeSec).toBeGreaterThanOrEqual(0);
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
    }
    const run = await decodeRun(path, { ...WINDOW, picture, longestSide: LONGEST_SIDE, framesPerSecond: 5 });
    expect(run.count).toBeLessThanOrEqual(11);
    done.push('frames');
  }
  if (facts.sound !== null) {
    const sound = await decodeSound(path, { rate: 8_000, mostSeconds: MOST_SECONDS, timeoutMs });
    expect(sound.samples.length).toBeLessThanOrEqual(8_000 * (MOST_SECONDS + 1));
    expect((await detectVoices(sound)).voicedSec).toBeGreaterThanOrEqual(0);
    const part = await decodeSoundRun(path, { ...WINDOW, rate: 8_000 });
    expect(part.samples.length).toBeLessThanOrEqual(8_000 * 3);
    done.push('sound');
  }
  return done.length === 0 ? 'refused' : 'read';
}

describeWithFfmpeg('hostile recordings', () => {
  const outcomes = new Map<string, number>();
  const folder = mkdtempSync(join(tmpdir(), 'limpede-hostile-recordings-'));
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end();
  });
  let place: CasePlace;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const secretFile = join(folder, 'secret.txt');
    writeFileSync(secretFile, SECRET);
    place = { folder, secretFile, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
    const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    campaign.summary(`${RECORDING_CASES.length} cases known; ${counts}; ${calls} calls to the outside`);
  });

  it.each(campaign.pick(RECORDING_CASES, 3))('$name', async ({ make }) => {
    const path = join(folder, 'case.mp4');
    writeFileSync(path, make(place));
    const outcome = await examine(path).catch((error: unknown) => {
      expect(error).toBeInstanceOf(RecordingError);
      return (error as RecordingError).reason;
    });
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    expect(calls).toBe(0);
  });

  it('leaves honest recordings readable', async () => {
    const path = join(folder, 'honest.mp4');
    const parts = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=96x64:r=10', '-f', 'lavfi', '-i', 'sine=d=1'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...parts, path]);
    expect(await examine(path)).toBe('read');
  });
});
