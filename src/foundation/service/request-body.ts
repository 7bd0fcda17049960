import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { FoundationFailures } from '../errors.ts';

/** Why a body is not taken any further. */
export interface BodyFailures {
  tooLarge(): Error;
  tooSlow(): Error;
}

/** What a body may be. */
export interface BodyLimits {
  readonly bytes: number;
  /** Milliseconds without a single byte. */
  readonly pauseMs: number;
}

/** The sender disconnected before the end of the body, so that no answer can be sent. */
export class ClientDisconnectedError extends Error {
  constructor() {
    super('the client left');
    this.name = 'ClientDisconnectedError';
  }
}

/** Milliseconds for which the rest of a refused body is read, so that its sender receives the answer. */
const DRAIN_MS = 5000;

/** Discards the rest of a body; a sender that takes too long is disconnected. */
export function drainBody(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_MS);
  timer.unref();
  const over = () => clearTimeout(timer);
  request.once('end', over).once('close', over);
  request.resume();
}

/** Passes bytes through; fails with `tooLarge` beyond the limit. `passed` is called for each chunk. */
export function limitedBytes(bytes: number, tooLarge: () => Error, passed?: () => void): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      passed?.();
      if (left < 0) done(tooLarge());
      else done(null, chunk);
    },
  });
}

/**
 * The body of a request, counted as it streams. It fails when it is larger than allowed or pauses for too long; the
 * request itself stays open, so that the failure can still be answered.
 */
export function meteredBody(request: IncomingMessage, limits: BodyLimits, failures: BodyFailures): Transform {
  const meter = limitedBytes(limits.bytes, failures.tooLarge, () => timer.refresh());
  // Waiting for the reader to take what has arrived is no pause of the sender's.
  const timer = setTimeout(() => {
    if (meter.readableLength > 0) timer.refresh();
    else meter.destroy(failures.tooSlow());
  }, limits.pauseMs);
  const left = () => meter.destroy(new ClientDisconnectedError());
  // The sender may disconnect before the body is read, and an unhandled error event ends the process.
  meter.on('error', () => undefined);
  request.once('close', () => {
    if (!request.complete) left();
  });
  request.once('error', left);
  request.once('end', () => clearTimeout(timer));
  meter.once('close', () => {
    clearTimeout(timer);
    request.unpipe(meter);
    drainBody(request);
  });
  // One that closed before has no event left to tell it.
  if (request.closed && !request.readableEnded) left();
  else request.pipe(meter);
  return meter;
}

/** The body of a request whose declared length is small, in one piece; fails when it pauses or its sender leaves. */
export function readSmallBody(
  request: IncomingMessage,
  limits: BodyLimits,
  failures: BodyFailures,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => reject(failures.tooSlow()), limits.pauseMs);
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      timer.refresh();
    });
    let ended = false;
    request.once('end', () => {
      ended = true;
      clearTimeout(timer);
      const [first = Buffer.alloc(0)] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : first);
    });
    // A request closes after its end too: the error of each would cost more than the rest of this.
    const left = () => {
      if (ended) return;
      clearTimeout(timer);
      reject(new ClientDisconnectedError());
    };
    if (request.closed && !request.readableEnded) left();
    else request.once('close', left).once('error', left);
  });
}

/** Milliseconds that a streamed body may pause. */
export const PAUSE_MS = 30_000;

/** The failures of a body from the error table of a service. */
export function bodyFailures({ payload_too_large, validation_failed }: FoundationFailures): BodyFailures {
  return {
    tooLarge: () => payload_too_large(),
    tooSlow: () =>
      validation_failed({
        message: 'The body did not arrive in time.',
        headers: { Connection: 'close' },
      }),
  };
}

/** Refuses a body whose declared length is too large, before any of it is read. */
export function checkDeclaredLength(
  request: IncomingMessage,
  bytes: number,
  { payload_too_large }: FoundationFailures,
): void {
  if (Number(request.headers['content-length'] ?? 0) <= bytes) return;
  drainBody(request);
  throw payload_too_large();
}
