import type { Sound } from '../../../src/media/recording/sound.ts';

/** Samples of a second. */
export const RATE = 16_000;

/** Sound like a voice: syllables of a gliding pitch with its overtones. */
export function voiceLike(seconds: number, level = 0.3): Float32Array {
  const samples = new Float32Array(Math.round(seconds * RATE));
  let phase = 0;
  for (let index = 0; index < samples.length; index += 1) {
    const time = index / RATE;
    phase += (2 * Math.PI * (150 + 40 * Math.sin(2 * Math.PI * 0.7 * time))) / RATE;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 3 * time));
    let sum = 0;
    for (let overtone = 1; overtone <= 8; overtone += 1) sum += Math.sin(overtone * phase) / overtone;
    samples[index] = level * syllable * sum;
  }
  return samples;
}

/** Noise that is the same each time. */
export function noise(seconds: number, level: number): Float32Array {
  let state = 12_345;
  return new Float32Array(Math.round(seconds * RATE)).map(() => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return level * (state / 2 ** 31 - 1);
  });
}

/** A tone that never changes. */
export function tone(seconds: number, hertz: number, level = 0.3): Float32Array {
  return new Float32Array(Math.round(seconds * RATE)).map(
    (_, index) => level * Math.sin((2 * Math.PI * hertz * index) / RATE),
  );
}

/** Parts one after the other. */
export function recordingOf(...parts: Float32Array[]): Sound {
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { rate: RATE, samples };
}
