import { describe, expect, it } from 'vitest';
import { detectVoices } from '../../../src/media/recording/voice-activity.ts';
import { noise, recordingOf, tone, voiceLike } from './voices.ts';

const silence = (seconds: number) => new Float32Array(Math.round(seconds * 16_000));
const mixed = (one: Float32Array, two: Float32Array) =>
  one.map((sample, index) => sample + (two[index] ?? 0));

describe('voices', () => {
  it('are found where they are', async () => {
    const { ranges, voicedSec } = await detectVoices(
      recordingOf(noise(3, 0.003), voiceLike(3), noise(4, 0.003), voiceLike(2), noise(1, 0.003)),
    );
    expect(ranges).toHaveLength(2);
    const [first, second] = ranges;
    expect(first?.startSec).toBeGreaterThan(2.6);
    expect(first?.endSec).toBeLessThan(6.4);
    expect(second?.startSec).toBeGreaterThan(9.6);
    expect(voicedSec).toBeGreaterThan(3.5);
    expect(voicedSec).toBeLessThan(6);
  });

  it('are found in noise half as loud', async () => {
    const { voicedSec } = await detectVoices(recordingOf(mixed(voiceLike(6), noise(6, 0.1))));
    expect(voicedSec).toBeGreaterThan(3);
  });

  it.each([
    ['silence', silence(5)],
    ['noise', noise(5, 0.2)],
    ['noise that swells', noise(5, 0.2).map((sample, index) => sample * Math.sin(index / 4_000) ** 2)],
    ['a tone', tone(5, 200)],
    ['a hum that is switched on and off', recordingOf(tone(1, 100), silence(1), tone(1, 100)).samples],
    ['nothing', silence(0)],
  ])('are not found in %s', async (_name, samples) => {
    expect(await detectVoices({ rate: 16_000, samples })).toEqual({ ranges: [], voicedSec: 0 });
  });

  it('are looked for in turns with others, and no longer than somebody waits', async () => {
    const leaving = new AbortController();
    const looking = detectVoices(recordingOf(noise(60, 0.2)), leaving.signal);
    leaving.abort(new Error('left'));
    await expect(looking).rejects.toThrow('left');
  });
});
