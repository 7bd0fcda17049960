/** Something with a deadline; `deadline` is on the clock of performance.now(), and may move at any time. */
export interface Watched {
  deadline: number;
  expired(): void;
}

/** Deadlines are met to within this many milliseconds: far below any time limit, and one timer for all. */
const TICK_MS = 50;

/** Ends what overruns its deadline. Moving a deadline is one assignment: no timer is made for an event or a request. */
export class Watchdog {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;

  add(entry: Watched): void {
    this.watched.add(entry);
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  remove(entry: Watched): void {
    this.watched.delete(entry);
  }

  private tick(): void {
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    for (const entry of this.watched) if (entry.deadline <= now) entry.expired();
  }
}
