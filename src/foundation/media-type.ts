import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';

/** Bytes from the start of a file that decide its type: what the signatures of file-type reach, more than text needs. */
export const SNIFFED_BYTES = 4100;

const HTML_START =
  /^<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link)[\s>/]/i;
const XML_START = /^<\?xml/i;
const SVG_START = /^<svg[\s>]/i;

/** Byte order marks of UTF-16 and UTF-8, as Latin-1. */
const BYTE_ORDER_MARK = /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/;

/** Control characters that no text has (WHATWG binary data bytes). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes to look for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Types with a signature whose files may be readable characters throughout. */
const READABLE_FORMATS = /^(?:text\/|application\/(?:pdf|postscript|rtf)$)/;

/** Registered names of types that file-type names differently. */
const REGISTERED: Readonly<Record<string, string>> = { 'audio/x-m4a': 'audio/mp4' };

/** The longest part of a character that a cut can leave at the end of UTF-8. */
const PARTIAL_CHARACTER_BYTES = 3;

/** The media type of a Content-Type header in lower case, without parameters; undefined when it names none. */
export function mediaType(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type !== undefined && /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+$/.test(type) ? type : undefined;
}

/** Markup without leading white space, comments and XML prolog; loops, since an expression for it can be made to run for ever. */
function firstElementOf(markup: string): string {
  let rest = markup.trimStart();
  for (const [open, close] of [
    ['<?xml', '?>'],
    ['<!--', '-->'],
    ['<!doctype svg', '>'],
    ['<!--', '-->'],
  ] as const) {
    while (rest.slice(0, open.length).toLowerCase() === open) {
      const end = rest.indexOf(close, open.length);
      if (end === -1) return '';
      rest = rest.slice(end + close.length).trimStart();
    }
  }
  return rest;
}

/** text/html, image/svg+xml, text/xml or text/plain; undefined when the bytes are no text. */
function textTypeOf(start: Buffer): string | undefined {
  const head = start.toString('latin1');
  const marked = BYTE_ORDER_MARK.test(head);
  // Names of elements are ASCII in every encoding: UTF-16 is read by leaving out its zeros.
  const text = marked ? head.replace(BYTE_ORDER_MARK, '').replaceAll('\0', '') : head;
  const element = firstElementOf(text);
  const isXml = XML_START.test(text.trimStart());
  if (!isXml && HTML_START.test(element)) return 'text/html';
  if (!marked && BINARY.test(head)) return undefined;
  if (SVG_START.test(element)) return 'image/svg+xml';
  return isXml ? 'text/xml' : 'text/plain';
}

/** Whether bytes are UTF-8, but for a last character that was cut. */
function isCutUtf8(start: Buffer): boolean {
  for (let missing = 0; missing <= PARTIAL_CHARACTER_BYTES; missing++) {
    if (isUtf8(start.subarray(0, Math.max(0, start.length - missing)))) return true;
  }
  return false;
}

/** The type by signature; undefined when there is none, also for files so damaged that the library gives up. */
async function signatureTypeOf(start: Buffer): Promise<string | undefined> {
  try {
    const type = mediaType((await fileTypeFromBuffer(start))?.mime);
    return type === undefined ? undefined : (REGISTERED[type] ?? type);
  } catch {
    return undefined;
  }
}

/**
 * The media type of a file by its first bytes, `SNIFFED_BYTES` or fewer: that of a signature, text/html, image/svg+xml, text/xml,
 * text/plain, or application/octet-stream. Names and headers take no part.
 */
export async function typeOfBytes(start: Uint8Array): Promise<string> {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, SNIFFED_BYTES));
  const text = textTypeOf(head);
  if (text !== undefined && (text !== 'text/plain' || BYTE_ORDER_MARK.test(head.toString('latin1', 0, 3)))) {
    return text;
  }
  const signed = await signatureTypeOf(head);
  if (signed === undefined) return text ?? 'application/octet-stream';
  // Some signatures are two or three letters with which a sentence may begin.
  const isProse = text !== undefined && isCutUtf8(head) && !READABLE_FORMATS.test(signed);
  return isProse ? 'text/plain' : signed;
}

const matches = (type: string, pattern: string) =>
  pattern === '*/*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)));

/** Types that servers send for unknown content. */
const UNKNOWN_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/unknown']);

/** Sound and video share their containers, so that the bytes do not always distinguish them. */
const isTimed = (type: string) => type.startsWith('audio/') || type.startsWith('video/');

const isTextual = (type: string) =>
  type.startsWith('text/') || /[/+](?:xml|json|javascript|ld\+json|x-ndjson)$/.test(type);

/**
 * The type by which to read an answer, or undefined when it must not be read: the header has to be a wanted type and the bytes must
 * not contradict it. A missing or generic header leaves the decision to the bytes.
 */
export async function acceptedType(
  header: string | undefined,
  start: Uint8Array,
  accepted: readonly string[],
): Promise<string | undefined> {
  const declared = mediaType(header);
  const sniffed = await typeOfBytes(start);
  const isAccepted = (type: string) => accepted.some((pattern) => matches(type, pattern));
  if (declared === undefined || UNKNOWN_TYPES.has(declared)) return isAccepted(sniffed) ? sniffed : undefined;
  if (!isAccepted(declared)) return undefined;
  if (start.byteLength === 0) return declared;
  if (isTextual(declared)) return isTextual(sniffed) ? declared : undefined;
  if (isTextual(sniffed)) return undefined;
  if (sniffed === 'application/octet-stream' || (isTimed(declared) && isTimed(sniffed))) return declared;
  return isAccepted(sniffed) ? sniffed : undefined;
}
