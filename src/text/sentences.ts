import { isDigit, isLetter, isLowerCase, isSpace } from './characters.ts';

/** A sentence, heading or list item with its UTF-16 offsets, without white space around it. */
export interface Sentence {
  start: number;
  end: number;
  text: string;
}

/** Abbreviations that stand before a name or more of the sentence, and so never end one. */
const beforeName = new Set(
  (
    'mr mrs ms dr v prof gen col capt cpt lt plt sgt sen rep gov rev hon mt pres adm adj vs cf eq viz al ed eds dept e.g i.e approx ' +
    'dl dlui d-l d-na dra ing ec av conf lect asist acad arh jud mun com bd bld str șos sos resp pr op cit î.p.s p.s ' +
    'i.p.s sf tel reg jr.ec urm atty supt msgr maj cmdr cpl amb assoc univ drd cms subcms chest insp sg arhim gral cca'
  ).split(' '),
);

/** Abbreviations, some of them whole words too, that go on only before a number. */
const beforeNumber = new Set(
  (
    'no nos nr art alin lit pct pag cap p pp fig vol sec min int ap et bl sc jan feb mar apr jun jul aug sept sep oct nov dec ian ' +
    'febr iun iul noi'
  ).split(' '),
);

/** Abbreviations that end the sentence unless the word after them cannot begin one. */
const beforeStarter = new Set('inc ltd corp co jr sr st ph.d esq ave blvd bros'.split(' '));

/** Abbreviations that end the sentence whenever a capital follows. */
const oftenFinal = new Set('etc p.m a.m ș.a s.a ș.a.m.d s.a.m.d hr î.hr d.hr î.e.n e.n'.split(' '));

/** Words that start a new sentence after initials and acronyms ("in the U.S. The court ..."). */
const starters = new Set(
  (
    'the a an this that these those he she it they we you but and so then if in on at there when while however his her ' +
    'its their our my what why how who after before for as no yes ' +
    'el ea ei ele noi voi acesta aceasta acest această aceste acești dar iar și însă când dacă în pe la după înainte nu da ' +
    'un o unii potrivit astfel deci apoi totuși cei cele cel cea ce cum de pentru'
  ).split(' '),
);

const closers = new Set([...'"\'”’»)]}›']);
const openers = new Set([...'"\'“„«‘([{‹']);
const terminators = new Set([...'.!?…。！？']);
const wideTerminators = new Set([...'。！？']);
const bullet = /^[ \t]*(?:[-*•·–—‣▪◦]|\(?\d{1,3}[.)]|\(?[a-z][)])[ \t]/;

/** Lines between these lengths that mostly end without a stop are one paragraph wrapped by hand. */
const WRAP = { shortest: 50, longest: 100, share: 0.6, leastLines: 3 };

/** Sentences of English or Romanian text, in order, without overlap; every visible character is in exactly one. */
export function sentencesOf(text: string): Sentence[] {
  const wrapped = isHardWrapped(text);
  const small = beginsSmall(text);
  const sentences: Sentence[] = [];
  let start = 0;
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? '';
    if (character === '\n') {
      index++;
      if (!lineEnds(text, index, start, wrapped)) continue;
    } else if (terminators.has(character)) {
      const stop = readStop(text, index);
      const ends = endsSentence(text, stop, start, small);
      index = ends ? stop.closed : stop.end;
      if (!ends) continue;
    } else {
      index++;
      continue;
    }
    push(sentences, text, start, index);
    start = index;
  }
  push(sentences, text, start, text.length);
  return isTypedWithoutStops(sentences) ? sentences.flatMap(partsOfLong) : sentences;
}

function push(sentences: Sentence[], text: string, from: number, to: number): void {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  if (end > start) sentences.push({ start, end, text: text.slice(start, end) });
}

/**
 * A text of more than `mean` words a stop was typed without stops: its sentences of more than `most` words are read in parts of about
 * `part` words. A part ends behind a mark at most four words away, or else before a word that may begin a sentence.
 */
const STOPLESS = { mean: 36, most: 24, part: 13 } as const;
/** Steps from a word to those beside it, the nearest first. */
const NEAREST = [0, 1, -1, 2, -2, 3, -3, 4, -4];
/** Lines of fewer words are headings or items, which need no stop. */
const LEAST_STOPPED = 12;

const wordsOf = (text: string) => text.match(/\S+/g)?.length ?? 0;

/** Whether so few stops are in a text that they were left out. One stop more than there are is granted: a sentence of a claim, or the end of a text. */
function isTypedWithoutStops(sentences: readonly Sentence[]): boolean {
  let [words, stops] = [0, 0];
  for (const { text } of sentences) {
    const own = wordsOf(text);
    words += own;
    if (own < LEAST_STOPPED || /[.!?…。！？]["'”’»)\]}›]*$/.test(text)) stops++;
  }
  return words > STOPLESS.mean * (stops + 1);
}

/** The parts of a long sentence, of about equal length; an ordinary one is one part. */
function partsOfLong(sentence: Sentence): Sentence[] {
  const words = [...sentence.text.matchAll(/\S+/g)];
  if (words.length <= STOPLESS.most) return [sentence];
  const count = Math.round(words.length / STOPLESS.part);
  const cuts = Array.from({ length: count - 1 }, (_, at) =>
    bestCut(words, ((at + 1) * words.length) / count),
  );
  return [0, ...cuts].map((from, at) => {
    const text = sentence.text.slice(from, cuts[at]).trimEnd();
    const start = sentence.start + from;
    return { start, end: start + text.length, text };
  });
}

/** Where to cut near a word: before the nearest one behind a mark, or that may begin a sentence, or before itself. */
function bestCut(words: readonly RegExpExecArray[], place: number): number {
  const middle = Math.round(place);
  const near = NEAREST.map((step) => middle + step);
  const behindMark = near.find((at) => /[,;:–—)]$/.test(words[at - 1]?.[0] ?? ''));
  const beforeStarter = near.find((at) => starters.has((words[at]?.[0] ?? '').toLowerCase()));
  return words[behindMark ?? beforeStarter ?? middle]?.index ?? 0;
}

/** Whether the line break before `next` ends a sentence; in text wrapped by hand most do not. */
function lineEnds(text: string, next: number, start: number, wrapped: boolean): boolean {
  if (!wrapped) return true;
  const following = text.slice(next, next + 12);
  const lineStart = Math.max(start, text.lastIndexOf('\n', next - 2) + 1);
  return (
    /^[ \t\r]*(?:\n|$)/.test(following) || next - lineStart < WRAP.shortest / 2 || bullet.test(following)
  );
}

function isHardWrapped(text: string): boolean {
  let lines = 0;
  let middling = 0;
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (end - start > WRAP.longest + 2) return false;
    const line = text.slice(start, end).trim();
    if (line !== '') lines++;
    if (line.length >= WRAP.shortest && !/[.!?…:"”]$/.test(line)) middling++;
    start = end + 1;
  }
  return lines >= WRAP.leastLines && middling / lines >= WRAP.share;
}

/** A run of terminators: where it starts and ends, and where the quotes and brackets closing after it end. */
interface Stop {
  start: number;
  end: number;
  closed: number;
}

function readStop(text: string, start: number): Stop {
  let end = start + 1;
  while (terminators.has(text[end] ?? '')) end++;
  let closed = end;
  while (closers.has(text[closed] ?? '')) closed++;
  return { start, end, closed };
}

function endsSentence(text: string, stop: Stop, start: number, small: boolean): boolean {
  if (wideTerminators.has(text[stop.end - 1] ?? '')) return true;
  if (stop.closed >= text.length) return true;
  if (!isSpace(text.charCodeAt(stop.closed))) return false;
  const next = nextVisible(text, stop.closed);
  if (next >= text.length) return true;
  const unit = text.charCodeAt(next);
  const run = text.slice(stop.start, stop.end);
  if (small && isLowerCase(unit))
    return stop.closed === stop.end && !isPause(run) && !abbreviates(text, stop, start, next);
  if (run !== '.') return !isLowerCase(unit) && !(stop.closed === stop.end && unit === 0x2c);
  if (isLowerCase(unit) || unit === 0x2c) return false;
  return !abbreviates(text, stop, start, next);
}

/** Several full stops may be a pause in the middle of a sentence. */
const isPause = (run: string) => /^(?:\.{2,}|…+)$/.test(run);

/** So many small beginnings show how a text is typed, whatever it begins with. */
const SMALL_BEGINNINGS = 3;

/** Whether sentences begin with small letters, as chats are typed: most letters behind a stop that abbreviates nothing are small. */
function beginsSmall(text: string): boolean {
  let [small, large] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    if (!terminators.has(text[index] ?? '')) continue;
    const stop = readStop(text, index);
    index = stop.closed - 1;
    if (isPause(text.slice(stop.start, stop.end)) || !isSpace(text.charCodeAt(stop.closed))) continue;
    const next = nextVisible(text, stop.closed);
    const unit = text.charCodeAt(next);
    if (next >= text.length || !isLetter(unit)) continue;
    if (abbreviates(text, stop, Math.max(0, stop.start - LONGEST_TOKEN), next)) continue;
    if (isLowerCase(unit)) small++;
    else large++;
  }
  const first = text.charCodeAt(text.search(/\p{L}/u));
  return small > large && (small >= SMALL_BEGINNINGS || isLowerCase(first));
}

/** First visible character after white space; it looks past an opening quote, bracket or dash. */
function nextVisible(text: string, from: number): number {
  let index = from;
  while (index < text.length && isSpace(text.charCodeAt(index))) {
    if (text.charCodeAt(index) === 10) return text.length;
    index++;
  }
  while (openers.has(text[index] ?? '')) index++;
  return index;
}

/** Whether a single full stop belongs to an abbreviation, an initial or a list number, and the sentence goes on. */
function abbreviates(text: string, stop: Stop, start: number, next: number): boolean {
  const token = tokenBefore(text, stop.start, start);
  const lower = token.toLowerCase();
  if (oftenFinal.has(lower)) return false;
  if (beforeName.has(lower)) return true;
  if (beforeNumber.has(lower) && isDigit(text.charCodeAt(next))) return true;
  if (/^\d{1,3}$/.test(token)) return text.slice(start, stop.start).trim() === token;
  const initial = isInitial(token) && !isPronoun(text, token, stop.start);
  return (initial || beforeStarter.has(lower)) && !starters.has(wordAt(text, next));
}

/** One capital, a small consonant by itself ("j. k. rowling"), or letters with stops between them. */
function isInitial(token: string): boolean {
  return /^(?:\p{Lu}|[b-df-hj-np-tv-z]|(?:\p{L}\.)+\p{L})$/u.test(token);
}

/** Whether "I" is the English pronoun: it follows a word, and an initial follows a stop or nothing. */
function isPronoun(text: string, token: string, end: number): boolean {
  return token === 'I' && isLowerCase(text.charCodeAt(end - 3));
}

const LONGEST_TOKEN = 16;

/** The word, with inner stops and hyphens, that ends at the index; empty when it is too long to be an abbreviation. */
function tokenBefore(text: string, end: number, floor: number): string {
  let start = end;
  while (start > floor && end - start <= LONGEST_TOKEN && inToken(text, start - 1)) start--;
  return end - start > LONGEST_TOKEN ? '' : text.slice(start, end);
}

function inToken(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return isLetter(unit) || isDigit(unit) || unit === 0x2e || unit === 0x2d;
}

function wordAt(text: string, start: number): string {
  let end = start;
  while (end - start <= LONGEST_TOKEN && isLetter(text.charCodeAt(end))) end++;
  return text.slice(start, end).toLowerCase();
}
