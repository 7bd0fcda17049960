import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';

/** Why a body is not passed on any further. */
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

/** Milliseconds that the rest of a refused body is read for, so that its sender gets to see the answer. */
const DRAIN_MS = 5000;

/** Reads the rest of a body away; a sender that does not come to its end is cut off. */
export function drainBody(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_MS);
  timer.unref();
  const over = () => clearTimeout(timer);
  request.once('end', over).once('close', over);
  request.resume();
}

/**
 * The body of a request, counted as it streams. It fails when it is larger than allowed or pauses for too long; the
 * request itself stays open, so that the failure can still be answered.
 */
export function meteredBody(request: IncomingMessage, limits: BodyLimits, failures: BodyFailures): Transform {
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      timer.refresh();
      if (bytes > limits.bytes) done(failures.tooLarge());
      else done(null, chunk);
    },
  });
  // Waiting for the service to take what has arrived is no pause of the caller's.
  const timer = setTimeout(() => {
    if (meter.readableLength > 0) timer.refresh();
    else meter.destroy(failures.tooSlow());
  }, limits.pauseMs);
  const left = () => meter.destroy(new Error('the client left'));
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
  request.pipe(meter);
  return meter;
}

/** The body of a request whose declared length is small, in one piece; fails when it pauses or its sender leaves. */
export function wholeBody(
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
    request.once('end', () => {
      clearTimeout(timer);
      const [first = Buffer.alloc(0)] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : first);
    });
    const left = () => {
      clearTimeout(timer);
      reject(new Error('the client left'));
    };
    request.once('close', left).once('error', left);
  });
}
