import { EngineFailure, LlamaEngine } from './engine.ts';

/** How engines are made and kept. */
export interface PoolOptions {
  /** The built program of an engine. */
  readonly program: string;
  readonly binding: string;
  readonly context: number;
  readonly parallel: number;
  readonly threads: number;
  /** Models that may be in memory at once. */
  readonly maxModels: number;
  /** A model that was loaded by use is unloaded after so many idle milliseconds; 0: never. */
  readonly idleMs: number;
}

/** An engine in use. It is not unloaded for another model until it was given back. */
export interface Lease {
  readonly engine: LlamaEngine;
  release(): void;
}

interface Slot {
  readonly engine: LlamaEngine;
  users: number;
  /** Loaded on demand of an operator: it stays until it is unloaded, or another model needs its slot. */
  pinned: boolean;
  /** On the clock of performance.now(). */
  usedAt: number;
  idle: NodeJS.Timeout | undefined;
}

/** The models in memory, each in an engine of its own. A model beyond the limit replaces the idle one that was used least recently. */
export class EnginePool {
  private readonly options: PoolOptions;
  private readonly slots = new Map<string, Slot>();
  private readonly waiting: (() => void)[] = [];
  private lastTurn: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  isLoaded(id: string): boolean {
    return this.slots.has(id);
  }

  /** The engine of a loaded model. */
  engineOf(id: string): LlamaEngine | undefined {
    return this.slots.get(id)?.engine;
  }

  /** Loads a model if it is not loaded, and lends its engine. Waits its turn while all slots are in use. */
  async lease(id: string, file: string, signal: AbortSignal): Promise<Lease> {
    const before = this.lastTurn;
    const turn = before.then(() => this.take(id, file, signal));
    // Strictly one after the other: a stream of requests for one model must not keep another out for ever.
    this.lastTurn = turn.then(
      () => undefined,
      () => undefined,
    );
    const slot = await turn;
    let leased = true;
    const release = () => {
      if (!leased) return;
      leased = false;
      this.release(slot);
    };
    try {
      await unlessAborted(slot.engine.ready, signal);
    } catch (error) {
      release();
      throw error;
    }
    return { engine: slot.engine, release };
  }

  /** Loads a model to stay. */
  async load(id: string, file: string, signal: AbortSignal): Promise<void> {
    const lease = await this.lease(id, file, signal);
    const slot = this.slots.get(id);
    if (slot !== undefined) slot.pinned = true;
    lease.release();
  }

  /** Ends the engine of a model, and whatever runs in it; false when it was not loaded. */
  async unload(id: string, reason: string): Promise<boolean> {
    const slot = this.slots.get(id);
    if (slot === undefined) return false;
    await this.end(id, slot, reason);
    return true;
  }

  async close(): Promise<void> {
    this.closed = true;
    const ends = [...this.slots].map(([id, slot]) => this.end(id, slot, 'the gateway is shutting down'));
    await Promise.all(ends);
    this.wake();
  }

  private release(slot: Slot): void {
    slot.users--;
    slot.usedAt = performance.now();
    if (slot.users === 0 && !slot.pinned && this.options.idleMs > 0) {
      const unload = () => {
        const id = [...this.slots].find(([, candidate]) => candidate === slot)?.[0];
        if (id !== undefined && slot.users === 0 && !slot.pinned) void this.end(id, slot, 'it was idle');
      };
      slot.idle = setTimeout(unload, this.options.idleMs).unref();
    }
    this.wake();
  }

  /** Takes a slot for a model, and counts its new user. */
  private async take(id: string, file: string, signal: AbortSignal): Promise<Slot> {
    for (;;) {
      signal.throwIfAborted();
      if (this.closed) throw new EngineFailure('The gateway is shutting down.', false);
      const known = this.slots.get(id);
      if (known !== undefined || this.slots.size < this.options.maxModels) {
        const slot = known ?? this.make(id, file);
        slot.users++;
        clearTimeout(slot.idle);
        return slot;
      }
      const [oldest] = [...this.slots]
        .filter(([, slot]) => slot.users === 0)
        .sort(([, one], [, other]) => one.usedAt - other.usedAt);
      // The memory of the old model must be free before another is loaded.
      if (oldest !== undefined) await this.end(...oldest, 'another model took its place');
      else await this.change(signal);
    }
  }

  private make(id: string, file: string): Slot {
    const { program, binding, context, parallel, threads } = this.options;
    const engine = new LlamaEngine(program, { type: 'load', binding, file, context, parallel, threads });
    const slot: Slot = { engine, users: 0, pinned: false, usedAt: performance.now(), idle: undefined };
    this.slots.set(id, slot);
    void engine.ended.then(() => this.remove(id, slot));
    return slot;
  }

  private async end(id: string, slot: Slot, reason: string): Promise<void> {
    await slot.engine.stop(reason);
    this.remove(id, slot);
  }

  private remove(id: string, slot: Slot): void {
    clearTimeout(slot.idle);
    if (this.slots.get(id) === slot) this.slots.delete(id);
    this.wake();
  }

  /** Waits until a slot is given back or freed. */
  private async change(signal: AbortSignal): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.waiting.push(resolve);
    });
    await unlessAborted(changed, signal);
  }

  private wake(): void {
    for (const waiter of this.waiting.splice(0)) waiter();
  }
}

/** What the promise brings, unless the signal aborts before. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
