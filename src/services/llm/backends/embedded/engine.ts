import { type ChildProcess, fork } from 'node:child_process';
import type { Command, EngineEvent, Job, LoadCommand } from './protocol.ts';

/** How a completion ended. */
export type EngineEnding = Omit<EngineEvent & { type: 'ended' }, 'type' | 'id'>;

/** A completion or the load of a model that failed. */
export class EngineFailure extends Error {
  /** The request caused it: another try would fail as well. */
  readonly invalid: boolean;

  constructor(message: string, invalid: boolean) {
    super(message);
    this.name = 'EngineFailure';
    this.invalid = invalid;
  }
}

/** Follows a completion as it runs. */
interface RunListener {
  started(promptTokens: number): void;
  text(text: string, thought: boolean): void;
}

interface Run {
  readonly job: Job;
  readonly listener: RunListener;
  readonly resolve: (ending: EngineEnding) => void;
  readonly reject: (reason: Error) => void;
}

/** An engine that does not stop a cancelled run within so many milliseconds hangs, and is ended. */
const CANCEL_LIMIT_MS = 15_000;
/** So many last characters of what an engine writes to stderr are kept. */
const STDERR_CHARACTERS = 2000;

/**
 * One model in a process of its own. Runs beyond what it can do at once wait in order. When the process ends, for
 * whatever reason, everything that ran in it fails, and `ended` resolves.
 */
export class LlamaEngine {
  /** Resolves with the length of the context once the model is loaded; rejects with an EngineFailure. */
  readonly ready: Promise<number>;
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly parallel: number;
  private readonly cancelLimitMs: number;
  private readonly running = new Map<number, Run>();
  private readonly waiting = new Map<number, Run>();
  private readonly hung = new Map<number, NodeJS.Timeout>();
  private settleReady: { resolve: (context: number) => void; reject: (reason: Error) => void } | undefined;
  private nextId = 1;
  private stderrTail = '';
  private stopReason: string | undefined;
  private failure: EngineFailure | undefined;

  constructor(program: string, command: LoadCommand, cancelLimitMs = CANCEL_LIMIT_MS) {
    this.parallel = command.parallel;
    this.cancelLimitMs = cancelLimitMs;
    this.ready = new Promise((resolve, reject) => {
      this.settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined);
    // Native code must not read the keys of the gateway: the process gets no environment.
    this.child = fork(program, [], { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderrTail = (this.stderrTail + text).slice(-STDERR_CHARACTERS);
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.fail(how);
        resolve();
      };
      this.child.on('error', (error) => end(error.message));
      this.child.on('close', (code, signal) => end(signal === null ? `exit code ${code}` : signal));
    });
    this.child.on('message', (event: EngineEvent) => this.handle(event));
    this.send(command);
  }

  /** The process of the engine. */
  get processId(): number | undefined {
    return this.child.pid;
  }

  /** Whether completions run or wait in it. */
  get busy(): boolean {
    return this.running.size + this.waiting.size > 0;
  }

  /** Runs one completion; an aborted one rejects at once with the reason of the signal. */
  run(job: Job, listener: RunListener, signal: AbortSignal): Promise<EngineEnding> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.cancel(id);
        reject(signal.reason as Error);
      };
      const gone = signal.aborted ? (signal.reason as Error) : this.failure;
      if (gone !== undefined) {
        reject(gone);
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      const done = () => signal.removeEventListener('abort', leave);
      this.waiting.set(id, {
        job,
        listener,
        resolve: (ending) => {
          done();
          resolve(ending);
        },
        reject: (reason) => {
          done();
          reject(reason);
        },
      });
      this.advance();
    });
  }

  /** Ends the process, and with it everything that runs in it. */
  async stop(reason: string): Promise<void> {
    this.stopReason ??= reason;
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private send(command: Command): void {
    // A process that just ended takes no more commands: its end is an event of its own.
    this.child.send(command, () => undefined);
  }

  private advance(): void {
    for (const [id, run] of this.waiting) {
      if (this.running.size >= this.parallel) return;
      this.waiting.delete(id);
      this.running.set(id, run);
      this.send({ type: 'run', id, job: run.job });
    }
  }

  private cancel(id: number): void {
    if (this.waiting.delete(id) || !this.running.has(id)) return;
    this.send({ type: 'cancel', id });
    const timer = setTimeout(() => void this.stop('it did not stop when told to'), this.cancelLimitMs);
    this.hung.set(id, timer.unref());
  }

  private handle(event: EngineEvent): void {
    if (event.type === 'loaded') {
      this.settleReady?.resolve(event.context);
      return;
    }
    if (event.type === 'refused') {
      this.settleReady?.reject(new EngineFailure(event.message, true));
      this.child.kill('SIGKILL');
      return;
    }
    const run = this.running.get(event.id);
    if (run === undefined) return;
    const cancelled = this.hung.has(event.id);
    if (event.type === 'started' || event.type === 'text') {
      if (cancelled) return;
      if (event.type === 'started') run.listener.started(event.promptTokens);
      else run.listener.text(event.text, event.thought);
      return;
    }
    this.forget(event.id);
    if (event.type === 'ended') run.resolve(event);
    else run.reject(new EngineFailure(event.message, event.invalid));
    this.advance();
  }

  private forget(id: number): void {
    clearTimeout(this.hung.get(id));
    this.hung.delete(id);
    this.running.delete(id);
  }

  private fail(how: string): void {
    const stderrTail = this.stderrTail.trim();
    const reason =
      this.stopReason ?? `its process ended (${how})${stderrTail === '' ? '' : `: ${stderrTail}`}`;
    const failure = new EngineFailure(`The engine of the model stopped: ${reason}.`, false);
    this.failure = failure;
    this.settleReady?.reject(failure);
    const runs = [...this.running.values(), ...this.waiting.values()];
    for (const id of [...this.running.keys()]) this.forget(id);
    this.waiting.clear();
    for (const run of runs) run.reject(failure);
  }
}
