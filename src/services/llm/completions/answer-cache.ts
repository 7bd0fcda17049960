import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CompletionOperation } from '../contract.ts';
import type { AnswerRecorder, AnswerSource } from './completion-dependencies.ts';

/** A successful answer as it was sent: one JSON text, or the events of a stream. */
export interface CachedAnswer {
  readonly stream: boolean;
  readonly bytes: Buffer;
  readonly source: AnswerSource;
}

/** What the cache has for a request: an answer, nothing yet, or an identical request under way. */
export type CacheLookup =
  | { readonly kind: 'hit'; readonly answer: CachedAnswer }
  | { readonly kind: 'miss'; readonly pending: PendingAnswer }
  | { readonly kind: 'pending'; readonly pending: PendingAnswer };

type AnswerListener = (answer: CachedAnswer | undefined) => void;

/** The answer to a request under way; identical requests wait for it instead of asking again. */
export class PendingAnswer implements AnswerRecorder {
  private readonly listeners = new Set<AnswerListener>();
  private parts: Buffer[] = [];
  private size = 0;
  private readonly stream: boolean;
  private readonly largest: number;
  private readonly settle: AnswerListener;
  private over = false;

  constructor(stream: boolean, largest: number, settle: AnswerListener) {
    this.stream = stream;
    this.largest = largest;
    this.settle = settle;
  }

  /** Bytes of the answer; beyond the largest size none are kept. */
  record(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size <= this.largest) this.parts.push(bytes);
    else this.parts = [];
  }

  /** The end: only a complete and successful answer is kept, with its source. All listeners are called. */
  finish(source: AnswerSource | undefined): void {
    if (this.over) return;
    this.over = true;
    const complete = source !== undefined && this.size <= this.largest;
    const answer = complete ? { stream: this.stream, bytes: Buffer.concat(this.parts), source } : undefined;
    this.parts = [];
    this.settle(answer);
    for (const listener of this.listeners) listener(answer);
  }

  /** Calls back with the answer, or with undefined when there is none to share; call the result to wait no more. */
  onSettled(listener: AnswerListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** No answer may take more than this share of the cache. */
const LARGEST_SHARE = 0.1;

/** Answers to repeated identical requests of one caller, bounded by bytes. Identical means: byte for byte. */
export class AnswerCache {
  private readonly answers: LRUCache<string, CachedAnswer>;
  private readonly pending = new Map<string, PendingAnswer>();
  private readonly largest: number;

  constructor(maxBytes: number, ttlMs: number) {
    this.largest = Math.floor(maxBytes * LARGEST_SHARE);
    this.answers = new LRUCache({
      maxSize: maxBytes,
      ttl: ttlMs,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** Looks for a request. After a `miss` the pending answer must be finished. */
  lookUp(caller: string, operation: CompletionOperation, stream: boolean, body: Buffer): CacheLookup {
    const key = createHash('sha256').update(`${caller}\n${operation}\n`).update(body).digest('base64');
    const answer = this.answers.get(key);
    if (answer !== undefined) return { kind: 'hit', answer };
    const known = this.pending.get(key);
    if (known !== undefined) return { kind: 'pending', pending: known };
    const pending = new PendingAnswer(stream, this.largest, (settled) => {
      this.pending.delete(key);
      if (settled !== undefined) this.answers.set(key, settled);
    });
    this.pending.set(key, pending);
    return { kind: 'miss', pending };
  }
}
