import { inputArguments, RecordingError, runProgramOnFile } from './programs.ts';

/** Sound as samples of one channel, -1 to 1. */
export interface Sound {
  readonly rate: number;
  readonly samples: Float32Array;
}

/** How sound is decoded. */
export interface SoundOptions {
  /** Samples of a second. */
  readonly rate: number;
  /** A recording that decodes to more is refused, whatever its header says. */
  readonly mostSeconds: number;
  readonly timeoutMs: number;
}

/** More than a rounding of the last packet. */
const TOLERANCE_SECONDS = 1;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_768;

/** The sound of the first sound track, its channels mixed. Rejects with a RecordingError or the signal's reason. */
export async function decodeSound(path: string, options: SoundOptions, signal?: AbortSignal): Promise<Sound> {
  const { rate, mostSeconds, timeoutMs } = options;
  const mostBytes = BYTES_PER_SAMPLE * rate * (mostSeconds + TOLERANCE_SECONDS);
  const { output } = await runProgramOnFile(
    'ffmpeg',
    path,
    [
      ...['-v', 'error', '-nostdin', '-threads', '1', ...inputArguments(), '-i', `file:${path}`],
      ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(mostSeconds + 2 * TOLERANCE_SECONDS)],
      ...['-ac', '1', '-ar', String(rate), '-f', 's16le', 'pipe:1'],
    ],
    { wallMs: timeoutMs, outputBytes: mostBytes },
    signal,
  ).catch((error: unknown) => {
    // Nothing else of the output grows but its length.
    if (error instanceof RecordingError && error.reason === 'too_large')
      throw new RecordingError('too_long', { cause: error });
    throw error;
  });
  if (output.length < BYTES_PER_SAMPLE) throw new RecordingError('broken');
  const samples = new Float32Array(Math.floor(output.length / BYTES_PER_SAMPLE));
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = output.readInt16LE(BYTES_PER_SAMPLE * index) / FULL_SCALE;
  return { rate, samples };
}
