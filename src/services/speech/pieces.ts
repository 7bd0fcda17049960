import type { Sound } from '../../media/recording/sound.ts';
import type { Stretch } from '../../media/recording/voice-activity.ts';

/** Voices within so many seconds of each other are one piece, so that engines keep the context of a sentence. */
const NEAR_SECONDS = 5;

/** The parts of a recording that an engine hears: those with voices, cut between them; where one goes on for longer, at the limit. */
export function piecesOf(stretches: readonly Stretch[], mostSec: number): Stretch[] {
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

/** A part of a recording as a WAV file of 16 bits, which every engine reads. */
export function wavOf({ rate, samples }: Sound, { startSec, endSec }: Stretch): Buffer {
  const part = samples.subarray(Math.floor(startSec * rate), Math.ceil(endSec * rate));
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + 2 * part.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(2 * part.length, 40);
  const body = Buffer.alloc(2 * part.length);
  part.forEach((sample, index) => {
    body.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), 2 * index);
  });
  return Buffer.concat([header, body]);
}
