/** Samples of a second. */
const RATE = 8_000;

/** A tone of so many oscillations a second as WAV; none is silence. */
export function tone(frequency: number, seconds: number): Buffer {
  const samples = Buffer.alloc(2 * RATE * seconds);
  for (let at = 0; at < RATE * seconds; at += 1)
    samples.writeInt16LE(Math.round(20_000 * Math.sin((2 * Math.PI * frequency * at) / RATE)), 2 * at);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(2 * RATE, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
