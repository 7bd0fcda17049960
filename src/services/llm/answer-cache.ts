import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Operation } from './backends/backend.ts';
import type { Answered, AnswerKeeper } from './completion-world.ts';

/** A successful answer as it was sent: one JSON text, or the events of a stream. */
export interface CachedAnswer {
  readonly stream: boolean;
  readonly bytes: Buffer;
  readonly by: Answered;
}

/** What the cache has for a request: an answer, a place to put one, or somebody who is getting it. */
export type CacheState =
  | { readonly kind: 'hit'; readonly answer: CachedAnswer }
  | { readonly kind: 'lead'; readonly flight: Flight }
  | { readonly kind: 'wait'; readonly flight: Flight };

/** One identical request under way; others wait for it instead of asking again. */
export class Flight implements AnswerKeeper {
  private readonly waiting = new Set<(answer: CachedAnswer | undefined) => void>();
  private parts: Buffer[] = [];
  private size = 0;
  private readonly stream: boolean;
  private readonly largest: number;
  private readonly land: (answer: CachedAnswer | undefined) => void;
  private over = false;

  constructor(stream: boolean, largest: number, land: (answer: CachedAnswer | undefined) => void) {
    this.stream = stream;
    this.largest = largest;
    this.land = land;
  }

  /** Bytes of the answer; too many of them are not kept. */
  keep(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size <= this.largest) this.parts.push(bytes);
    else this.parts = [];
  }

  /** The end: only a complete and successful answer is kept, with who gave it. Everybody who waits hears of it. */
  finish(by: Answered | undefined): void {
    if (this.over) return;
    this.over = true;
    const complete = by !== undefined && this.size <= this.largest;
    const answer = complete ? { stream: this.stream, bytes: Buffer.concat(this.parts), by } : undefined;
    this.parts = [];
    this.land(answer);
    for (const hear of this.waiting) hear(answer);
  }

  /** Waits for the answer; call the result to wait no more. */
  wait(hear: (answer: CachedAnswer | undefined) => void): () => void {
    this.waiting.add(hear);
    return () => this.waiting.delete(hear);
  }
}

/** No answer may take more than this share of the cache. */
const LARGEST_SHARE = 0.1;

/** Answers to repeated identical requests of one caller, bounded by bytes. Identical means: byte for byte. */
export class AnswerCache {
  private readonly answers: LRUCache<string, CachedAnswer>;
  private readonly flights = new Map<string, Flight>();
  private readonly largest: number;

  constructor(maxBytes: number, ttlMs: number) {
    this.largest = Math.floor(maxBytes * LARGEST_SHARE);
    this.answers = new LRUCache({
      maxSize: maxBytes,
      ttl: ttlMs,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** What there is for a request. Who gets `lead` must finish the flight. */
  look(caller: string, operation: Operation, stream: boolean, body: Buffer): CacheState {
    const key = createHash('sha256').update(`${caller}\n${operation}\n`).update(body).digest('base64');
    const answer = this.answers.get(key);
    if (answer !== undefined) return { kind: 'hit', answer };
    const under = this.flights.get(key);
    if (under !== undefined) return { kind: 'wait', flight: under };
    const flight = new Flight(stream, this.largest, (landed) => {
      this.flights.delete(key);
      if (landed !== undefined) this.answers.set(key, landed);
    });
    this.flights.set(key, flight);
    return { kind: 'lead', flight };
  }
}
