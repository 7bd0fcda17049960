import type { Logger } from '../../../foundation/log.ts';

/** A message that a consumer has taken; `lease` identifies this delivery. */
export interface LeasedMessage {
  readonly id: number | string;
  readonly lease: string;
}

/** What a consumer does to the messages of its queue. */
export interface QueueActions<Message extends LeasedMessage> {
  /**
   * Takes up to `limit` messages in the order of delivery; of those, `reserved` are first looked for among the messages
   * that places are reserved for.
   */
  claim(limit: number, reserved: number): Promise<Message[]>;
  /** Whether this consumer still held the message. */
  acknowledge(message: Message): Promise<boolean>;
  /** The handler threw: another attempt, or the end. */
  failed(message: Message, error: unknown): Promise<void>;
  handBack(messages: readonly Message[]): Promise<void>;
}

interface Work<Message> {
  readonly claimed: Message;
  readonly controller: AbortController;
  /** When the lease was last known to be good, on the clock of performance.now(). */
  renewedAt: number;
  /**
   * `finished`: the handler is done and the result is being stored. `dropped`: the message was handed back or its lease
   * was lost, so what the handler does no longer counts.
   */
  state: 'running' | 'finished' | 'dropped';
}

/** Takes messages of one queue as slots become free, and works on them. */
export class QueueConsumer<Message extends LeasedMessage = LeasedMessage> {
  readonly queue: string;
  readonly stopped: Promise<void>;
  private readonly actions: QueueActions<Message>;
  private readonly handle: (claimed: Message, signal: AbortSignal) => Promise<void>;
  private readonly concurrency: number;
  private readonly drainMs: number;
  /** Every so many-th message is first looked for among the reserved ones; 0: none. */
  private readonly reserveEvery: number;
  private turn = 0;
  private readonly log: Logger;
  private readonly works = new Set<Work<Message>>();
  /** Messages whose result could not be stored: still leased for everybody else, until the store answers again. */
  private unsettled: Message[] = [];
  private readonly markStopped: () => void;
  private stopping = false;
  private claiming = false;
  /** Whether a message may wait: set by news of the queue, cleared when a claim found fewer than it asked for. */
  private promising = true;
  private drainTimer: NodeJS.Timeout | undefined;

  constructor(
    queue: string,
    actions: QueueActions<Message>,
    handle: (claimed: Message, signal: AbortSignal) => Promise<void>,
    options: { concurrency: number; drainMs: number; reserveEvery?: number | undefined; log: Logger },
  ) {
    this.queue = queue;
    this.actions = actions;
    this.handle = handle;
    this.concurrency = Math.max(1, Math.floor(options.concurrency));
    this.drainMs = options.drainMs;
    this.reserveEvery = options.reserveEvery ?? 0;
    this.log = options.log.child({ queue });
    let markStopped = (): void => undefined;
    this.stopped = new Promise((resolve) => {
      markStopped = resolve;
    });
    this.markStopped = markStopped;
  }

  /** There may be a message. */
  wake(): void {
    this.promising = true;
    void this.settle();
    void this.fill();
  }

  /** Takes no more messages; those at work may finish for a while, then they are handed back. */
  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    this.drainTimer = setTimeout(() => void this.handBackAll(), this.drainMs);
    this.checkStopped();
  }

  /** The messages in progress. */
  leasedMessages(): Message[] {
    return this.running().map(({ claimed }) => claimed);
  }

  /** After a renewal: gives up those of the messages whose lease is no longer valid. */
  renewed(claims: readonly LeasedMessage[], valid: ReadonlySet<string>): void {
    const now = performance.now();
    for (const work of this.running()) {
      if (!claims.some(({ lease }) => lease === work.claimed.lease)) continue;
      if (valid.has(work.claimed.lease)) work.renewedAt = now;
      else this.lose(work);
    }
  }

  /** Gives up messages whose lease ran out while it could not be renewed. */
  expire(leaseMs: number): void {
    const now = performance.now();
    for (const work of this.running()) if (now - work.renewedAt > leaseMs) this.lose(work);
  }

  private async fill(): Promise<void> {
    if (this.claiming) return;
    this.claiming = true;
    try {
      for (;;) {
        const slots = this.concurrency - this.works.size;
        if (this.stopping || !this.promising || slots <= 0) break;
        // Cleared before the claim: a notification during the claim sets it again.
        this.promising = false;
        const claimed = await this.actions.claim(slots, this.reservedAmong(slots));
        this.turn += claimed.length;
        if (claimed.length === slots) this.promising = true;
        await this.take(claimed);
      }
    } catch (error) {
      // The next news or the next slow look tries again.
      this.log.warn({ err: error }, 'messages could not be claimed');
    } finally {
      this.claiming = false;
      this.checkStopped();
    }
  }

  /** How many of the next so many turns are reserved. */
  private reservedAmong(count: number): number {
    if (this.reserveEvery === 0) return 0;
    return Math.floor((this.turn + count) / this.reserveEvery) - Math.floor(this.turn / this.reserveEvery);
  }

  /** Hands back what could not be stored, long before its lease runs out: the work is done again, and counts once. */
  private async settle(): Promise<void> {
    const held = this.unsettled;
    if (held.length === 0) return;
    this.unsettled = [];
    try {
      await this.actions.handBack(held);
    } catch (error) {
      this.unsettled.push(...held);
      this.log.warn({ err: error }, 'messages could not be handed back yet');
    }
  }

  private async take(claimed: readonly Message[]): Promise<void> {
    if (this.stopping) {
      if (claimed.length > 0) await this.actions.handBack(claimed);
      return;
    }
    for (const message of claimed) {
      const controller = new AbortController();
      void this.work({ claimed: message, controller, renewedAt: performance.now(), state: 'running' });
    }
  }

  private async work(work: Work<Message>): Promise<void> {
    this.works.add(work);
    try {
      await this.attempt(work);
    } catch (error) {
      // Handed back at the next news, or else its lease runs out: it is delivered again.
      this.unsettled.push(work.claimed);
      this.log.warn({ err: error, message: work.claimed.id }, 'the result of a message could not be stored');
    } finally {
      this.works.delete(work);
      this.checkStopped();
      void this.fill();
    }
  }

  private async attempt(work: Work<Message>): Promise<void> {
    const { claimed, controller } = work;
    let failure: { error: unknown } | undefined;
    try {
      await this.handle(claimed, controller.signal);
    } catch (error) {
      failure = { error };
    }
    if (work.state === 'dropped') return;
    work.state = 'finished';
    if (failure) return this.actions.failed(claimed, failure.error);
    const owned = await this.actions.acknowledge(claimed);
    if (!owned) this.log.warn({ message: claimed.id }, 'the lease ended before the work; it is done again');
  }

  private running(): Work<Message>[] {
    return [...this.works].filter(({ state }) => state === 'running');
  }

  private lose(work: Work<Message>): void {
    work.state = 'dropped';
    this.log.warn({ message: work.claimed.id }, 'the lease of a message was lost');
    work.controller.abort(new Error('The lease of the message was lost'));
  }

  private async handBackAll(): Promise<void> {
    const works = this.running();
    for (const work of works) {
      work.state = 'dropped';
      work.controller.abort(new Error('The consumer is being stopped'));
    }
    try {
      if (works.length > 0) await this.actions.handBack(works.map(({ claimed }) => claimed));
    } catch (error) {
      this.log.warn({ err: error }, 'messages could not be handed back; their leases run out');
    }
    // Handlers that do not heed their signal are not waited for.
    for (const work of this.works) if (work.state === 'dropped') this.works.delete(work);
    this.checkStopped();
  }

  private checkStopped(): void {
    if (!this.stopping || this.claiming || this.works.size > 0) return;
    clearTimeout(this.drainTimer);
    this.markStopped();
  }
}
