import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { packageFile } from '../files.ts';
import type { Logger } from '../log.ts';
import { DatabaseUnavailableError } from './engine.ts';

/** Where the engine works, and how. */
export interface EngineOptions {
  readonly folder: string;
  /** Settings of the engine, as `name=value`. */
  readonly parameters: readonly string[];
}
/** What the worker is started with. */
export interface WorkerOptions extends EngineOptions {
  /** The compiled engine; undefined where the worker is to compile it. */
  readonly program: WebAssembly.Module | undefined;
}
/** Bytes of the wire protocol for the engine, or the wish to end. */
export type ToWorker =
  | { readonly kind: 'query'; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly kind: 'close' };
/** Bytes of the wire protocol from the engine, or news of its life. */
export type FromWorker =
  | {
      readonly kind: 'answer';
      readonly connection: number;
      readonly bytes: Uint8Array;
      readonly done: boolean;
    }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'ready'; readonly program: WebAssembly.Module }
  | { readonly kind: 'closed' };

/**
 * The engine as the first worker of this process compiled it. The later ones share its code and what V8 optimises of it: compiling is
 * half of the processor time of opening a database.
 */
let program: WebAssembly.Module | undefined;

/**
 * The engine in its worker thread, and the streams that lead to it.
 *
 * When the worker ends unexpectedly, or a statement runs over its time (the engine has no other way to be interrupted),
 * every open stream fails with the reason, so pending statements reject. The next connection starts a new worker on the
 * same folder, after the old one is gone: the engine then recovers from its log as after a killed process. So a crash
 * costs the statements in flight and nothing else; an engine that cannot start makes every statement and every probe
 * fail with its reason.
 */
export class EmbeddedLink {
  private readonly options: EngineOptions;
  private readonly log: Logger;
  private readonly statementTimeoutMs: number;
  private readonly streams = new Map<number, EmbeddedStream>();
  private worker: Worker | undefined;
  private ready: Promise<Worker> | undefined;
  private gone: Promise<unknown> = Promise.resolve();
  private nextConnection = 1;
  private pending = 0;
  private deadline: NodeJS.Timeout | undefined;
  private unhurriedWork = 0;
  /** The last serious thing that the engine said: says more than the end of its worker. */
  private complaint: string | undefined;
  private closed: Error | undefined;
  /** How many messages were sent: shows whether anything happened since the last look. */
  sent = 0;

  constructor(options: EngineOptions, log: Logger, statementTimeoutMs: number) {
    this.options = options;
    this.log = log;
    this.statementTimeoutMs = statementTimeoutMs;
  }

  /** A new connection: what the driver takes for a socket. */
  stream(): EmbeddedStream {
    const connection = this.nextConnection++;
    const stream = new EmbeddedStream({
      open: () => this.start().then(() => undefined),
      send: (bytes) => this.send(connection, bytes),
      ended: () => this.streams.delete(connection),
    });
    this.streams.set(connection, stream);
    return stream;
  }

  /** Work whose statements have no time limit; it must hold the connection already, or it would lift that of others. */
  async unhurried<Result>(work: () => Promise<Result>): Promise<Result> {
    this.unhurriedWork += 1;
    try {
      return await work();
    } finally {
      this.unhurriedWork -= 1;
      this.watch();
    }
  }

  /** Ends the worker at once; used when the folder no longer belongs to this process. */
  abandon(error: Error): void {
    this.closed = error;
    this.stop(error);
  }

  /** Ends the engine in order: its last checkpoint makes the next start quick. */
  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = new DatabaseUnavailableError('The embedded database is closed');
      this.worker?.postMessage({ kind: 'close' } satisfies ToWorker);
    }
    clearTimeout(this.deadline);
    await this.ready?.catch(() => undefined);
    await this.gone;
  }

  private start(): Promise<Worker> {
    this.ready ??= this.gone.then(() => this.spawn());
    return this.ready;
  }

  private spawn(): Promise<Worker> {
    if (this.closed) return Promise.reject(this.closed);
    const workerData: WorkerOptions = { ...this.options, program };
    const worker = new Worker(packageFile('dist', 'pglite-worker.js'), { workerData });
    this.worker = worker;
    this.pending = 0;
    let cause: Error | undefined;
    worker.on('error', (error) => {
      cause = error instanceof Error ? error : new Error(String(error));
    });
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') {
          program = message.program;
          resolve(worker);
        } else this.receive(message);
      });
      this.gone = new Promise((gone) => {
        worker.once('exit', (code) => {
          const why = this.complaint ?? cause?.message ?? `its worker ended with code ${code}`;
          const error = new DatabaseUnavailableError(`The embedded database stopped: ${why}`, { cause });
          this.complaint = undefined;
          reject(this.closed ?? error);
          // Unless it was meant to end.
          if (this.worker === worker) {
            if (!this.closed) this.log.error({ err: error }, 'the embedded database stopped');
            this.stop(this.closed ?? error);
          }
          gone(undefined);
        });
      });
    });
  }

  private send(connection: number, bytes: Uint8Array): void {
    if (!this.worker) throw new DatabaseUnavailableError('The embedded database is not running');
    this.sent += 1;
    this.pending += 1;
    this.worker.postMessage({ kind: 'query', connection, bytes } satisfies ToWorker, [
      bytes.buffer as ArrayBuffer,
    ]);
    if (this.pending === 1) this.watch();
  }

  private receive(message: FromWorker): void {
    if (message.kind === 'log') {
      const serious = /\b(?:PANIC|FATAL): +(.+)/.exec(message.text);
      if (serious) this.complaint = serious[1];
      this.log[serious ? 'error' : 'trace']({ engine: 'embedded' }, message.text);
    }
    if (message.kind !== 'answer') return;
    if (message.done) {
      this.pending -= 1;
      this.watch();
    }
    if (message.bytes.length > 0) this.streams.get(message.connection)?.receive(message.bytes);
  }

  /** Starts the time of the statement that the worker runs now. */
  private watch(): void {
    clearTimeout(this.deadline);
    if (this.pending <= 0 || this.unhurriedWork > 0) return;
    this.deadline = setTimeout(() => {
      const seconds = this.statementTimeoutMs / 1_000;
      const error = new DatabaseUnavailableError(
        `A statement ran over ${seconds} s; the embedded database restarts`,
      );
      this.log.error({ err: error }, 'the embedded database is restarted');
      this.stop(error);
    }, this.statementTimeoutMs);
  }

  /** Ends the worker and the streams to it; the next connection gets a new one when this one is gone. */
  private stop(error: Error): void {
    const worker = this.worker;
    this.worker = undefined;
    this.ready = undefined;
    this.pending = 0;
    clearTimeout(this.deadline);
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of streams) stream.destroy(error);
    void worker?.terminate();
  }
}

interface Wire {
  open(): Promise<void>;
  send(bytes: Uint8Array): void;
  ended(): void;
}

/** One connection to the engine, with the methods of a socket that the driver calls. */
export class EmbeddedStream extends Duplex {
  private readonly wire: Wire;

  constructor(wire: Wire) {
    super({ allowHalfOpen: false });
    this.wire = wire;
  }

  connect(): this {
    this.wire.open().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  receive(bytes: Uint8Array): void {
    this.push(bytes);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.forward([chunk], callback);
  }

  // The driver corks the messages of one statement: together they cost the engine one pass.
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.forward(
      chunks.map(({ chunk }) => chunk),
      callback,
    );
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.push(null);
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.wire.ended();
    callback(error);
  }

  private forward(chunks: readonly Buffer[], callback: (error?: Error | null) => void): void {
    try {
      // A copy with a buffer of its own, because it is handed over to the worker.
      const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
      let at = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
      this.wire.send(bytes);
      callback();
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
