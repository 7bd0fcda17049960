import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { startDeadline } from '../../../../foundation/deadline.ts';
import { createFairQueue, QueueFullError } from '../../../../foundation/fair-queue.ts';
import type { Degradation } from '../../reasons.ts';
import type { TextEncoding } from './text-encoding.ts';

/** An encoding, or why there is none; detectors then answer by words alone. */
export type EncodingResult =
  | { readonly encoding: TextEncoding }
  | { readonly lost: 'unavailable' | 'timeout' };

/** The owner of the text, and the callback for its wait for a thread. */
interface EncodingContext {
  readonly account: string;
  readonly signal: AbortSignal;
  readonly pause: () => () => void;
}

/** Encodes a text for all detectors of a session; a text that was encoded lately is not encoded again. */
export type EncodeText = (
  input: { readonly text: string; readonly language: string },
  context: EncodingContext,
) => Promise<EncodingResult>;

/** Bytes of encodings that are kept: about two hundred English articles, with their pieces. */
const KEPT_BYTES = 48 * 2 ** 20;
/** Waiting for a thread longer than this is worse than an answer by words alone. */
const LONGEST_WAIT_MS = 10_000;

const bytesOf = ({ bounds, vectors, pieces, whole }: TextEncoding) =>
  1 +
  bounds.byteLength +
  vectors.byteLength +
  (whole?.byteLength ?? 0) +
  (pieces === undefined ? 0 : pieces.bounds.byteLength + pieces.numbers.byteLength);

/** The degradation that is recorded when detectors had no encodings. */
export function encodingLoss(encoded: EncodingResult): Degradation[] {
  return 'lost' in encoded ? [{ dependency: 'encoder', reason: encoded.lost, effect: 'part_missing' }] : [];
}

/** Texts of one user that are encoded at once, for each of its threads: turns are taken in the middle of a text, so more are only late. */
const TEXTS_AT_ONCE = 4;

/**
 * Of what waits to be encoded, little is taken, and never for long. `run` encodes a text turn by turn; `threads` of them serve one user.
 */
export function createEncodings(
  threads: number,
  run: (input: Parameters<EncodeText>[0], context: EncodingContext) => Promise<TextEncoding>,
): EncodeText {
  const running = TEXTS_AT_ONCE * threads;
  const queue = createFairQueue({
    running,
    waiting: 2 * running,
    each: TEXTS_AT_ONCE * threads,
    eachRunning: threads,
  });
  const kept = new LRUCache<string, TextEncoding>({ maxSize: KEPT_BYTES, sizeCalculation: bytesOf });
  const underWay = new Map<string, Promise<EncodingResult>>();

  const encode = async (
    input: Parameters<EncodeText>[0],
    context: EncodingContext,
    key: string,
  ): Promise<EncodingResult> => {
    const resume = context.pause();
    const patience = startDeadline(LONGEST_WAIT_MS, context.signal);
    const work = () => {
      resume();
      return run(input, context);
    };
    try {
      const encoding = await queue.run(context.account, work, patience.signal);
      kept.set(key, encoding);
      return { encoding };
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof QueueFullError) return { lost: 'unavailable' };
      if (error instanceof Error && ['DeadlineError', 'TimeoutError', 'AbortError'].includes(error.name))
        return { lost: 'timeout' };
      throw error;
    } finally {
      patience.stop();
      resume();
    }
  };
  return async (input, context) => {
    const key = createHash('sha256')
      .update(`${context.account}\n${input.language}\n${input.text}`)
      .digest('base64');
    const known = kept.get(key);
    if (known !== undefined) return { encoding: known };
    // Detectors of one session ask at the same time; one who leaves takes the work along, so the others ask anew.
    const pending = underWay.get(key);
    if (pending !== undefined) {
      const resume = context.pause();
      return pending.finally(resume).catch(() => encode(input, context, key));
    }
    const encoding = encode(input, context, key).finally(() => underWay.delete(key));
    underWay.set(key, encoding);
    return encoding;
  };
}
