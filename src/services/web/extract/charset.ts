import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/** A page as text, and the encoding that it was read in. */
export interface Decoded {
  text: string;
  encoding: string;
}

/** Encodings that Romanian and English pages without a declaration are written in, likeliest first. */
const LEGACY_ENCODINGS = ['windows-1250', 'ISO-8859-2', 'ISO-8859-16', 'windows-1252'];

/** Bytes in which a meta element is looked for; the WHATWG prescan reads 1024, but real pages declare later. */
const META_BYTES = 16_384;

/** Labels that stand for a wider encoding, as in browsers (WHATWG Encoding). */
const WIDENED_ENCODINGS: Readonly<Record<string, string>> = {
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  ascii: 'windows-1252',
  'us-ascii': 'windows-1252',
  'iso-8859-9': 'windows-1254',
  gb2312: 'gb18030',
  utf8: 'UTF-8',
  'utf-8': 'UTF-8',
};

/** Replacement characters per thousand that a page declared as UTF-8 may have: invalid bytes that were pasted in. */
const TOLERATED_REPLACEMENTS = 2;

const SAMPLE_BYTES = 65_536;
const LETTERS = /[ăâîșțşţéèêëàáçóöőúüűíßäñčćđšžłąęńśźż]/giu;
const ODD_CHARACTERS = /[\u0080-\u009f\ufffd]|(?<=\p{L})[^\p{L}\p{M}\p{N}\s\p{P}=+<>|^`~$](?=\p{L})|þ|ð/gu;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** The legacy encoding under which the bytes read most like words. */
function guessLegacy(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.subarray(0, SAMPLE_BYTES));
  const scored = LEGACY_ENCODINGS.map((encoding) => {
    const text = iconv.decode(sample, encoding);
    return { encoding, score: count(text, LETTERS) - 3 * count(text, ODD_CHARACTERS) };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).encoding;
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'UTF-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
}

/** Labels that the decoder knows and no page is written in: some would turn its bytes into twice as many letters. */
const NO_PAGE_ENCODING = /^(?:base64|hex|binary|internal|cesu-?8|utf-?7(?:-?imap)?|ucs-?4.*|utf-?32.*)$/;

/** The encoding that a label stands for; undefined for unknown labels. */
function byLabel(label: string | undefined): string | undefined {
  const name = label?.toLowerCase() ?? '';
  const encoding = WIDENED_ENCODINGS[name] ?? name;
  const isPageEncoding = encoding !== '' && !NO_PAGE_ENCODING.test(encoding);
  return isPageEncoding && iconv.encodingExists(encoding) ? encoding : undefined;
}

const labelIn = (text: string) => /charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(text)?.[1];

/** A meta element that can be read at all is not in UTF-16, whatever it says. */
function metaEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1');
  const meta =
    /<meta\s[^>]{0,300}charset\s*=[^>]{2,60}|<\?xml[^>]{0,100}encoding\s*=\s*["'][^"']{2,40}/i.exec(
      head,
    )?.[0];
  const encoding = byLabel(labelIn((meta ?? '').replace(/encoding(?=\s*=)/i, 'charset')));
  return encoding?.startsWith('utf-16') === true ? 'UTF-8' : encoding;
}

/** What the page says of itself: byte order mark, header, meta. */
function declaredEncoding(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  return byteOrderMark(bytes) ?? byLabel(labelIn(contentType ?? '')) ?? metaEncoding(bytes);
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
  return debris > TOLERATED_REPLACEMENTS ? decodeAs(bytes, guessLegacy(bytes)) : decoded;
}

/** Decodes as browsers do: what is no character, or none of a text, becomes U+FFFD. */
function decodeAs(bytes: Uint8Array, encoding: string): Decoded {
  const text = iconv.decode(Buffer.from(bytes), encoding);
  return { text: text.toWellFormed().replaceAll('\0', '\ufffd'), encoding };
}
