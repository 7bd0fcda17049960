import { isLetter } from './characters.ts';
import { isIgnorable } from './ignorable.ts';

/** A folded text; `origin` leads an index of the folded text back to the UTF-16 index it came from. */
export interface FoldedText {
  text: string;
  origin(index: number): number;
}

/** `keep` leaves diacritics (one form of ș and ț); `strip` removes them, as in Romanian typed without them. */
export type Diacritics = 'keep' | 'strip';

const DROPPED = 0xffff;

/** Punctuation in the plain form that the models and rules are written for. */
const punctuation: Record<string, string> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '`': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
};

/** The cedilla letters that old keyboards and fonts gave Romanian; the language uses a comma below. */
const commaBelow: Record<string, string> = { ş: 'ș', ţ: 'ț' };

/** Lower-case Cyrillic and Greek letters that pass for Latin ones (also by their capital). */
const lookalikes: Record<string, string> = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  н: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
};

const tables: Record<Diacritics, Uint16Array> = {
  keep: new Uint16Array(0x10000),
  strip: new Uint16Array(0x10000),
};

/**
 * Folds a text for features and rules: lower case, plain quotes and dashes, white space as spaces (line ends stay),
 * comma below for cedilla, no invisible characters, and Latin letters for lookalikes inside words of mixed script.
 * Never longer than the text; linear time.
 */
export function fold(text: string, diacritics: Diacritics): FoldedText {
  const table = tables[diacritics];
  const units = new Uint16Array(text.length);
  const origins = new Uint32Array(text.length + 1);
  const run = { start: 0, latin: false, foreign: false };
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if ((unit & 0xfc00) === 0xd800 && isIgnorable(text.codePointAt(index) ?? 0)) {
      index++;
      continue;
    }
    const folded = table[unit] || remember(table, unit, diacritics);
    if (folded === DROPPED) continue;
    if (composes(folded, diacritics) && compose(units, length, folded)) continue;
    if (!track(run, folded)) closeRun(run, units, length);
    origins[length] = index;
    units[length] = folded;
    length++;
  }
  closeRun(run, units, length);
  origins[length] = text.length;
  const folded = Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
  return { text: folded, origin: (index) => origins[Math.max(0, Math.min(index, length))] ?? text.length };
}

/** Letters without their diacritics, otherwise unchanged; same length for composed text. */
export function stripDiacritics(text: string): string {
  return text.normalize('NFD').replace(/\p{M}+/gu, '');
}

function remember(table: Uint16Array, unit: number, diacritics: Diacritics): number {
  const folded = foldUnit(String.fromCharCode(unit), diacritics);
  table[unit] = folded;
  return folded;
}

function foldUnit(character: string, diacritics: Diacritics): number {
  if (isIgnorable(character.charCodeAt(0))) return DROPPED;
  if (character === '\n') return 10;
  if (/\s/.test(character)) return 32;
  const plain = punctuation[character] ?? character.toLowerCase();
  const lower = plain.length === 1 ? plain : character;
  const romanian = commaBelow[lower] ?? lower;
  if (diacritics === 'keep') return romanian.charCodeAt(0);
  const bare = stripDiacritics(romanian);
  if (bare === '') return DROPPED;
  return (bare.length === 1 ? bare : romanian).charCodeAt(0);
}

function composes(unit: number, diacritics: Diacritics): boolean {
  return diacritics === 'keep' && unit >= 0x300 && unit <= 0x36f;
}

/** Joins a combining mark to the letter before it when Unicode has the two as one; true when joined. */
function compose(units: Uint16Array, length: number, mark: number): boolean {
  if (length === 0) return false;
  const pair = String.fromCharCode(units[length - 1] ?? 0, mark).normalize('NFC');
  if (pair.length !== 1) return false;
  units[length - 1] = (commaBelow[pair] ?? pair).charCodeAt(0);
  return true;
}

interface Run {
  start: number;
  latin: boolean;
  foreign: boolean;
}

/** Notes the script of a letter in the running word; false when the unit ends the word. */
function track(run: Run, unit: number): boolean {
  if (!isLetter(unit)) return false;
  if (unit < 0x250) run.latin = true;
  else if (unit >= 0x370 && unit < 0x530) run.foreign = true;
  return true;
}

function closeRun(run: Run, units: Uint16Array, end: number): void {
  if (run.latin && run.foreign) {
    for (let index = run.start; index < end; index++) {
      const lookalike = lookalikes[String.fromCharCode(units[index] ?? 0)];
      if (lookalike !== undefined) units[index] = lookalike.charCodeAt(0);
    }
  }
  run.start = end;
  run.latin = false;
  run.foreign = false;
}
