import type { ReasonLanguage } from '../reasons.ts';

const LOCALES: Record<ReasonLanguage, string> = { en: 'en-GB', ro: 'ro-RO' };

/** A number with a fixed count of decimals, by the habits of the language. */
export function formatDecimal(value: number, places: number, language: ReasonLanguage): string {
  const format = { minimumFractionDigits: places, maximumFractionDigits: places };
  // A rounded zero keeps no sign.
  return new Intl.NumberFormat(LOCALES[language], format).format(Number(value.toFixed(places)) + 0);
}

/** A number with its sign. */
export function formatSigned(value: number, places: number, language: ReasonLanguage): string {
  return `${value < 0 ? '−' : '+'}${formatDecimal(Math.abs(value), places, language)}`;
}

/** A share from 0 to 1 in whole percent. */
export function formatPercent(share: number, language: ReasonLanguage): string {
  return `${formatDecimal(share * 100, 0, language)}%`;
}

/** A date without time, in UTC, no more exact than it is written; text that is no date stays as it is. */
export function formatDate(value: string, language: ReasonLanguage): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime()) || /^\d{4}$/.test(value)) return value;
  const month = { month: 'long', year: 'numeric' } as const;
  const format = /^\d{4}-\d\d$/.test(value) ? month : ({ dateStyle: 'long' } as const);
  return new Intl.DateTimeFormat(LOCALES[language], { ...format, timeZone: 'UTC' }).format(date);
}

/** Date and time in UTC; text that is no date stays as it is. */
export function formatDateTime(value: string, language: ReasonLanguage): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  return `${formatDate(value, language)}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** A duration in milliseconds, as milliseconds or seconds. */
export function formatDuration(milliseconds: number, language: ReasonLanguage): string {
  if (milliseconds < 1_000) return `${formatDecimal(milliseconds, 0, language)} ms`;
  return `${formatDecimal(milliseconds / 1_000, 1, language)} s`;
}
