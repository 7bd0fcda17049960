import { Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { SNIFFED_BYTES } from '../media-type.ts';
import { FetchError } from './reasons.ts';

/** Limits of one answer, in bytes; `ratio` is decoded bytes per byte on the wire. */
export interface BodyLimits {
  wireBytes: number;
  decodedBytes: number;
  ratio: number;
}

/** Decoded bytes below which no ratio is a danger: short repetitive pages compress far better than 1:100. */
const RATIO_FLOOR = 1024 * 1024;

/** Layers of encoding that are taken off; honest servers apply one. */
const MOST_ENCODINGS = 2;

const LENIENT_ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** "deflate" is sent with and without the zlib header; the first byte shows which (RFC 1950: method 8). */
const deflateDecoder = (first: number) =>
  (first & 0x0f) === 8 ? createInflate(LENIENT_ZLIB) : createInflateRaw(LENIENT_ZLIB);

function decoderOf(encoding: string, first: number): Transform {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(LENIENT_ZLIB);
  if (encoding === 'deflate') return deflateDecoder(first);
  if (encoding === 'br') return createBrotliDecompress(LENIENT_BROTLI);
  throw new FetchError('decoding_failed');
}

/** The encodings of a Content-Encoding header, in the order in which they have to be taken off. */
function encodingsOf(header: string | undefined): string[] {
  const named = (header ?? '').toLowerCase().split(',');
  const encodings = named.map((each) => each.trim()).filter((each) => each !== '' && each !== 'identity');
  if (encodings.length > MOST_ENCODINGS) throw new FetchError('decoding_failed');
  return encodings.reverse();
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/**
 * Reads and decodes an answer while counting: it stops at the first byte beyond a limit, whatever the headers promise.
 * `onStart` gets the first decoded bytes and may throw, which ends a download that will not be read.
 */
export async function readBody(
  source: Readable,
  encodingHeader: string | undefined,
  limits: BodyLimits,
  onStart: (start: Uint8Array) => Promise<void>,
): Promise<Buffer> {
  const encodings = encodingsOf(encodingHeader);
  let wire = 0;
  const counted = (async function* () {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      wire += chunk.byteLength;
      if (wire > limits.wireBytes) throw new FetchError('too_large');
      if (chunk.byteLength > 0) yield chunk;
    }
  })();
  try {
    const first = await counted.next();
    const collected = new Collected(limits, () => wire, onStart);
    if (first.done !== true) {
      const decoders = encodings.map((encoding, layer) =>
        decoderOf(encoding, layer === 0 ? (first.value[0] ?? 0) : 0x78),
      );
      await pipeline([Readable.from(joined(first.value, counted)), ...decoders, collected.sink()]);
    }
    return await collected.finish();
  } finally {
    source.destroy();
  }
}

/** Bytes that are joined without a pause: some milliseconds of work. */
const JOINED_AT_ONCE = 1024 * 1024;

/** Joins the pieces of a body, yielding to the event loop in between: a large body would block it otherwise. */
async function joinPieces(pieces: readonly Buffer[], size: number): Promise<Buffer> {
  // Memory of its own, so that a thread can take it over.
  const whole = Buffer.allocUnsafeSlow(size);
  let end = 0;
  let pauseAt = JOINED_AT_ONCE;
  for (const piece of pieces) {
    end += piece.copy(whole, end);
    if (end < pauseAt) continue;
    pauseAt = end + JOINED_AT_ONCE;
    await setImmediate();
  }
  return whole;
}

/** What was decoded so far, counted against the limits. */
class Collected {
  private readonly limits: BodyLimits;
  private readonly wire: () => number;
  private readonly onStart: (start: Uint8Array) => Promise<void>;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private started = false;

  /** `wire` returns the number of bytes received so far. */
  constructor(limits: BodyLimits, wire: () => number, onStart: (start: Uint8Array) => Promise<void>) {
    this.limits = limits;
    this.wire = wire;
    this.onStart = onStart;
  }

  sink(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.take(chunk).then(
          () => done(),
          (error: unknown) => done(error instanceof Error ? error : new FetchError('decoding_failed')),
        );
      },
    });
  }

  async finish(): Promise<Buffer> {
    if (!this.started) await this.start();
    return joinPieces(this.chunks, this.size);
  }

  private async take(chunk: Buffer): Promise<void> {
    this.size += chunk.byteLength;
    const isTooDense = this.size > RATIO_FLOOR && this.size > this.wire() * this.limits.ratio;
    if (isTooDense || this.size > this.limits.decodedBytes) throw new FetchError('too_large');
    this.chunks.push(chunk);
    if (!this.started && this.size >= SNIFFED_BYTES) await this.start();
  }

  private async start(): Promise<void> {
    this.started = true;
    await this.onStart(Buffer.concat(this.chunks));
  }
}

/** A content that is handed on as it arrives. */
export interface OpenContent {
  readonly bytes: AsyncIterable<Buffer>;
  /** As the host says; undefined when it does not. */
  readonly size: number | undefined;
  /** Whether an error is that of reading the content. */
  isOwn(error: unknown): boolean;
}

/** Opens the content of a success, plain and at most so large; undefined for any other status. */
export function openContent(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  mostBytes: number,
): OpenContent | undefined {
  const refuse = (error?: FetchError) => {
    body.on('error', () => {}).destroy();
    if (error !== undefined) throw error;
    return undefined;
  };
  if (statusCode < 200 || statusCode > 299) return refuse();
  if (encodingsOf(String(headers['content-encoding'] ?? '')).length > 0)
    return refuse(new FetchError('decoding_failed'));
  const size = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (size !== undefined && size > mostBytes) return refuse(new FetchError('too_large'));
  let failure: unknown;
  async function* counted() {
    let read = 0;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        read += chunk.byteLength;
        if (read > mostBytes) throw new FetchError('too_large');
        yield chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { bytes: counted(), size, isOwn: (error) => failure !== undefined && error === failure };
}
