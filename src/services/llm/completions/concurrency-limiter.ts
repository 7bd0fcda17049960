/** How many may run and wait; may change while in use. */
export interface ConcurrencyLimits {
  readonly running: number;
  readonly waiting: number;
  /** Longest wait in milliseconds. */
  readonly waitMs: number;
}

interface Waiter {
  start(): void;
  refuse(): void;
  timer: NodeJS.Timeout;
}

/** Leaves the queue. */
export type LeaveQueue = () => void;

/** Bounds how many run at once, with a short first-come queue in front. */
export class ConcurrencyLimiter {
  private readonly limits: () => ConcurrencyLimits;
  private readonly queue = new Set<Waiter>();
  private acquired = 0;

  constructor(limits: () => ConcurrencyLimits) {
    this.limits = limits;
  }

  get running(): number {
    return this.acquired;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** Acquires a place now, if there is one and no request waits for it. */
  tryAcquire(): boolean {
    if (this.acquired >= this.limits().running || this.queue.size > 0) return false;
    this.acquired++;
    return true;
  }

  /** Waits for a place; undefined when the queue is full. Exactly one of `start` and `refuse` is called, unless the waiter leaves. */
  enqueue(start: () => void, refuse: () => void): LeaveQueue | undefined {
    const { waiting, waitMs } = this.limits();
    if (this.queue.size >= waiting) return undefined;
    const timer = setTimeout(() => {
      this.queue.delete(waiter);
      refuse();
    }, waitMs);
    const waiter: Waiter = { start, refuse, timer };
    this.queue.add(waiter);
    return () => this.remove(waiter);
  }

  /** Releases a place; who waits longest gets it in the same turn. */
  release(): void {
    this.acquired--;
    this.startWaiters();
  }

  /** Starts those who wait, as far as there are places: after a release, or after the limits rose. */
  startWaiters(): void {
    for (const waiter of this.queue) {
      if (this.acquired >= this.limits().running) return;
      this.remove(waiter);
      this.acquired++;
      waiter.start();
    }
  }

  private remove(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.queue.delete(waiter);
  }
}
