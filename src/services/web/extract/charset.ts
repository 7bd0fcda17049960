import sniff from 'html-encoding-sniffer';
import iconv from 'iconv-lite';

/** A page as text, and the encoding that it was read in. */
export interface Decoded {
  text: string;
  encoding: string;
}

/** Encodings that Romanian and English pages without a declaration are written in, likeliest first. */
const legacyEncodings = ['windows-1250', 'ISO-8859-2', 'ISO-8859-16', 'windows-1252'];

/** Name that no page declares: tells "nothing declared" from a declared windows-1252. */
const undeclared = 'x-user-defined';

/** Bytes in which a late meta element is still looked for; the standard's prescan ends at 1024. */
const lateMetaBytes = 16_384;

/** Invalid UTF-8 sequences per thousand characters that a page declared as UTF-8 may have: pasted-in debris. */
const toleratedDebris = 2;

const sampleBytes = 65_536;
const letters = /[ăâîșțşţéèêëàáçóöőúüűíßäñčćđšžłąęńśźż]/giu;
const oddities = /[\u0080-\u009f\ufffd]|(?<=\p{L})[^\p{L}\p{M}\p{N}\s\p{P}=+<>|^`~$](?=\p{L})|þ|ð/gu;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const isAscii = (bytes: Uint8Array) => bytes.every((byte) => byte < 0x80);

/** The legacy encoding under which the bytes read most like words. */
function guessLegacy(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.subarray(0, sampleBytes));
  const scored = legacyEncodings.map((encoding) => {
    const text = iconv.decode(sample, encoding);
    return { encoding, score: count(text, letters) - 3 * count(text, oddities) };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).encoding;
}

function lateMeta(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, lateMetaBytes)).toString('latin1');
  const label = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(head)?.[1];
  return label !== undefined && iconv.encodingExists(label) ? label : undefined;
}

/** What the page says of itself: byte order mark, header, meta. */
function declaredEncoding(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  const label = /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(contentType ?? '')?.[1];
  const declared = sniff(bytes, {
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
    defaultEncoding: undeclared,
  });
  return declared === undeclared ? lateMeta(bytes) : declared;
}

/**
 * Decodes a page: byte order mark, header, meta, then the bytes themselves. Bytes that are valid UTF-8 beyond ASCII are
 * UTF-8 whatever was declared, and a declared UTF-8 that does not hold is read as the likeliest legacy encoding.
 */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): Decoded {
  const declared = declaredEncoding(bytes, contentType);
  if (declared !== undefined && /^utf-?16/i.test(declared)) return decodeAs(bytes, declared);
  if (isUtf8(bytes)) return decodeAs(bytes, isAscii(bytes) && declared !== undefined ? declared : 'UTF-8');
  if (declared === undefined) return decodeAs(bytes, guessLegacy(bytes));
  const decoded = decodeAs(bytes, declared);
  if (declared !== 'UTF-8') return decoded;
  const debris = count(decoded.text, /\ufffd/g) / (decoded.text.length / 1000);
  return debris > toleratedDebris ? decodeAs(bytes, guessLegacy(bytes)) : decoded;
}

function decodeAs(bytes: Uint8Array, encoding: string): Decoded {
  const known = iconv.encodingExists(encoding) ? encoding : 'windows-1252';
  return { text: iconv.decode(Buffer.from(bytes), known), encoding: known };
}
