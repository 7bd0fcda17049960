import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { Operation } from '../contract.ts';
import { DeadlineError, withDeadline } from '../deadline.ts';
import { parseJson } from '../json.ts';
import type { EventsAnswer } from '../payloads.ts';
import { EventTooLargeError, parseEvents } from './event-parser.ts';
import { CallerAbortedError, FailedCallError, LostCallError, rethrowTransport } from './losses.ts';

/** Bytes that a service answered. */
export interface ReceivedBytes {
  readonly mediaType: string | undefined;
  /** Bytes to come, when the service says so. */
  readonly size: number | undefined;
  /** To be read to its end or destroyed. Fails when the answer breaks off, pauses for too long or is too large. */
  readonly content: Readable;
}

/** How much of an answer is read, and how long a piece of it may take. */
export interface AnswerLimits {
  readonly bytes: number;
  /** Milliseconds between two pieces. */
  readonly pauseMs: number;
  /** When the answer has to have ended, on the clock of `performance`, and how it is told if it has not; absent: whenever. */
  readonly end?: { readonly at: number; readonly message: string } | undefined;
  readonly caller: AbortSignal | undefined;
}

const tooLarge = () => new LostCallError('invalid_answer', 'the answer is too large');

/** A whole body as text. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A value checked by its schema; throws a loss that names the first place where it does not fit. */
function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const where = first === undefined || first.path.length === 0 ? 'the answer' : first.path.join('.');
  throw new LostCallError('invalid_answer', `the answer does not keep the contract at ${where}`);
}

/** A JSON answer by the schema of its status. */
export function checkJson(operation: Operation, status: number, body: string): unknown {
  const schema = operation.answers?.[status] ?? operation.answer;
  if ('kind' in schema) throw new LostCallError('invalid_answer', `answered with status ${status}`);
  return checked(schema, parseJson(body));
}

/** The error of reading a streamed answer. */
function readingError(error: unknown): unknown {
  if (error instanceof LostCallError || error instanceof CallerAbortedError) return error;
  if (error instanceof EventTooLargeError) return tooLarge();
  if (error instanceof DeadlineError)
    return error.reason === 'timeout'
      ? new FailedCallError('timeout', error.message)
      : new CallerAbortedError();
  try {
    rethrowTransport(error);
  } catch (failure) {
    return failure;
  }
}

/** The pieces of a streamed answer, each within its time, and all of them before the end. */
async function* piecesOf(body: Readable, { pauseMs, end, caller }: AnswerLimits): AsyncGenerator<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const leftMs = end === undefined ? Number.POSITIVE_INFINITY : end.at - performance.now();
      const piece = await withDeadline(Math.min(pauseMs, leftMs), caller, () => iterator.next()).catch(
        (error: unknown) => {
          const isLate = error instanceof DeadlineError && error.reason === 'timeout' && leftMs <= pauseMs;
          throw isLate && end !== undefined ? new FailedCallError('timeout', end.message) : error;
        },
      );
      if (piece.done === true) return;
      yield piece.value;
    }
  } finally {
    body.on('error', () => {}).destroy();
  }
}

/** Reports the error of a stream once, and passes it on. */
async function* reporting<Piece>(
  pieces: AsyncIterable<Piece>,
  report: (error: unknown) => void,
): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } catch (cause) {
    const error = readingError(cause);
    report(error);
    throw error;
  }
}

async function* withinBytes(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    yield piece;
  }
}

/** An answer of bytes. */
export function receiveBytes(
  { headers, body }: Dispatcher.ResponseData,
  limits: AnswerLimits,
  report: (error: unknown) => void,
): ReceivedBytes {
  const length = headers['content-length'];
  const type = headers['content-type'];
  const pieces = reporting(withinBytes(piecesOf(body, limits), limits.bytes), report);
  const content = Readable.from(pieces, { objectMode: false, highWaterMark: 1 });
  // Also releases content that was never read.
  content.once('close', () => body.on('error', () => {}).destroy());
  return {
    mediaType: typeof type === 'string' ? type.split(';', 1)[0] : undefined,
    size: typeof length === 'string' ? Number(length) : undefined,
    content,
  };
}

/** An answer of events, each checked by its schema; `bytes` limits one of them. Events that the contract does not name are passed over. */
export function receiveEvents(
  { body }: Dispatcher.ResponseData,
  { events }: EventsAnswer,
  limits: AnswerLimits,
  report: (error: unknown) => void,
): AsyncIterable<unknown> {
  async function* read() {
    for await (const { event, data, id } of parseEvents(piecesOf(body, limits), limits.bytes)) {
      const schema = Object.hasOwn(events, event) ? events[event] : undefined;
      if (schema !== undefined) yield { event, data: checked(schema, parseJson(data)), id };
    }
  }
  return reporting(read(), report);
}
