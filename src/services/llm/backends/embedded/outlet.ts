import type { Receiver, Transfer } from '../backend.ts';

/** The way out of an answer: holds it back while its reader is slow, and lets nothing through once it was given up. */
export class Outlet implements Transfer {
  /** Aborts when the answer is given up. */
  readonly signal: AbortSignal;
  /** Whether the head was sent. */
  began = false;
  private readonly receiver: Receiver;
  private readonly giveUp = new AbortController();
  private held: (() => void)[] | undefined;
  private over = false;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
    this.signal = this.giveUp.signal;
  }

  pause(): void {
    this.held ??= [];
  }

  resume(): void {
    const { held } = this;
    this.held = undefined;
    for (const step of held ?? []) this.pass(step);
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.held = undefined;
    this.giveUp.abort(new Error('the call was given up'));
  }

  begin(status: number, contentType: string): void {
    this.began = true;
    this.pass(() => this.receiver.began({ status, contentType, retryAfterMs: undefined }));
  }

  send(bytes: Buffer): void {
    this.pass(() => this.receiver.received(bytes));
  }

  end(): void {
    this.pass(() => {
      this.over = true;
      this.receiver.ended();
    });
  }

  private pass(step: () => void): void {
    if (this.over) return;
    if (this.held === undefined) step();
    else this.held.push(step);
  }
}
