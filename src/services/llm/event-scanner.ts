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
  usage: TokenUsage | undefined;

  private held: Buffer | undefined;
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
  take(chunk: Buffer): Buffer | undefined {
    const bytes = this.held === undefined ? chunk : Buffer.concat([this.held, chunk]);
    const searched = this.held === undefined ? 0 : Math.max(0, this.held.length - 3);
    if (bytes.indexOf(LF, searched) < 0) return this.hold(bytes, 0, undefined);
    return this.walk(bytes);
  }

  /** The unfinished event at the end of the stream, if any. */
  rest(): Buffer | undefined {
    const { held } = this;
    this.held = undefined;
    return held;
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
        if (this.look(bytes, eventStart, lineStart)) {
          kept ??= [];
          if (eventStart > from) kept.push(bytes.subarray(from, eventStart));
          from = lineEnd + 1;
        }
        eventStart = lineEnd + 1;
      }
      lineStart = lineEnd + 1;
    }
    return this.hold(bytes, eventStart, assemble(bytes, from, eventStart, kept));
  }

  private hold(bytes: Buffer, from: number, ready: Buffer | undefined): Buffer | undefined {
    if (bytes.length - from > this.largest) throw new EventTooLarge('an event exceeds the size limit');
    this.held = from < bytes.length ? bytes.subarray(from) : undefined;
    return ready;
  }

  /** Looks at the event between two places; true when it must not reach the caller. */
  private look(bytes: Buffer, start: number, end: number): boolean {
    if (!isData(bytes, start)) return this.lookBehind(bytes, start, end);
    let payload = start + 5;
    if (bytes[payload] === SPACE) payload++;
    const first = bytes[payload];
    if (first === OPEN_BRACKET && bytes[payload + 1] === 0x44) {
      this.done = true;
      return false;
    }
    if (first !== OPEN_BRACE) return false;
    this.events++;
    if (bytes[payload + 1] === QUOTE && startsWith(bytes, payload + 1, ERROR_KEY)) this.failed = true;
    if (!this.finished) this.finished = this.finishes(bytes, payload, end);
    return this.tellsUsage(bytes, payload, end) && this.takeUsage(bytes, payload, end);
  }

  private finishes(bytes: Buffer, from: number, end: number): boolean {
    for (;;) {
      this.finishAt = nextKey(bytes, FINISH_KEY, this.finishAt, from);
      if (this.finishAt >= end) return false;
      from = afterColon(bytes, this.finishAt + FINISH_KEY.length);
      if (bytes[from] === QUOTE) return true;
    }
  }

  private tellsUsage(bytes: Buffer, from: number, end: number): boolean {
    for (;;) {
      this.usageAt = nextKey(bytes, USAGE_KEY, this.usageAt, from);
      if (this.usageAt >= end) return false;
      from = afterColon(bytes, this.usageAt + USAGE_KEY.length);
      if (bytes[from] === OPEN_BRACE) return true;
    }
  }

  /** An event that starts with another field (event:, id:, a comment): its data line may follow. */
  private lookBehind(bytes: Buffer, start: number, end: number): boolean {
    for (
      let line = bytes.indexOf(LF, start) + 1;
      line > 0 && line < end;
      line = bytes.indexOf(LF, line) + 1
    ) {
      if (isData(bytes, line)) return this.look(bytes, line, end);
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
  return bytes.compare(word, 0, word.length, at, at + word.length) === 0;
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
