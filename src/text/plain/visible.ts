import { decodeHTMLStrict } from 'entities';
import { isLetter, isSpace } from '../characters.ts';
import { IGNORABLE, isIgnorable, WIDE_BLANK } from '../ignorable.ts';
import type { TextRange } from '../positions.ts';
import type { Disguise, DisguiseKind, DisguiseRemoval } from './disguise.ts';
import type { TextEdit } from './edited-text.ts';

/** HTML elements within a line. */
const ELEMENT =
  'a|abbr|b|bdi|bdo|big|cite|code|del|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr';
const VALUE = `"[^"<>]{0,300}"|'[^'<>]{0,300}'|[^\\s"'<>=]{1,300}`;
/** Without a value it is more likely the "<" of a sum. */
const ATTRIBUTE = `\\s{1,9}(?:hidden|[a-z][a-z-]{0,29}=(?:${VALUE}))`;
const TAG = `</?(?:${ELEMENT})(?:${ATTRIBUTE}){0,9}\\s{0,9}/?>`;
const COMMENT = '<!--[^>]{0,500}-->';
const ENTITY = '&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});';
/** Letters and digits of another cut: full width, mathematical, circled and squared. */
const STYLED =
  '[\\uFF10-\\uFF19\\uFF21-\\uFF3A\\uFF41-\\uFF5A\\u24B6-\\u24E9\\u{1D400}-\\u{1D7FF}\\u{1F130}-\\u{1F149}]';

/** All that a reader does not see as it is written. The groups: entity, characters that show nothing. */
const hidden = () => new RegExp(`${COMMENT}|${TAG}|(${ENTITY})|([${IGNORABLE}]+)|${STYLED}`, 'giu');
const anyHidden = new RegExp(`[<&${IGNORABLE}]|${STYLED}`, 'u');

const letterBefore = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]\p{M}{0,4}$/u;
const letterAfter = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
const wordBefore = /[\p{L}\p{N}\p{M}]$/u;
const wordAfter = /^[\p{L}\p{N}]/u;
const onlyIgnorable = new RegExp(`^[${IGNORABLE}]*$`, 'u');
const wideBlank = new RegExp(`[${WIDE_BLANK}]`, 'u');
const usualLetter = /^[a-zA-Z0-9]$/;
/** An element without content, or a comment: neither has a use inside a word. */
const emptyMarkup = /<[a-z][^<>]*>[^<>]*<\/|<!--/iu;
/** Letters in tag characters, which are for flags alone: anywhere else they are an invisible message. */
const tagMessage = /[\u{E0020}-\u{E007E}]{3,}/u;
const flag = /\u{1F3F4}$/u;
const softHyphens = /^\u00ad+$/;

/** UTF-16 units that hold a letter with its marks. */
const BEFORE = 6;
/** No word is longer: wide blanks in such a row stand for spaces. */
const LONGEST_WORD = 24;

/** One hidden thing and what stands in its place. */
interface Hidden {
  readonly text: string;
  /** As what it counts: inside a word, or wherever it stands. */
  readonly kind?: DisguiseKind;
  readonly anywhere?: DisguiseKind;
  /** It is read away inside a word alone; elsewhere it may be what the text is about. */
  readonly stays?: true;
}

function ofEntity(raw: string): Hidden {
  const decoded = decodeHTMLStrict(raw);
  if (onlyIgnorable.test(decoded))
    return softHyphens.test(decoded) ? { text: '' } : { text: '', kind: 'markup' };
  // Letters of other alphabets are often sent so; those on every keyboard never need it.
  return { text: decoded, ...(usualLetter.test(decoded) && { anywhere: 'markup' }) };
}

/** Whether the wide blanks at an index separate words: dropped, they would leave a row that no word is as long as. */
function createBlankReader(text: string): (index: number) => boolean {
  let row = { end: 0, parts: false };
  const read = (from: number) => {
    let letters = 0;
    let blanks = 0;
    let end = from;
    for (; end < text.length && !isSpace(text.charCodeAt(end)); end++) {
      if (wideBlank.test(text.charAt(end))) blanks += 1;
      else if (isLetter(text.charCodeAt(end))) letters += 1;
    }
    row = { end, parts: letters > LONGEST_WORD && letters / (blanks + 1) >= 2 };
  };
  return (index) => {
    if (index < row.end) return row.parts;
    let from = index;
    while (from > row.end && !isSpace(text.charCodeAt(from - 1))) from--;
    read(from);
    return row.parts;
  };
}

function isInWord(text: string, start: number, end: number): boolean {
  return (
    wordBefore.test(text.slice(Math.max(0, start - 2), start)) && wordAfter.test(text.slice(end, end + 2))
  );
}

function ofIgnorable(text: string, start: number, raw: string, parts: (index: number) => boolean): Hidden {
  const end = start + raw.length;
  if (wideBlank.test(raw) && (!isInWord(text, start, end) || parts(start))) return { text: ' ' };
  return softHyphens.test(raw) ? { text: '' } : { text: '', kind: 'invisible_characters' };
}

function hiddenAt(text: string, match: RegExpExecArray, parts: (index: number) => boolean): Hidden {
  const [raw, entity, nothing] = match;
  if (nothing !== undefined) return ofIgnorable(text, match.index, nothing, parts);
  if (entity !== undefined) return ofEntity(entity);
  return raw.startsWith('<') ? { text: '', stays: true } : { text: raw.normalize('NFKC') };
}

/** How far the letters of a word are followed, in UTF-16 units. */
const WORD_SIDE = 48;

/** The word around a stretch: its letters, and what is hidden among them. */
function wordAround(text: string, start: number, end: number): TextRange {
  const belongs = (index: number) => {
    const unit = text.charCodeAt(index);
    return isLetter(unit) || isIgnorable(unit);
  };
  let from = start;
  while (from > Math.max(0, start - WORD_SIDE) && belongs(from - 1)) from--;
  let to = end;
  while (to < Math.min(text.length, end + WORD_SIDE) && belongs(to)) to++;
  return { start: from, end: to };
}

/** Notes the word around a stretch as disguised; several hidden things in one word are one. */
function note(disguises: Disguise[], kind: DisguiseKind, text: string, { start, end }: TextRange): void {
  const last = disguises.at(-1);
  if (last?.kind === kind && end <= last.end) return;
  const word = wordAround(text, start, end);
  if (last?.kind !== kind || word.start >= last.end) disguises.push({ kind, ...word });
  else disguises.splice(-1, 1, { kind, start: last.start, end: word.end });
}

/** Hidden things in a row, with nothing that shows between them. */
interface Row {
  readonly start: number;
  end: number;
  readonly parts: (Hidden & TextRange)[];
}

/** As what a row counts; undefined when it may well stand there for a reason. */
function disguiseOf(text: string, { start, end, parts }: Row): DisguiseKind | undefined {
  const raw = text.slice(start, end);
  const before = text.slice(Math.max(0, start - BEFORE), start);
  if (tagMessage.test(raw) && !flag.test(before)) return 'invisible_characters';
  const anywhere = parts.find((part) => part.anywhere !== undefined)?.anywhere;
  if (anywhere !== undefined) return anywhere;
  if (!letterBefore.test(before) || !letterAfter.test(text.slice(end, end + 2))) return undefined;
  const kind = parts.find((part) => part.kind !== undefined)?.kind;
  return kind ?? (emptyMarkup.test(raw) ? 'markup' : undefined);
}

function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  const parts = createBlankReader(text);
  for (const match of text.matchAll(hidden())) {
    const hiddenPart = hiddenAt(text, match, parts);
    const start = match.index;
    const end = start + match[0].length;
    if (hiddenPart.text === match[0]) continue;
    const part = { ...hiddenPart, start, end };
    const last = rows.at(-1);
    if (last?.end === start) {
      last.parts.push(part);
      last.end = end;
    } else rows.push({ start, end, parts: [part] });
  }
  return rows;
}

/** What to change in a text so that it reads as it is seen, and the disguises that this takes off. Linear in the text. */
export function visibleEdits(text: string): DisguiseRemoval {
  const edits: TextEdit[] = [];
  const disguises: Disguise[] = [];
  if (!anyHidden.test(text)) return { edits, disguises };
  for (const row of rowsOf(text)) {
    const inWord = isInWord(text, row.start, row.end);
    for (const { start, end, text: shown, stays } of row.parts)
      if (stays !== true || inWord) edits.push({ start, end, text: shown });
    const kind = disguiseOf(text, row);
    if (kind !== undefined) note(disguises, kind, text, row);
  }
  return { edits, disguises };
}
