import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  isolationNote,
  SandboxError,
  type SandboxedProgram,
  type StartedProgram,
  startSandboxed,
} from '../sandbox.ts';
import type { DecodeOptions } from './decode-frame.ts';
import { type DecodedPicture, decodeReply } from './decode-reply.ts';

/** Why a picture was not decoded. */
export class DecodeError extends Error {
  /** `broken`: the file is not what it says, or breaks off. */
  readonly reason: 'broken' | 'too_many_pixels' | 'timeout' | 'out_of_memory';

  constructor(reason: DecodeError['reason'], cause: unknown) {
    super(`the picture was not decoded: ${reason}`, { cause });
    this.name = 'DecodeError';
    this.reason = reason;
  }
}

type MakeError = (options: { readonly cause: unknown }) => Error;

/** The errors with which a service answers when a picture was not decoded. */
export interface DecodeFailures {
  readonly broken_media: MakeError;
  readonly too_many_pixels: MakeError;
  readonly timeout: MakeError;
}

/** Turns the failures of the decoder into errors of the service; other errors stay as they are. */
export function decodeFailure(error: unknown, failures: DecodeFailures): unknown {
  if (!(error instanceof DecodeError)) return error;
  if (error.reason === 'broken') return failures.broken_media({ cause: error });
  return (error.reason === 'timeout' ? failures.timeout : failures.too_many_pixels)({ cause: error });
}

/** Pictures that are decoded, by their bytes; documents, drawings that are programs, and lists of other files are not among them. */
export const DECODED_TYPES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
]);

/** A grey picture of 8 x 8 pixels (PNG), by which health knows whether pictures can be read. */
export const PROBE_PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAD0lEQVQI12NowAEYhpYEAILzYAGUMxmUAAAAAElFTkSuQmCC',
  'base64',
);

/** Limits and places of a decoder. */
export interface DecoderOptions extends DecodeOptions {
  /** The bundled program that decodes. */
  readonly script: string;
  /** Files and folders that it loads: its own, its packages, and the file that says what kind of modules they are. */
  readonly readable: readonly string[];
  readonly timeoutMs: number;
}

/** Decodes hostile pictures, each in a process that ends with it. */
export interface Decoder {
  /** Rejects with a DecodeError, or with the signal's reason. */
  decode(bytes: Buffer, signal?: AbortSignal): Promise<DecodedPicture>;
  /** The isolation of the processes, in words. */
  readonly note: string;
  /** Rejects when pictures cannot be decoded here. */
  probe(signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** Memory of the process beside its pixels, and for each pixel. */
const BASE_BYTES = 512 * 1024 * 1024;
const BYTES_PER_PIXEL = 12;
/** Milliseconds after a picture until the next process is started: this one is answered first, for a start holds up its whole process. */
const SPARE_AFTER_MS = 100;
/** How long a started process waits for a picture, in milliseconds: an idle platform keeps none. */
const SPARE_MS = 60_000;

/** Processes that are started before their picture is there: a start takes longer than most pictures. */
function createSpares(job: SandboxedProgram) {
  let spare: StartedProgram | undefined;
  let idle: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  const drop = () => {
    clearTimeout(idle);
    clearTimeout(soon);
    spare?.kill();
    spare = undefined;
  };
  const keep = () => {
    if (spare?.alive === true) return;
    spare = startSandboxed(job);
    clearTimeout(idle);
    idle = setTimeout(drop, SPARE_MS);
    idle.unref();
  };
  return {
    drop,
    take: (): StartedProgram => {
      const ready = spare?.alive === true ? spare : startSandboxed(job);
      spare = undefined;
      return ready;
    },
    keepSoon: () => {
      clearTimeout(soon);
      soon = setTimeout(keep, SPARE_AFTER_MS);
      soon.unref();
    },
  };
}

/** Prepares decoding. One process is kept ready after the first picture. */
export function createDecoder(options: DecoderOptions): Decoder {
  const { script, readable, timeoutMs, mostPixels, thumbnailSide } = options;
  const spares = createSpares({
    program: process.execPath,
    argumentList: [script, JSON.stringify({ mostPixels, thumbnailSide } satisfies DecodeOptions)],
    readable: [dirname(realpathSync(process.execPath)), ...readable],
    limits: {
      wallMs: timeoutMs,
      cpuSeconds: Math.ceil(timeoutMs / 1000),
      memoryBytes: BASE_BYTES + BYTES_PER_PIXEL * mostPixels,
      outputBytes: 2 * mostPixels,
    },
  });
  let closed = false;
  const decode = async (bytes: Buffer, signal?: AbortSignal): Promise<DecodedPicture> => {
    signal?.throwIfAborted();
    const program = spares.take();
    try {
      return decodeReply(await program.answer(bytes, signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw new DecodeError(reasonOf(error), error);
    } finally {
      program.kill();
      if (!closed) spares.keepSoon();
    }
  };
  return {
    decode,
    get note() {
      return isolationNote();
    },
    probe: async (signal) => {
      const { width, height } = await decode(PROBE_PICTURE, signal);
      if (width !== 8 || height !== 8) throw new Error('a picture was not decoded as it is');
    },
    close: () => {
      closed = true;
      spares.drop();
    },
  };
}

function reasonOf(error: unknown): DecodeError['reason'] {
  if (!(error instanceof SandboxError)) return 'broken';
  if (error.reason === 'timeout') return 'timeout';
  if (error.reason === 'output_too_large' || /exceeds pixel limit/.test(error.errorOutput))
    return 'too_many_pixels';
  return /out of memory|std::bad_alloc|allocation failed/i.test(error.errorOutput)
    ? 'out_of_memory'
    : 'broken';
}
