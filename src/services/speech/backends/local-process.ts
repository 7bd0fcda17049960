import { SandboxError, type SandboxedProgram, startSandboxed } from '../../../media/sandbox.ts';
import { errors } from '../errors.ts';
import { pcmOf } from '../pieces.ts';
import type { HearingTask } from './backend.ts';

/** What engines on this machine may use for one piece. */
export interface LocalLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** A minute of speech has some hundred words; their times take the rest. */
const OUTPUT_BYTES = 4 * 1024 * 1024;
/** Characters of what an engine says when it fails. */
const TOLD = 300;

/** Has a program hear a piece of sound, in the strongest sandbox of the machine. Throws backend_failed, or the signal's reason. */
export async function hearBy(
  program: Omit<SandboxedProgram, 'limits'>,
  { sound, piece, model, signal }: HearingTask,
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
    const said =
      error instanceof SandboxError ? `${error.reason} ${error.errorOutput.slice(-TOLD)}`.trim() : '';
    throw errors.backend_failed({ message: `The model ${model} could not be run: ${said}`, cause: error });
  } finally {
    started.kill();
  }
}
