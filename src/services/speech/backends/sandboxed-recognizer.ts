import { SandboxError, type SandboxedProgram, startSandboxed } from '../../../media/sandbox.ts';
import { errors } from '../errors.ts';
import { pcmOf } from '../pieces.ts';
import type { RecognitionTask } from './backend.ts';

/** Resource limits of a local engine for one piece. */
export interface LocalLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** A minute of speech has some hundred words; their times take the rest. */
const OUTPUT_BYTES = 4 * 1024 * 1024;
/** Characters of the error output that the message of a failure holds. */
const LONGEST_ERROR_OUTPUT = 300;

/** Pipes a piece of sound to a program in the strongest sandbox of the machine and returns its output. Throws backend_failed, or the signal's reason. */
export async function recognizeInSandbox(
  program: Omit<SandboxedProgram, 'limits'>,
  { sound, piece, model, signal }: RecognitionTask,
  { timeoutMs, memoryBytes }: LocalLimits,
): Promise<Buffer> {
  signal.throwIfAborted();
  const cpuSeconds = Math.ceil((2 * timeoutMs) / 1000);
  const limits = { wallMs: timeoutMs, cpuSeconds, memoryBytes, outputBytes: OUTPUT_BYTES };
  const started = startSandboxed({ ...program, limits });
  try {
    return await started.answer(pcmOf(sound, piece), signal);
  } catch (error) {
    signal.throwIfAborted();
    const reason =
      error instanceof SandboxError
        ? `${error.reason} ${error.errorOutput.slice(-LONGEST_ERROR_OUTPUT)}`.trim()
        : '';
    throw errors.backend_failed({ message: `The model ${model} could not be run: ${reason}`, cause: error });
  } finally {
    started.kill();
  }
}
