import type { IncomingMessage } from 'node:http';

/** Bodies up to this size are not counted: their number is bounded by the rate of requests. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Bounds the memory of large request bodies that are being uploaded, many slow ones together. */
export class UploadBudget {
  private readonly limit: number;
  private reserved = 0;

  /** At most `limit` bytes are held at once. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Follows one body until its request closes. Call the result with the size so far: false when there is no memory for it. */
  follow(request: IncomingMessage): (size: number) => boolean {
    let counted = 0;
    return (size) => {
      if (size <= SMALL_BODY_BYTES) return true;
      if (this.reserved + size - counted > this.limit) return false;
      if (counted === 0) request.once('close', () => this.release(counted));
      this.reserved += size - counted;
      counted = size;
      return true;
    };
  }

  private release(bytes: number): void {
    this.reserved -= bytes;
  }
}
