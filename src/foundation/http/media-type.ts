/** Bytes that decide the type of a file; the WHATWG sniffing standard reads as many. */
export const sniffedBytes = 1445;

const signatures: ReadonlyArray<[type: string, offset: number, bytes: string]> = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBPVP'],
  ['image/bmp', 0, 'BM'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftyphei'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
  ['video/x-msvideo', 8, 'AVI '],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/ogg', 0, 'OggS\0'],
  ['audio/flac', 0, 'fLaC'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b\x08'],
  ['application/x-rar-compressed', 0, 'Rar!\x1a\x07'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/x-elf', 0, '\x7fELF'],
  ['application/x-msdownload', 0, 'MZ\x90'],
  ['application/x-ole-storage', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['application/wasm', 0, '\0asm'],
  ['application/x-sqlite3', 0, 'SQLite format 3\0'],
];

const htmlStart =
  /^<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link)[\s>/]/i;
const xmlStart = /^\s*<\?xml/i;

/** Control characters that no text has (WHATWG binary data bytes). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes to look for
const binary = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** The media type of a Content-Type header in lower case, without parameters; undefined when it names none. */
export function mediaType(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type !== undefined && /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+$/.test(type) ? type : undefined;
}

/** Text without leading white space and comments; a loop, since an expression for it can be made to run for ever. */
function withoutLeadingComments(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end === -1) return '';
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}

/** Type by the first bytes: a signature, text/html, text/xml, text/plain, or application/octet-stream. */
export function sniffType(start: Uint8Array): string {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, sniffedBytes)).toString(
    'latin1',
  );
  const known = signatures.find(([, offset, bytes]) => head.startsWith(bytes, offset));
  if (known !== undefined) return known[0];
  if (htmlStart.test(withoutLeadingComments(head))) return 'text/html';
  const marked = /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(head);
  if (!marked && binary.test(head)) return 'application/octet-stream';
  const text = head
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll('\0', '')
    .replace(/^(?:\xfe\xff|\xff\xfe)/, '');
  if (htmlStart.test(withoutLeadingComments(text))) return 'text/html';
  return xmlStart.test(text) ? 'text/xml' : 'text/plain';
}

const matches = (type: string, pattern: string) =>
  pattern === '*/*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)));

/** Types a server uses when it does not know. */
const unknowing = new Set(['application/octet-stream', 'binary/octet-stream', 'application/unknown']);

/** Sound and video share their containers, so that the bytes cannot tell one from the other. */
const isTimed = (type: string) => type.startsWith('audio/') || type.startsWith('video/');

const isTextual = (type: string) =>
  type.startsWith('text/') || /[/+](?:xml|json|javascript|ld\+json|x-ndjson)$/.test(type);

/**
 * The type to read an answer as, or undefined when it must not be read: the header has to be wanted and the bytes must
 * not contradict it. A missing or unknowing header leaves the word to the bytes.
 */
export function acceptedType(
  header: string | undefined,
  start: Uint8Array,
  wanted: readonly string[],
): string | undefined {
  const declared = mediaType(header);
  const sniffed = sniffType(start);
  const isWanted = (type: string) => wanted.some((pattern) => matches(type, pattern));
  if (declared === undefined || unknowing.has(declared)) return isWanted(sniffed) ? sniffed : undefined;
  if (!isWanted(declared)) return undefined;
  if (start.byteLength === 0) return declared;
  if (isTextual(declared)) return isTextual(sniffed) ? declared : undefined;
  if (isTextual(sniffed)) return undefined;
  if (sniffed === 'application/octet-stream' || (isTimed(declared) && isTimed(sniffed))) return declared;
  return isWanted(sniffed) ? sniffed : undefined;
}
