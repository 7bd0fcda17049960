import type { IncomingMessage } from 'node:http';

/** Bodies up to this size are not counted: their number is bounded by the rate of requests. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Room for large request bodies that are on their way: many slow uploads together must not fill the memory. */
export class UploadRoom {
  private readonly most: number;
  private taken = 0;

  /** `most` bytes may be on their way at once. */
  constructor(most: number) {
    this.most = most;
  }

  /** Follows one body; the result is told how much of it came, and says whether there was room for it. */
  follow(request: IncomingMessage): (size: number) => boolean {
    let counted = 0;
    return (size) => {
      if (size <= SMALL_BODY_BYTES) return true;
      if (this.taken + size - counted > this.most) return false;
      if (counted === 0) request.once('close', () => this.give(counted));
      this.taken += size - counted;
      counted = size;
      return true;
    };
  }

  private give(bytes: number): void {
    this.taken -= bytes;
  }
}
