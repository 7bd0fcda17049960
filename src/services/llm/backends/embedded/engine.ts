import { type ChildProcess, fork } from 'node:child_process';
import type { Job, LoadOrder, Order, Report } from './protocol.ts';

/** How a completion ended. */
export type Ending = Omit<Report & { type: 'ended' }, 'type' | 'id'>;

/** A completion, or a model, that came to nothing. */
export class EngineFailure extends Error {
  /** The request is at fault: another try would fail as well. */
  readonly invalid: boolean;

  constructor(message: string, invalid: boolean) {
    super(message);
    this.name = 'EngineFailure';
    this.invalid = invalid;
  }
}

/** Hears a completion as it runs. */
interface RunListener {
  began(promptTokens: number): void;
  text(text: string, thought: boolean): void;
}

interface Run {
  readonly job: Job;
  readonly listener: RunListener;
  readonly resolve: (ending: Ending) => void;
  readonly reject: (reason: Error) => void;
}

/** An engine that does not stop a cancelled run within so many milliseconds hangs, and is ended. */
const CANCEL_LIMIT_MS = 15_000;
/** The last words of a crashed engine are worth so many characters. */
const LAST_WORDS = 2000;

/**
 * One model in a process of its own. Runs beyond what it can do at once wait in order. When the process ends, for
 * whatever reason, everything that ran in it fails, and `ended` resolves.
 */
export class Engine {
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
  private lastWords = '';
  private stopReason: string | undefined;
  private failure: EngineFailure | undefined;

  constructor(program: string, order: LoadOrder, cancelLimitMs = CANCEL_LIMIT_MS) {
    this.parallel = order.parallel;
    this.cancelLimitMs = cancelLimitMs;
    this.ready = new Promise((resolve, reject) => {
      this.settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined);
    // The keys of the gateway are no business of native code: the process gets no environment.
    this.child = fork(program, [], { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.lastWords = (this.lastWords + text).slice(-LAST_WORDS);
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.fail(how);
        resolve();
      };
      this.child.on('error', (error) => end(error.message));
      this.child.on('close', (code, signal) => end(signal === null ? `exit code ${code}` : signal));
    });
    this.child.on('message', (report: Report) => this.hear(report));
    this.tell(order);
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
  run(job: Job, listener: RunListener, signal: AbortSignal): Promise<Ending> {
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

  private tell(order: Order): void {
    // A process that just ended takes no more orders: its end is reported by its own event.
    this.child.send(order, () => undefined);
  }

  private advance(): void {
    for (const [id, run] of this.waiting) {
      if (this.running.size >= this.parallel) return;
      this.waiting.delete(id);
      this.running.set(id, run);
      this.tell({ type: 'run', id, job: run.job });
    }
  }

  private cancel(id: number): void {
    if (this.waiting.delete(id) || !this.running.has(id)) return;
    this.tell({ type: 'cancel', id });
    const timer = setTimeout(() => void this.stop('it did not stop when told to'), this.cancelLimitMs);
    this.hung.set(id, timer.unref());
  }

  private hear(report: Report): void {
    if (report.type === 'loaded') {
      this.settleReady?.resolve(report.context);
      return;
    }
    if (report.type === 'refused') {
      this.settleReady?.reject(new EngineFailure(report.message, true));
      this.child.kill('SIGKILL');
      return;
    }
    const run = this.running.get(report.id);
    if (run === undefined) return;
    const cancelled = this.hung.has(report.id);
    if (report.type === 'began' || report.type === 'text') {
      if (cancelled) return;
      if (report.type === 'began') run.listener.began(report.promptTokens);
      else run.listener.text(report.text, report.thought);
      return;
    }
    this.forget(report.id);
    if (report.type === 'ended') run.resolve(report);
    else run.reject(new EngineFailure(report.message, report.invalid));
    this.advance();
  }

  private forget(id: number): void {
    clearTimeout(this.hung.get(id));
    this.hung.delete(id);
    this.running.delete(id);
  }

  private fail(how: string): void {
    const told = this.lastWords.trim();
    const reason = this.stopReason ?? `its process ended (${how})${told === '' ? '' : `: ${told}`}`;
    const failure = new EngineFailure(`The engine of the model stopped: ${reason}.`, false);
    this.failure = failure;
    this.settleReady?.reject(failure);
    const runs = [...this.running.values(), ...this.waiting.values()];
    for (const id of [...this.running.keys()]) this.forget(id);
    this.waiting.clear();
    for (const run of runs) run.reject(failure);
  }
}
