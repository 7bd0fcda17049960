import { describe, expect, it } from 'vitest';
import { bandwidthSteps } from '../../../../src/services/forensic/sound/bandwidth-steps.ts';
import { bandwidthOf, zeroShare } from '../../../../src/services/forensic/sound/features.ts';
import {
  bandwidthChange,
  bandwidthLimit,
  digitalSilence,
} from '../../../../src/services/forensic/sound/sound-findings.ts';
import { noise, recordingOf, tone, voiceLike } from '../../../media/recording/voices.ts';

const silence = (seconds: number) => new Float32Array(Math.round(seconds * 16_000));

/** Noise without anything above so many hertz: means over a window, many times. */
function lowNoise(seconds: number, rounds: number): Float32Array {
  let samples = noise(seconds, 0.5);
  for (let round = 0; round < rounds; round += 1)
    samples = samples.map((sample, index) => (sample + (samples[index - 1] ?? 0)) / 2);
  return samples;
}

describe('digital silence', () => {
  it('is the share of samples that are exactly zero', () => {
    expect(zeroShare(recordingOf(silence(1), noise(3, 0.1)))).toBeCloseTo(0.25, 2);
    expect(zeroShare(recordingOf())).toBe(0);
  });

  it('is found in a voice between nothings, and weighs at most 1.2 nat', () => {
    expect(digitalSilence(recordingOf(voiceLike(4), silence(1)), 4)).toMatchObject({
      applicable: true,
      found: true,
      log_likelihood_ratio: { value: 1.2 },
      explanation: { ro: expect.stringMatching(/^\d+,\d % .* microfon/) },
    });
  });

  it('is not found in a voice with the noise of a room', () => {
    const hiss = noise(4, 0.001);
    const room = voiceLike(4).map((sample, index) => sample + (hiss[index] ?? 0));
    expect(digitalSilence(recordingOf(room), 4)).toMatchObject({
      found: false,
      log_likelihood_ratio: { value: 0 },
      explanation: null,
    });
  });

  it('says nothing of a recording without a voice', () => {
    expect(digitalSilence(recordingOf(tone(5, 300)), 0)).toMatchObject({
      applicable: false,
      reason: { code: 'no_voice' },
      score: null,
    });
  });
});

describe('the bandwidth', () => {
  it('is that of the sample rate where nothing is cut', () => {
    const found = bandwidthOf(recordingOf(noise(2, 0.3)));
    expect(found?.isCut).toBe(false);
    expect(found?.hertz).toBeGreaterThan(7_800);
  });

  it('ends at a wall where it was cut', () => {
    const tones = [500, 1_000, 2_000, 2_700, 3_000].map((hertz) => tone(2, hertz, 0.15));
    const samples = silence(2).map((_, index) => tones.reduce((sum, one) => sum + (one[index] ?? 0), 0));
    const found = bandwidthOf(recordingOf(samples));
    expect(found?.isCut).toBe(true);
    expect(Math.abs((found?.hertz ?? 0) - 3_000)).toBeLessThan(60);
    expect(bandwidthLimit(found)).toMatchObject({ found: true, log_likelihood_ratio: { value: 0 } });
  });

  it('has no wall where the sound only grows weaker', () => {
    expect(bandwidthOf(recordingOf(lowNoise(2, 2)))?.isCut).toBe(false);
  });

  it('is unknown of silence', () => {
    expect(bandwidthOf(recordingOf(silence(2)))).toBeUndefined();
    expect(bandwidthLimit(undefined)).toMatchObject({ applicable: false, reason: { code: 'silent' } });
  });
});

describe('a change of the bandwidth', () => {
  /** Low-passed so often, nothing is left above 5 kHz. */
  const narrow = (seconds: number) => lowNoise(seconds, 16);
  const wide = (seconds: number) => noise(seconds, 0.3);
  const changeOf = async (...parts: Float32Array[]) =>
    bandwidthChange(await bandwidthSteps(recordingOf(...parts)));

  it('is found where a part has no high sounds, at its time', async () => {
    const found = await changeOf(wide(3), narrow(2), wide(3));
    expect(found).toMatchObject({
      found: true,
      log_likelihood_ratio: { value: 0.4, low: 0 },
      explanation: { ro: expect.stringMatching(/peste \d,\d kHz/) },
    });
    const [part, ...others] = found.stretches;
    expect(others).toEqual([]);
    expect(Math.abs((part?.start_s ?? 0) - 3)).toBeLessThanOrEqual(0.3);
    expect(Math.abs((part?.end_s ?? 0) - 5)).toBeLessThanOrEqual(0.3);
  });

  it('is followed to its end through a recording of minutes', async () => {
    const found = await changeOf(wide(50), narrow(45), wide(40));
    const [part] = found.stretches;
    expect(Math.abs((part?.start_s ?? 0) - 50)).toBeLessThanOrEqual(0.3);
    expect(Math.abs((part?.end_s ?? 0) - 95)).toBeLessThanOrEqual(0.3);
  });

  it.each<[string, Float32Array[]]>([
    ['a part is only more quiet', [wide(3), wide(2).map((sample) => sample / 5), wide(3)]],
    ['there is a pause', [wide(3), silence(2), wide(3)]],
    [
      'narrow sounds come and go faster than seams do',
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? wide(0.2) : narrow(0.2))),
    ],
  ])('is not found where %s', async (_name, parts) => {
    expect(await changeOf(...parts)).toMatchObject({ applicable: true, found: false, stretches: [] });
  });

  it.each<[string, Float32Array[]]>([
    ['is short', [wide(1)]],
    ['is silent', [silence(5)]],
    ['has nothing that is high', [tone(5, 300), tone(3, 900)]],
  ])('cannot be told of a sound that %s', async (_name, parts) => {
    expect(await changeOf(...parts)).toMatchObject({ applicable: false, reason: { code: 'narrow_sound' } });
  });
});
