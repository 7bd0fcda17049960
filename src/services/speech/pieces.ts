import type { Sound } from '../../media/recording/sound.ts';
import type { TimeRange } from '../../media/recording/voice-activity.ts';

/** Voices within so many seconds of each other are one piece, so that engines keep the context of a sentence. */
const NEAR_SECONDS = 5;

/** Groups stretches with voices into pieces for an engine; a stretch longer than the limit is cut at the limit. */
export function piecesOf(stretches: readonly TimeRange[], mostSec: number): TimeRange[] {
  const pieces: { startSec: number; endSec: number }[] = [];
  for (const { startSec, endSec } of stretches) {
    const last = pieces.at(-1);
    const isNear =
      last !== undefined && startSec - last.endSec <= NEAR_SECONDS && endSec - last.startSec <= mostSec;
    if (isNear) last.endSec = endSec;
    else
      for (let from = startSec; from < endSec; from += mostSec)
        pieces.push({ startSec: from, endSec: Math.min(endSec, from + mostSec) });
  }
  return pieces;
}

/** Samples per second that speech models expect. */
export const SAMPLE_RATE = 16_000;
const FULL_SCALE = 32_768;
const BYTES_PER_SAMPLE = 2;

/** A part of a recording as samples of 16 bits, which engines on this machine read. */
export function pcmOf({ rate, samples }: Sound, { startSec, endSec }: TimeRange): Buffer {
  const part = samples.subarray(Math.floor(startSec * rate), Math.ceil(endSec * rate));
  const body = Buffer.alloc(BYTES_PER_SAMPLE * part.length);
  part.forEach((sample, index) => {
    const scaled = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE)));
    body.writeInt16LE(scaled, BYTES_PER_SAMPLE * index);
  });
  return body;
}

/** Decodes samples of 16 bits to numbers from -1 to 1. */
export function samplesOfPcm(pcm: Buffer): { readonly sampleRate: number; readonly samples: Float32Array } {
  const length = Math.floor(pcm.length / BYTES_PER_SAMPLE);
  const read = (_: unknown, index: number) => pcm.readInt16LE(BYTES_PER_SAMPLE * index) / FULL_SCALE;
  return { sampleRate: SAMPLE_RATE, samples: Float32Array.from({ length }, read) };
}

/** A part of a recording as a WAV file of 16 bits, which every engine reads. */
export function wavOf(sound: Sound, piece: TimeRange): Buffer {
  const { rate } = sound;
  const body = pcmOf(sound, piece);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + body.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(body.length, 40);
  return Buffer.concat([header, body]);
}
