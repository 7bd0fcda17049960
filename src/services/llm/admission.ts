/** How many may run and wait; may change while in use. */
export interface AdmissionLimits {
  readonly running: number;
  readonly waiting: number;
  /** Longest wait in milliseconds. */
  readonly waitMs: number;
}

/** Someone who asked for a place and waits. */
interface Waiting {
  enter(): void;
  refuse(): void;
  timer: NodeJS.Timeout;
}

/** Gives up a place in the queue. */
export type LeaveQueue = () => void;

/** The places for completions, with a short first-come queue in front of them. */
export class Admission {
  private readonly limits: () => AdmissionLimits;
  private readonly queue = new Set<Waiting>();
  private taken = 0;

  constructor(limits: () => AdmissionLimits) {
    this.limits = limits;
  }

  get running(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** Takes a place now, if there is one and nobody waits for it. */
  tryEnter(): boolean {
    if (this.taken >= this.limits().running || this.queue.size > 0) return false;
    this.taken++;
    return true;
  }

  /** Waits for a place; undefined when the queue is full. Exactly one of `enter` and `refuse` is called, unless the waiter leaves. */
  wait(enter: () => void, refuse: () => void): LeaveQueue | undefined {
    const { waiting, waitMs } = this.limits();
    if (this.queue.size >= waiting) return undefined;
    const timer = setTimeout(() => {
      this.queue.delete(entry);
      refuse();
    }, waitMs);
    const entry: Waiting = { enter, refuse, timer };
    this.queue.add(entry);
    return () => this.drop(entry);
  }

  /** Gives a place back; whoever waits longest gets it in the same turn. */
  leave(): void {
    this.taken--;
    this.fill();
  }

  /** Lets those in who wait, as far as there are places: after one was given back, or after the limits rose. */
  fill(): void {
    for (const next of this.queue) {
      if (this.taken >= this.limits().running) return;
      this.drop(next);
      this.taken++;
      next.enter();
    }
  }

  private drop(entry: Waiting): void {
    clearTimeout(entry.timer);
    this.queue.delete(entry);
  }
}
