/** Something with a deadline; `deadline` is on the clock of performance.now(), and may move at any time. */
export interface Watchable {
  deadline: number;
  /** Its place among the watched; kept by the watchdog. */
  slot: number;
  expired(): void;
}

/** Deadlines are met to within this many milliseconds: far below any time limit, and one timer for all. */
const TICK_MS = 50;

/**
 * Ends what overruns its deadline. Moving a deadline is one assignment: no timer is made for an event or a request, and
 * adding and removing touch one place of an array and leave nothing to collect.
 */
export class Watchdog<Entry extends Watchable> {
  private readonly watched: Entry[] = [];
  private timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.watched.length;
  }

  add(entry: Entry): void {
    entry.slot = this.watched.length;
    this.watched.push(entry);
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  remove(entry: Entry): void {
    const last = this.watched.pop();
    if (last === undefined || last === entry) return;
    last.slot = entry.slot;
    this.watched[entry.slot] = last;
  }

  /** The watched of this moment. */
  all(): Entry[] {
    return [...this.watched];
  }

  private tick(): void {
    if (this.watched.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    const late = this.watched.filter((entry) => entry.deadline <= now);
    for (const entry of late) entry.expired();
  }
}
