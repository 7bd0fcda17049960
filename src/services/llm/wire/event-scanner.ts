import { readUsage, type TokenUsage } from './token-usage.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;

const FINISH_KEY = Buffer.from('"finish_reason"');
const USAGE_KEY = Buffer.from('"usage"');
const ERROR_KEY = Buffer.from('"error"');
const OBJECT_KEY = Buffer.from('"object"');
const LETTER_N = 0x6e;

/** An event of a stream grew beyond the limit. */
export class EventTooLarge extends Error {}

/**
 * Follows a stream of server-sent events without changing it: finds the ends of events (LF and CRLF) in whatever
 * pieces they come, and looks inside only for the finish, the usage and errors.
 */
export class EventScanner {
  /** Data events so far, without [DONE] and without the usage event. */
  events = 0;
  /** Whether a finish_reason was seen. */
  finished = false;
  /** Whether [DONE] was seen. */
  done = false;
  /** Whether the backend itself sent an error. */
  failed = false;
  /** The JSON text of that error. */
  error: Buffer | undefined;
  usage: TokenUsage | undefined;

  /** The pieces of the unfinished event: joined once its end may be there, not with every piece of it. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  // Where the keys come next in the bytes of this walk: each byte is searched once, not once for every event.
  private finishAt = 0;
  private usageAt = 0;
  private readonly hideUsage: boolean;
  private readonly largest: number;

  /** `hideUsage` takes out the usage event that we, not the caller, asked for. `largest` bounds one event in bytes. */
  constructor(hideUsage: boolean, largest: number) {
    this.hideUsage = hideUsage;
    this.largest = largest;
  }

  /** The whole events that these bytes complete, as they came; undefined when there are none yet. */
  push(chunk: Buffer): Buffer | undefined {
    if (chunk.indexOf(LF) < 0) {
      this.hold(chunk);
      return undefined;
    }
    return this.walk(this.join(chunk));
  }

  /** The unfinished event at the end of the stream, if any. */
  remainder(): Buffer | undefined {
    return this.held.length === 0 ? undefined : this.join(undefined);
  }

  private join(chunk: Buffer | undefined): Buffer {
    const parts = this.held;
    if (chunk !== undefined) parts.push(chunk);
    this.held = [];
    this.heldBytes = 0;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  private hold(bytes: Buffer): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > this.largest) throw new EventTooLarge('an event exceeds the size limit');
    if (bytes.length > 0) this.held.push(bytes);
  }

  /** Walks line by line; an empty line ends an event. */
  private walk(bytes: Buffer): Buffer | undefined {
    let kept: Buffer[] | undefined;
    let from = 0;
    let eventStart = 0;
    let lineStart = 0;
    this.finishAt = 0;
    this.usageAt = 0;
    for (let lineEnd = bytes.indexOf(LF); lineEnd >= 0; lineEnd = bytes.indexOf(LF, lineStart)) {
      const empty = lineEnd === lineStart || (lineEnd === lineStart + 1 && bytes[lineStart] === CR);
      if (empty) {
        if (this.inspect(bytes, eventStart, lineStart)) {
          kept ??= [];
          if (eventStart > from) kept.push(bytes.subarray(from, eventStart));
          from = lineEnd + 1;
        }
        eventStart = lineEnd + 1;
      }
      lineStart = lineEnd + 1;
    }
    if (eventStart < bytes.length) this.hold(bytes.subarray(eventStart));
    return assemble(bytes, from, eventStart, kept);
  }

  /** Inspects the event between two offsets; true when it must not reach the caller. */
  private inspect(bytes: Buffer, start: number, end: number): boolean {
    if (!isData(bytes, start)) return this.inspectLaterFields(bytes, start, end);
    let payload = start + 5;
    if (bytes[payload] === SPACE) payload++;
    const first = bytes[payload];
    if (first === OPEN_BRACKET && bytes[payload + 1] === 0x44) {
      this.done = true;
      return false;
    }
    if (first !== OPEN_BRACE) return false;
    this.events++;
    if (bytes[payload + 1] === QUOTE && isError(bytes, payload + 1)) this.fail(bytes, payload, end);
    if (!this.finished) this.finished = this.finishes(bytes, payload, end);
    return this.hasUsage(bytes, payload, end) && this.takeUsage(bytes, payload, end);
  }

  private finishes(bytes: Buffer, payload: number, end: number): boolean {
    let from = payload;
    for (;;) {
      this.finishAt = nextKey(bytes, FINISH_KEY, this.finishAt, from);
      if (this.finishAt >= end) return false;
      from = afterColon(bytes, this.finishAt + FINISH_KEY.length);
      if (bytes[from] !== QUOTE) continue;
      if (startsWith(bytes, from, ERROR_KEY)) this.fail(bytes, payload, end);
      return true;
    }
  }

  private fail(bytes: Buffer, payload: number, end: number): void {
    this.failed = true;
    this.error ??= bytes.subarray(payload, end);
  }

  private hasUsage(bytes: Buffer, from: number, end: number): boolean {
    for (;;) {
      this.usageAt = nextKey(bytes, USAGE_KEY, this.usageAt, from);
      if (this.usageAt >= end) return false;
      from = afterColon(bytes, this.usageAt + USAGE_KEY.length);
      if (bytes[from] === OPEN_BRACE) return true;
    }
  }

  /** An event that starts with another field (event:, id:, a comment): its data line may follow. */
  private inspectLaterFields(bytes: Buffer, start: number, end: number): boolean {
    for (
      let line = bytes.indexOf(LF, start) + 1;
      line > 0 && line < end;
      line = bytes.indexOf(LF, line) + 1
    ) {
      if (isData(bytes, line)) return this.inspect(bytes, line, end);
    }
    return false;
  }

  private takeUsage(bytes: Buffer, payload: number, end: number): boolean {
    try {
      const event = JSON.parse(bytes.toString('utf8', payload, end)) as Record<string, unknown>;
      const usage = readUsage(event.usage);
      if (usage === undefined) return false;
      this.usage = usage;
      const { choices } = event;
      const usageOnly = Array.isArray(choices) && choices.length === 0;
      if (usageOnly) this.events--;
      return usageOnly && this.hideUsage;
    } catch {
      return false;
    }
  }
}

function assemble(bytes: Buffer, from: number, to: number, kept: Buffer[] | undefined): Buffer | undefined {
  if (kept === undefined) return to > 0 ? bytes.subarray(0, to) : undefined;
  if (to > from) kept.push(bytes.subarray(from, to));
  if (kept.length === 0) return undefined;
  return kept.length === 1 ? kept[0] : Buffer.concat(kept);
}

/** Whether the line at this place is a data field. */
function isData(bytes: Buffer, at: number): boolean {
  return (
    bytes[at] === 0x64 &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x61 &&
    bytes[at + 4] === COLON
  );
}

function startsWith(bytes: Buffer, at: number, word: Buffer): boolean {
  const end = at + word.length;
  return end <= bytes.length && bytes.compare(word, 0, word.length, at, end) === 0;
}

/** Whether an event whose first key is at this place is an error: `{"error": ...` or `{"object": "error"`. */
function isError(bytes: Buffer, key: number): boolean {
  if (startsWith(bytes, key, ERROR_KEY)) return bytes[afterColon(bytes, key + ERROR_KEY.length)] !== LETTER_N;
  if (!startsWith(bytes, key, OBJECT_KEY)) return false;
  return startsWith(bytes, afterColon(bytes, key + OBJECT_KEY.length), ERROR_KEY);
}

/** Where the key comes at or after `from`; past every end when it does not. Inside strings quotes are escaped, so a match is a key. */
function nextKey(bytes: Buffer, key: Buffer, known: number, from: number): number {
  if (known >= from && known > 0) return known;
  const at = bytes.indexOf(key, from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function afterColon(bytes: Buffer, at: number): number {
  let index = at;
  while (bytes[index] === SPACE || bytes[index] === COLON) index++;
  return index;
}
