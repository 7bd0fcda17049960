import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isolationNote, SandboxError, startSandboxed } from '../sandbox.ts';

/** A program that reads recordings: it is installed by the operator, not packaged. */
export type MediaProgram = 'ffmpeg' | 'ffprobe';

/** Why a recording was not read. */
export type RecordingReason =
  /** ffmpeg or ffprobe is not installed. */
  | 'program_missing'
  /** The file is no container that is read, is damaged, or is not what it says. */
  | 'broken'
  /** It lacks the track that is wanted. */
  | 'no_track'
  | 'too_long'
  | 'too_large'
  | 'timeout'
  | 'out_of_memory';

/** A recording that was not read. */
export class RecordingError extends Error {
  readonly reason: RecordingReason;

  constructor(reason: RecordingReason, options?: { readonly message?: string; readonly cause?: unknown }) {
    super(options?.message ?? `the recording was not read: ${reason}`, { cause: options?.cause });
    this.name = 'RecordingError';
    this.reason = reason;
  }
}

/** What one run of a program may take. */
export interface RunLimits {
  readonly wallMs: number;
  readonly outputBytes: number;
  /** Characters of its error stream that are kept; lines on some hundred frames unless said otherwise. */
  readonly maxErrorOutput?: number;
}

/** What a program wrote to its output and, cut off, to its error stream. Neither is to be trusted. */
export interface ProgramAnswer {
  readonly output: Buffer;
  readonly errorOutput: string;
}

/** Where the programs are looked for; `PATH` could lead anywhere. */
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'];
/** Private memory: decoding the largest allowed frames takes a third of it. */
const MEMORY_BYTES = 1_500 * 1024 * 1024;
/** Lines on some hundred frames. */
const MAX_ERROR_OUTPUT = 256 * 1024;

/** Containers alone: lists that name other files, such as playlists, are not among them. */
export const CONTAINERS =
  'mov,matroska,webm,ogg,mp3,wav,w64,flac,aac,amr,aiff,caf,ac3,avi,mpeg,mpegts,asf,flv,gif';

/**
 * The options of both programs for their input: only files and pipes are opened, only containers are tried, and little is read before
 * the content is known.
 */
export function inputArguments(containers: string = CONTAINERS): string[] {
  return [
    ...['-protocol_whitelist', 'file,pipe,fd', '-format_whitelist', containers],
    ...['-probesize', '10M', '-analyzeduration', '5M'],
  ];
}

/** Where a program is installed; undefined when it is not. */
export function findProgram(name: MediaProgram): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** The names of the programs that are not installed. */
export function missingPrograms(): MediaProgram[] {
  return (['ffmpeg', 'ffprobe'] as const).filter((name) => findProgram(name) === undefined);
}

/** Recordings can be read when both programs are installed. */
export const mediaPrograms = {
  get note() {
    return isolationNote();
  },
  probe: async (): Promise<void> => {
    const missing = missingPrograms();
    if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`);
  },
};

/** Runs a program on one file in the strongest sandbox of the machine. Rejects with a RecordingError or the signal's reason. */
export async function runProgramOnFile(
  name: MediaProgram,
  file: string,
  argumentList: readonly string[],
  limits: RunLimits,
  signal?: AbortSignal,
): Promise<ProgramAnswer> {
  signal?.throwIfAborted();
  const program = findProgram(name);
  if (program === undefined)
    throw new RecordingError('program_missing', { message: `${name} is not installed` });
  const started = startSandboxed({
    program,
    argumentList,
    readable: [dirname(realpathSync(program)), file],
    limits: {
      maxErrorOutput: MAX_ERROR_OUTPUT,
      ...limits,
      cpuSeconds: Math.ceil(limits.wallMs / 1000),
      memoryBytes: MEMORY_BYTES,
    },
  });
  try {
    const output = await started.answer(Buffer.alloc(0), signal);
    return { output, errorOutput: started.errorOutput };
  } catch (error) {
    signal?.throwIfAborted();
    throw new RecordingError(reasonOf(error), { cause: error });
  } finally {
    started.kill();
  }
}

function reasonOf(error: unknown): RecordingReason {
  if (!(error instanceof SandboxError)) return 'broken';
  if (error.reason === 'timeout') return 'timeout';
  if (error.reason === 'output_too_large') return 'too_large';
  if (/cannot allocate memory|out of memory|error while allocating/i.test(error.errorOutput))
    return 'out_of_memory';
  return 'broken';
}
