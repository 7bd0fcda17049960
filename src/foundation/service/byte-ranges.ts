import type { ByteRange } from '../payloads.ts';

/** The headers of a request that decide what is sent of a content (RFC 9110, sections 13 and 14). */
export interface ConditionHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
}

/** What identifies a version of a content. */
export interface Validators {
  /** Without quotes. */
  readonly etag?: string;
  readonly modified?: Date;
}

/** One range of a Range header: `0-99`, `100-` or `-50`. */
const RANGE = /^\s*(\d*)-(\d*)\s*$/;

/** One range within a content of `size` bytes; undefined when it lies outside, null when it is none. */
function parseRange(text: string, size: number): ByteRange | undefined | null {
  const [, first = '', last = ''] = RANGE.exec(text) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? undefined : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Number(last);
  if (end < start) return last === '' ? undefined : null;
  return start >= size ? undefined : { start, end: Math.min(end, size - 1) };
}

/**
 * The range to serve: `whole` without a Range header, or with one that is no bytes range, as the standard asks;
 * `unsatisfiable` when no range lies within the content. Of several ranges the first that can be served is.
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, list] = /^\s*bytes\s*=(.*)$/i.exec(header ?? '') ?? [];
  if (list === undefined) return 'whole';
  const ranges = list
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) => parseRange(text, size));
  if (ranges.length === 0 || ranges.includes(null)) return 'whole';
  return ranges.find((range) => range !== undefined && range !== null) ?? 'unsatisfiable';
}

/** An HTTP date has whole seconds. */
const wholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

function isDateOf(header: string, modified: Date | undefined): boolean {
  return modified !== undefined && wholeSeconds(new Date(header)) === wholeSeconds(modified);
}

/** Whether a Range header holds: without If-Range, or when that names exactly the present state. */
export function isRangeValid(headers: ConditionHeaders, { etag, modified }: Validators): boolean {
  const condition = headers['if-range']?.trim();
  if (condition === undefined) return true;
  if (condition.startsWith('"')) return etag !== undefined && condition === `"${etag}"`;
  return isDateOf(condition, modified);
}

/** Whether the reader has the present state already. */
export function isUnchanged(headers: ConditionHeaders, { etag, modified }: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    if (etag === undefined) return false;
    const known = tags.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return known.includes('*') || known.includes(`"${etag}"`);
  }
  const since = headers['if-modified-since'];
  if (since === undefined || modified === undefined) return false;
  return wholeSeconds(new Date(since)) >= wholeSeconds(modified);
}
