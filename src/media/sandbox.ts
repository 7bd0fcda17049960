import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What keeps a program that reads hostile bytes from the rest of the machine. */
export type Isolation =
  /** No network, no files but those named, no other processes, and limits (bubblewrap and prlimit). */
  | 'bubblewrap'
  /** Limits of memory, processor time and output alone (prlimit). */
  | 'limits'
  /** A process of its own that is killed when it takes too long, and nothing else. */
  | 'process';

/** How health reports an isolation. */
const ISOLATION_NOTES: Readonly<Record<Isolation, string>> = {
  bubblewrap: 'decoders run without network and files',
  limits: 'decoders run with limits of memory and time alone; bubblewrap is missing or not allowed',
  process: 'decoders run as plain processes; prlimit and bubblewrap are missing',
};

/** The isolation of programs from this machine, in words. */
export const isolationNote = (): string => ISOLATION_NOTES[availableIsolation()];

/** What a program may use. */
export interface SandboxLimits {
  readonly wallMs: number;
  readonly cpuSeconds: number;
  /** Private memory; address space that is only reserved does not count. */
  readonly memoryBytes: number;
  /** Bytes of its answer. */
  readonly outputBytes: number;
  /** Characters of its error stream that are kept, from the first on; what a person needs unless said otherwise. */
  readonly maxErrorOutput?: number;
}

/** A program to run on bytes. */
export interface SandboxedProgram {
  readonly program: string;
  readonly argumentList: readonly string[];
  /** Files and folders beside the system's own that it may read. */
  readonly readable: readonly string[];
  readonly limits: SandboxLimits;
}

/** Why a program gave no answer. */
export class SandboxError extends Error {
  readonly reason: 'timeout' | 'output_too_large' | 'failed';
  /** What it wrote to its error stream, cut off. */
  readonly errorOutput: string;

  constructor(reason: SandboxError['reason'], errorOutput = '') {
    super(`the program gave no answer: ${reason}${errorOutput === '' ? '' : `, ${errorOutput}`}`);
    this.name = 'SandboxError';
    this.reason = reason;
    this.errorOutput = errorOutput;
  }
}

const PRLIMIT = '/usr/bin/prlimit';
const BUBBLEWRAP = '/usr/bin/bwrap';
/** Characters of the error stream that an error quotes. */
const MAX_ERROR_OUTPUT = 2_000;
/** Programs find their libraries here; they get nothing else of the environment of this process. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const SYSTEM_PATHS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];

const CAGE = [
  ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--setenv', 'PATH', ENVIRONMENT.PATH],
];
const readOnly = (paths: readonly string[]) => paths.flatMap((path) => ['--ro-bind-try', path, path]);

let detectedIsolation: Isolation | undefined;

/** The strongest isolation that works here; tried once. */
export function availableIsolation(): Isolation {
  detectedIsolation ??= worksHere();
  return detectedIsolation;
}

function worksHere(): Isolation {
  if (!existsSync(PRLIMIT)) return 'process';
  if (!existsSync(BUBBLEWRAP)) return 'limits';
  // Containers often forbid the namespaces that it needs.
  const tried = spawnSync(BUBBLEWRAP, [...CAGE, ...readOnly(SYSTEM_PATHS), '/usr/bin/true'], {
    timeout: 5_000,
  });
  return tried.status === 0 ? 'bubblewrap' : 'limits';
}

function commandOf(
  { program, argumentList, readable, limits }: SandboxedProgram,
  isolation: Isolation,
): [string, string[]] {
  if (isolation === 'process') return [program, [...argumentList]];
  const limited = [
    `--data=${limits.memoryBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    ...['--fsize=0', '--nofile=256', '--core=0', program],
    ...argumentList,
  ];
  if (isolation === 'limits') return [PRLIMIT, limited];
  return [BUBBLEWRAP, [...CAGE, ...readOnly([...SYSTEM_PATHS, ...readable]), PRLIMIT, ...limited]];
}

/** A program that was started before its bytes are there: the start is the larger part of a short job. */
export interface StartedProgram {
  /** Gives it its bytes and resolves with its answer; a program answers once. Rejects with a SandboxError or the signal's reason. */
  answer(input: Buffer, signal?: AbortSignal): Promise<Buffer>;
  /** Ends it, and all that it started. */
  kill(): void;
  /** False once it has ended. */
  readonly alive: boolean;
  /** What it has written to its error stream, cut off. */
  readonly errorOutput: string;
}

/** Starts a program in the strongest sandbox of the machine. Its time begins when it gets its bytes. */
export function startSandboxed(
  job: SandboxedProgram,
  isolation: Isolation = availableIsolation(),
): StartedProgram {
  const [command, argumentList] = commandOf(job, isolation);
  // A group of its own: what it starts ends with it.
  const child = spawn(command, argumentList, { env: ENVIRONMENT, cwd: '/', detached: true });
  let ended = false;
  let errorOutput = '';
  const kill = () => {
    if (ended || child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  };
  child.stderr.on('data', (data: Buffer) => {
    errorOutput = (errorOutput + data.toString()).slice(0, job.limits.maxErrorOutput ?? MAX_ERROR_OUTPUT);
  });
  // What a program says before it is asked waits in the pipe; errors reach the caller that asks for the answer.
  child.stdin.on('error', () => undefined);
  const over = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      errorOutput = error.message;
      ended = true;
      resolve(null);
    });
    child.once('close', (code) => {
      ended = true;
      resolve(code);
    });
  });

  const answer = (input: Buffer, signal?: AbortSignal): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      let failure: Error | undefined;
      const giveUp = (error: Error) => {
        failure ??= error;
        kill();
      };
      const leave = () => giveUp(signal?.reason as Error);
      const timer = setTimeout(() => giveUp(new SandboxError('timeout')), job.limits.wallMs);
      if (signal?.aborted === true) leave();
      signal?.addEventListener('abort', leave, { once: true });
      child.stdout.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > job.limits.outputBytes) giveUp(new SandboxError('output_too_large'));
        else chunks.push(chunk);
      });
      child.stdin.end(input);
      void over.then((code) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        if (failure !== undefined) reject(failure);
        else if (code !== 0)
          reject(new SandboxError('failed', errorOutput.trim().slice(0, MAX_ERROR_OUTPUT)));
        else resolve(Buffer.concat(chunks));
      });
    });
  return {
    answer,
    kill,
    get alive() {
      return !ended;
    },
    get errorOutput() {
      return errorOutput;
    },
  };
}
