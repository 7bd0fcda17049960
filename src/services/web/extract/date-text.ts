import months from './months.json' with { type: 'json' };

/** A date as written: the day, and the whole time when it was given, with its offset if there was one. */
export interface ParsedDate {
  /** YYYY-MM-DD, in the writer's own time zone. */
  day: string;
  /** ISO 8601; equal to `day` when no time was written. */
  value: string;
}

const MONTH_NUMBERS: Readonly<Record<string, number>> = months;
const MONTH_NAMES = Object.keys(months)
  .sort((a, b) => b.length - a.length)
  .join('|');

/** First year that a page can be from. */
const FIRST_YEAR = 1995;

const ISO_DATE =
  /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]{1,2}(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?(?![\d-])/;
const COMPACT_DATE = /(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?:T?\d{4,6}Z?)?(?!\d)/;
const YEAR_FIRST = /(?<!\d)((?:19|20)\d{2})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/;
const NUMERIC_DATE = /(?<![\d.,/])(\d{1,2})([./-])(\d{1,2})\2((?:19|20)?\d{2})(?![\d/]|[.,]\d)/;
const DAY_MONTH_YEAR = new RegExp(
  `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?[\\s,-]*(?:de\\s+|of\\s+)?(${MONTH_NAMES})\\.?,?[\\s-]*(?:de\\s+|del\\s+)?((?:19|20)\\d{2})(?!\\d)`,
  'iu',
);
const MONTH_DAY_YEAR = new RegExp(
  `(?<!\\p{L})(${MONTH_NAMES})\\.?\\s*(\\d{1,2})(?:st|nd|rd|th)?,?\\s*((?:19|20)\\d{2})(?!\\d)`,
  'iu',
);

const two = (value: number | string) => String(value).padStart(2, '0');

function dated(year: number, month: number, day: number, latest: string): ParsedDate | undefined {
  const written = `${year}-${two(month)}-${two(day)}`;
  const time = new Date(`${written}T00:00:00Z`);
  const isReal = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(written);
  return isReal && year >= FIRST_YEAR && written <= latest ? { day: written, value: written } : undefined;
}

function offsetText(offset: string | undefined): string {
  if (offset === undefined) return '';
  return /^[A-Z]/.test(offset) ? 'Z' : offset.replace(/^(...)(\d\d)$/, '$1:$2');
}

function fromIso(text: string, latest: string): ParsedDate | undefined {
  const [whole, year, month, day, hours, minutes, seconds, offset] = ISO_DATE.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const date = dated(Number(year), Number(month), Number(day), latest);
  if (date === undefined || hours === undefined || Number(hours) > 23) return date;
  const value = `${date.day}T${two(hours)}:${minutes}:${seconds ?? '00'}${offsetText(offset)}`;
  // A time of 61 minutes, or an offset of 99 hours, leaves the day alone.
  return Number.isNaN(Date.parse(value)) ? date : { day: date.day, value };
}

/** Day first unless that cannot be, or the page is American. */
function fromNumeric(text: string, latest: string, monthFirst: boolean): ParsedDate | undefined {
  const [, one, separator, other, yearText] = NUMERIC_DATE.exec(text) ?? [];
  if (one === undefined) return undefined;
  const short = Number(yearText);
  const year = short >= 100 ? short : short + (short < 90 ? 2000 : 1900);
  const [a, b] = [Number(one), Number(other)];
  const american = dated(year, a, b, latest);
  const european = dated(year, b, a, latest);
  return monthFirst && separator !== '.' ? (american ?? european) : (european ?? american);
}

/**
 * The first date in a text, no later than `latest` (YYYY-MM-DD). Knows ISO forms, numeric forms and month names of
 * Romanian, English, German, French, Spanish and Italian.
 */
export function parseDate(text: string, latest: string, monthFirst = false): ParsedDate | undefined {
  const iso = fromIso(text, latest);
  if (iso !== undefined) return iso;
  const [, day, month, year] = DAY_MONTH_YEAR.exec(text) ?? [];
  const named = day === undefined ? undefined : fromName(year, month, day, latest);
  if (named !== undefined) return named;
  const [, usMonth, usDay, usYear] = MONTH_DAY_YEAR.exec(text) ?? [];
  const american = usMonth === undefined ? undefined : fromName(usYear, usMonth, usDay, latest);
  if (american !== undefined) return american;
  const [, y, m, d] = YEAR_FIRST.exec(text) ?? COMPACT_DATE.exec(text) ?? [];
  const ordered = y === undefined ? undefined : dated(Number(y), Number(m), Number(d), latest);
  return ordered ?? fromNumeric(text, latest, monthFirst);
}

function fromName(year = '', month = '', day = '', latest: string): ParsedDate | undefined {
  return dated(Number(year), MONTH_NUMBERS[month.toLowerCase()] ?? 0, Number(day), latest);
}

/** Matches one date that `parseDate` knows; unlike `ANY_DATE` it remembers no place of its last match. */
export const ONE_DATE = new RegExp(
  [ISO_DATE, YEAR_FIRST, DAY_MONTH_YEAR, MONTH_DAY_YEAR, NUMERIC_DATE]
    .map(({ source }) => source.replace(/\((?!\?)/g, '(?:').replaceAll('\\2', '[./-]'))
    .join('|'),
  'iu',
);

/** Matches every date that `parseDate` knows, for counting them in a text by `matchAll`, which leaves it as it is. */
export const ANY_DATE = new RegExp(ONE_DATE.source, 'giu');
