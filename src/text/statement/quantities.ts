import type { EncoderLanguage } from '../encoder/encoder.ts';

/** What a number stands for: an amount, a share in percent, a year, ten years, a day of the year, or a place in an order. */
export type QuantityKind = 'amount' | 'percent' | 'year' | 'decade' | 'date' | 'ordinal';

/** A number of a text with its UTF-16 offsets. `value` is the same for the same number in both languages: 5000, 12.5, 03-14. */
export interface Quantity {
  readonly kind: QuantityKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const UNITS: Readonly<Record<EncoderLanguage, Readonly<Record<string, number>>>> = {
  en: {
    zero: 0,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
    twelve: 12,
    thirteen: 13,
    fourteen: 14,
    fifteen: 15,
    sixteen: 16,
    seventeen: 17,
    eighteen: 18,
    nineteen: 19,
    twenty: 20,
    thirty: 30,
    forty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
    eighty: 80,
    ninety: 90,
    dozen: 12,
    half: 0.5,
    twice: 2,
  },
  ro: {
    zero: 0,
    doi: 2,
    doua: 2,
    trei: 3,
    patru: 4,
    cinci: 5,
    sase: 6,
    sapte: 7,
    opt: 8,
    noua: 9,
    zece: 10,
    unsprezece: 11,
    doisprezece: 12,
    douasprezece: 12,
    treisprezece: 13,
    paisprezece: 14,
    cincisprezece: 15,
    saisprezece: 16,
    saptesprezece: 17,
    optsprezece: 18,
    nouasprezece: 19,
    douazeci: 20,
    treizeci: 30,
    patruzeci: 40,
    cincizeci: 50,
    saizeci: 60,
    saptezeci: 70,
    optzeci: 80,
    nouazeci: 90,
    duzina: 12,
    jumatate: 0.5,
  },
};

const SCALES: Readonly<Record<EncoderLanguage, Readonly<Record<string, number>>>> = {
  en: {
    hundred: 100,
    hundreds: 100,
    thousand: 1e3,
    thousands: 1e3,
    k: 1e3,
    million: 1e6,
    millions: 1e6,
    mn: 1e6,
    billion: 1e9,
    billions: 1e9,
    bn: 1e9,
    trillion: 1e12,
  },
  ro: {
    suta: 100,
    sute: 100,
    mie: 1e3,
    mii: 1e3,
    milion: 1e6,
    milioane: 1e6,
    mil: 1e6,
    miliard: 1e9,
    miliarde: 1e9,
    mld: 1e9,
    trilion: 1e12,
    trilioane: 1e12,
  },
};

/** Words for "one" are articles and pronouns too: they count only before a scale. */
const ONES: ReadonlySet<string> = new Set(['one', 'a', 'an', 'un', 'o', 'una', 'unu']);
const JOINERS: Readonly<Record<EncoderLanguage, ReadonlySet<string>>> = {
  en: new Set(['and']),
  ro: new Set(['si', 'de']),
};

const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  primul: 1,
  prima: 1,
  intaiul: 1,
  intaia: 1,
  doilea: 2,
  treilea: 3,
  treia: 3,
  patrulea: 4,
  patra: 4,
  cincilea: 5,
  cincea: 5,
};

const MONTHS: Readonly<Record<string, number>> = {
  january: 1,
  february: 2,
  march: 3,
  april: 4,
  may: 5,
  june: 6,
  july: 7,
  august: 8,
  september: 9,
  october: 10,
  november: 11,
  december: 12,
  ianuarie: 1,
  februarie: 2,
  martie: 3,
  aprilie: 4,
  mai: 5,
  iunie: 6,
  iulie: 7,
  septembrie: 9,
  octombrie: 10,
  noiembrie: 11,
  decembrie: 12,
};

const FIRST_YEAR = 1500;
const LAST_YEAR = 2100;

/** Ten years in English: 1970s, 1970's. */
const DECADE = /^\d+0'?s$/;
/** A number, a decade, a word, or a per cent sign of a folded text. */
const TOKEN = /\d{2,3}0'?s(?!\p{L})|\d+(?:[.,]\d+|(?: (?=\d{3}(?!\d)))\d{3})*|\p{L}+|[%‰]/gu;

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The value of digits with separators: thousands are parted by a point in Romanian and by a comma in English. */
export function numberOf(digits: string, language: EncoderLanguage): number {
  const plain = digits.replaceAll(' ', '');
  const [group, decimal] = language === 'ro' ? ['.', ','] : [',', '.'];
  const grouped = new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+(?:\\${decimal}\\d+)?$`);
  const ungrouped = grouped.test(plain) ? plain.replaceAll(group, '') : plain;
  // A lone separator of the other language before one or two digits is a decimal sign there too.
  return Number(ungrouped.replace(',', '.').replace(/\.(?=.*\.)/g, ''));
}

const pad = (value: number) => String(value).padStart(2, '0');

/** Adds up the words of one number from a place on: "two hundred and five thousand". Undefined when none begins there. */
function readAmount(tokens: readonly Token[], from: number, language: EncoderLanguage) {
  const [units, scales] = [UNITS[language], SCALES[language]];
  let [total, group, at, any] = [0, 0, from, false];
  for (; at < tokens.length; at++) {
    const word = tokens[at]?.text ?? '';
    const next = tokens[at + 1]?.text ?? '';
    const unit = /^\d/.test(word) && !any ? numberOf(word, language) : units[word];
    const scale = Object.hasOwn(scales, word) && any ? scales[word] : undefined;
    if (unit !== undefined && Object.hasOwn(units, word) === !/^\d/.test(word)) group += unit;
    else if (scale === 100) group *= 100;
    else if (scale !== undefined) [total, group] = [total + group * scale, 0];
    else if (!any && ONES.has(word) && Object.hasOwn(scales, next)) group += 1;
    else if (
      any &&
      JOINERS[language].has(word) &&
      (Object.hasOwn(units, next) || Object.hasOwn(scales, next))
    )
      continue;
    else break;
    any = true;
  }
  return any ? { value: total + group, next: at } : undefined;
}

/** A day of the year: "14 March", "March 14". */
function readDate(tokens: readonly Token[], at: number, language: EncoderLanguage) {
  const [one = '', other = ''] = [tokens[at]?.text, tokens[at + 1]?.text];
  const isDay = (text: string) => /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 31;
  const month = (text: string) => (Object.hasOwn(MONTHS, text) ? MONTHS[text] : undefined);
  const pair = isDay(one)
    ? [month(other), Number(one)]
    : language === 'en' && isDay(other)
      ? [month(one), Number(other)]
      : [];
  const [number, day] = pair;
  return number === undefined || day === undefined ? undefined : `${pad(number)}-${pad(day)}`;
}

const isPercent = (tokens: readonly Token[], at: number) => {
  const [word = '', next = ''] = [tokens[at]?.text, tokens[at + 1]?.text];
  if (word === '%' || word === 'percent') return 1;
  if ((word === 'per' && next === 'cent') || (word === 'la' && next === 'suta')) return 2;
  return 0;
};

/**
 * The numbers of a folded text (lower case, no diacritics) in reading order, written in digits or in words. "one" and its
 * Romanian forms count only before a scale, since they are articles and pronouns.
 */
export function quantitiesOf(text: string, language: EncoderLanguage): Quantity[] {
  const tokens: Token[] = [...text.matchAll(TOKEN)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));
  const quantities: Quantity[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { start = 0, text: word = '' } = tokens[at] ?? {};
    const add = (kind: QuantityKind, value: string, next: number) => {
      quantities.push({ kind, value, start, end: tokens[next - 1]?.end ?? start });
      at = next;
    };
    // Before amounts: the digits of "2010s" are no year.
    if (DECADE.test(word)) {
      add('decade', word.replace(/\D/g, ''), at + 1);
      continue;
    }
    const date = readDate(tokens, at, language);
    const amount = date === undefined ? readAmount(tokens, at, language) : undefined;
    if (date !== undefined) add('date', date, at + 2);
    else if (Object.hasOwn(ORDINALS, word)) add('ordinal', String(ORDINALS[word]), at + 1);
    else if (amount === undefined) at++;
    else {
      const percent = isPercent(tokens, amount.next);
      const isYear =
        /^\d{4}$/.test(word) &&
        amount.next === at + 1 &&
        amount.value >= FIRST_YEAR &&
        amount.value <= LAST_YEAR;
      if (percent > 0) add('percent', String(amount.value), amount.next + percent);
      else add(isYear ? 'year' : 'amount', String(amount.value), amount.next);
    }
  }
  return quantities;
}
