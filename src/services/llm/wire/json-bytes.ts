/** One member of a JSON object, as places in its bytes. */
export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** A replacement of the bytes from `start` to `end`. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The first place at or after `at` that is no JSON white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let index = at;
  for (;;) {
    const byte = bytes[index];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return index;
    index++;
  }
}

/** The place after the string that opens at `at`. Hops from quote to quote: long strings cost little. */
function stringEnd(bytes: Buffer, at: number): number {
  let quote = bytes.indexOf(QUOTE, at + 1);
  while (quote >= 0) {
    let slash = quote - 1;
    while (slash > at && bytes[slash] === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 1) return quote + 1;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  throw new RangeError('a JSON string has no end');
}

/** The place after the number, true, false or null that starts at `at`. */
function wordEnd(bytes: Uint8Array, at: number): number {
  let index = at;
  for (; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return index;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return index;
  }
  return index;
}

/** The place after the value that starts at `at`, in bytes that are valid JSON. Not recursive: depth is free. */
export function valueEnd(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return stringEnd(bytes, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return wordEnd(bytes, at);
  let depth = 0;
  for (let index = at; index < bytes.length; ) {
    const byte = bytes[index];
    if (byte === QUOTE) {
      index = stringEnd(bytes, index);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return index + 1;
    index++;
  }
  throw new RangeError('a JSON value has no end');
}

function keyText(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** The members of the object that opens at `start`, in the order of the bytes; a key may come twice. */
export function members(bytes: Buffer, start: number): Member[] {
  const list: Member[] = [];
  let index = skipSpace(bytes, start + 1);
  while (bytes[index] === QUOTE) {
    const keyEnd = stringEnd(bytes, index);
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) throw new RangeError('a JSON member has no colon');
    const valueStart = skipSpace(bytes, colon + 1);
    const end = valueEnd(bytes, valueStart);
    list.push({ key: keyText(bytes, index, keyEnd), keyStart: index, valueStart, valueEnd: end });
    index = skipSpace(bytes, end);
    if (bytes[index] === COMMA) index = skipSpace(bytes, index + 1);
  }
  return list;
}

/** Where the elements of the array that opens at `start` begin. */
export function elementStarts(bytes: Buffer, start: number): number[] {
  const starts: number[] = [];
  let index = skipSpace(bytes, start + 1);
  while (index < bytes.length && bytes[index] !== CLOSE_BRACKET) {
    starts.push(index);
    index = skipSpace(bytes, valueEnd(bytes, index));
    if (bytes[index] === COMMA) index = skipSpace(bytes, index + 1);
  }
  return starts;
}

/** Edits that take out every member of this name; neighbouring removals never overlap. */
export function removals(all: readonly Member[], name: string): ByteEdit[] {
  const kept = all.filter((member) => member.key !== name);
  const last = kept.at(-1);
  return all.flatMap((member, position) => {
    if (member.key !== name) return [];
    const next = all[position + 1];
    // From the last kept member on, each removal takes the comma before it; earlier ones the comma behind.
    if (last !== undefined && member.keyStart > last.keyStart) {
      return [{ start: all[position - 1]?.valueEnd ?? member.keyStart, end: member.valueEnd, text: '' }];
    }
    return [{ start: member.keyStart, end: next?.keyStart ?? member.valueEnd, text: '' }];
  });
}

/** The bytes with all edits made; edits must not overlap. Bytes outside them stay as they are. */
export function splice(bytes: Buffer, edits: readonly ByteEdit[]): Buffer {
  if (edits.length === 0) return bytes;
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of ordered) {
    parts.push(bytes.subarray(at, start));
    if (text !== '') parts.push(Buffer.from(text));
    at = end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

/** The bytes with `text` put in at one place: the cheap case of splice. */
export function insert(bytes: Buffer, at: number, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const result = Buffer.allocUnsafe(bytes.length + length);
  bytes.copy(result, 0, 0, at);
  result.write(text, at);
  bytes.copy(result, at + length, at);
  return result;
}
