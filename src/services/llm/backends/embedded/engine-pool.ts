import { Engine, EngineFailure } from './engine.ts';

/** How engines are made and kept. */
export interface PoolOptions {
  /** The built program of an engine. */
  readonly program: string;
  readonly binding: string;
  readonly context: number;
  readonly parallel: number;
  readonly threads: number;
  /** Models that may be in memory at once. */
  readonly most: number;
  /** A model that was loaded by use is unloaded after so many idle milliseconds; 0: never. */
  readonly idleMs: number;
}

/** An engine in use. It is not unloaded for another model until it was given back. */
export interface Lease {
  readonly engine: Engine;
  release(): void;
}

interface Place {
  readonly engine: Engine;
  users: number;
  /** Loaded on demand of an operator: it stays until it is unloaded, or another model needs its place. */
  kept: boolean;
  /** On the clock of performance.now(). */
  usedAt: number;
  idle: NodeJS.Timeout | undefined;
}

/** The models in memory, each in an engine of its own. A model beyond the limit takes the place of the idle one that was used least recently. */
export class EnginePool {
  private readonly options: PoolOptions;
  private readonly places = new Map<string, Place>();
  private readonly waiting: (() => void)[] = [];
  private last: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  isLoaded(id: string): boolean {
    return this.places.has(id);
  }

  /** The engine of a loaded model. */
  engineOf(id: string): Engine | undefined {
    return this.places.get(id)?.engine;
  }

  /** Loads a model if it is not loaded, and lends its engine. Waits its turn while all places are in use. */
  async lease(id: string, file: string, signal: AbortSignal): Promise<Lease> {
    const before = this.last;
    const turn = before.then(() => this.take(id, file, signal));
    // Strictly one after the other: a stream of requests for one model must not keep another out for ever.
    this.last = turn.then(
      () => undefined,
      () => undefined,
    );
    const place = await turn;
    let given = true;
    const release = () => {
      if (!given) return;
      given = false;
      this.giveBack(place);
    };
    try {
      await unlessAborted(place.engine.ready, signal);
    } catch (error) {
      release();
      throw error;
    }
    return { engine: place.engine, release };
  }

  /** Loads a model to stay. */
  async load(id: string, file: string, signal: AbortSignal): Promise<void> {
    const lease = await this.lease(id, file, signal);
    const place = this.places.get(id);
    if (place !== undefined) place.kept = true;
    lease.release();
  }

  /** Ends the engine of a model, and whatever runs in it; false when it was not loaded. */
  async unload(id: string, reason: string): Promise<boolean> {
    const place = this.places.get(id);
    if (place === undefined) return false;
    await this.end(id, place, reason);
    return true;
  }

  async close(): Promise<void> {
    this.closed = true;
    const ends = [...this.places].map(([id, place]) => this.end(id, place, 'the gateway is shutting down'));
    await Promise.all(ends);
    this.wake();
  }

  private giveBack(place: Place): void {
    place.users--;
    place.usedAt = performance.now();
    if (place.users === 0 && !place.kept && this.options.idleMs > 0) {
      const unload = () => {
        const id = [...this.places].find(([, candidate]) => candidate === place)?.[0];
        if (id !== undefined && place.users === 0 && !place.kept) void this.end(id, place, 'it was idle');
      };
      place.idle = setTimeout(unload, this.options.idleMs).unref();
    }
    this.wake();
  }

  /** Takes a place for a model, and counts its new user. */
  private async take(id: string, file: string, signal: AbortSignal): Promise<Place> {
    for (;;) {
      signal.throwIfAborted();
      if (this.closed) throw new EngineFailure('The gateway is shutting down.', false);
      const known = this.places.get(id);
      if (known !== undefined || this.places.size < this.options.most) {
        const place = known ?? this.make(id, file);
        place.users++;
        clearTimeout(place.idle);
        return place;
      }
      const [oldest] = [...this.places]
        .filter(([, place]) => place.users === 0)
        .sort(([, one], [, other]) => one.usedAt - other.usedAt);
      // Memory first comes back, then it is used again.
      if (oldest !== undefined) await this.end(...oldest, 'another model took its place');
      else await this.change(signal);
    }
  }

  private make(id: string, file: string): Place {
    const { program, binding, context, parallel, threads } = this.options;
    const engine = new Engine(program, { type: 'load', binding, file, context, parallel, threads });
    const place: Place = { engine, users: 0, kept: false, usedAt: performance.now(), idle: undefined };
    this.places.set(id, place);
    void engine.ended.then(() => this.remove(id, place));
    return place;
  }

  private async end(id: string, place: Place, reason: string): Promise<void> {
    await place.engine.stop(reason);
    this.remove(id, place);
  }

  private remove(id: string, place: Place): void {
    clearTimeout(place.idle);
    if (this.places.get(id) === place) this.places.delete(id);
    this.wake();
  }

  /** Waits until a place is given back or freed. */
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
