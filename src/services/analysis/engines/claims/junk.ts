import type { Sentence } from '../../../../text/sentences.ts';
import type { ClaimText } from './cues.ts';

/** A sentence of a text in the forms that rules read. */
export interface ClaimSentence {
  readonly sentence: Sentence;
  readonly text: ClaimText;
}

/** Who wrote, took or published something, and when; folded without diacritics. */
const byline =
  /^(?:by|de|text|foto|photos?|video|credits?|image|imagine|sursa(?: foto)?|source|autor|author|editor|redact\w*|written by|scris de|publicat(?: la| pe)?|posted|published|updated|last (?:updated|modified)|actualizat|data|share|reporting by|editing by|additional reporting|traducere[a]?|photograph(?:y|s)? by|getty|reuters|afp|mediafax|agerpres|inquam)\b[\s:|,./-]*/;
/** What a byline holds beside names: dates, times, agencies. */
const dateOnly =
  /^[\W\d]*(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ian|iun|iul|noi)\w*|mon\w*|tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*|luni|marti|miercuri|joi|vineri|sambata|duminica|am|pm|est|gmt|utc|ora|at|la|on|pe|min|read|ago|hours?|days?|acum|ore|zile|de)?(?:[\W\d]+(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ian|iun|iul|noi)\w*|am|pm|est|gmt|utc|ora|at|la|on|pe|min|read|ago|hours?|days?|acum|ore|zile|de))*[\W\d]*$/;
/** Counts that a platform puts beside a post. */
const counts =
  /(?:^|\s)[\d.,]+\s?(?:k|m|mii|mil)?\.?\s?(?:likes?|views?|shares?|comments?|retweets?|reposts?|replies|followers|subscribers|reactions|aprecieri|vizualizari|distribuiri|comentarii|urmaritori|abonati|reactii|raspunsuri)\b/g;
/** Sends the reader elsewhere on the page. */
const teaser =
  /^(?:[\W_]*)(?:read (?:more|also|next|the full)|see also|also read|related(?: articles?| stories)?\s*:|more (?:on|from|about) this|watch(?: also| now| live)?\s*:|click (?:here|to)|tap (?:here|to)|continue reading|recommended|trending|most read|sign up|subscribe|follow us|join (?:our|us)|support our|donate|download (?:the|our) app|share this|advertisement|sponsored|story continues|citeste (?:si|mai mult|continuarea|intreg)|cititi (?:si|mai mult|continuarea)|vezi (?:si|aici|galeria)|vedeti (?:si|aici)|afla (?:mai multe|aici)|recomandari|recomandate|cele mai citite|pe acelasi subiect|articole similare|aboneaza-te|abonati-va|urmareste-ne|urmariti-ne|da click|click aici|apasa aici|doneaza|inscrie-te|publicitate|advertorial|sponsorizat|articolul continua)/;
/** Furniture of pages and of the law of pages. */
const furniture =
  /(?:all rights reserved|toate drepturile rezervate|copyright|©|terms of (?:use|service)|termeni si conditii|privacy policy|politica de confidentialitate|cookies?\b.{0,60}\b(?:accept|site|polic|folosi)|(?:accept|folosi|use)\w*.{0,40}\bcookie|your browser|javascript|newsletter\b.{0,40}\b(?:inbox|email|abon)|image caption|media caption|file photo|foto arhiva|getty images|shutterstock|enter your email|contributed to this (?:report|article|story)|a contribuit la acest|^file [-–—]|^photo(?:s)? (?:via|by|courtesy)|^user from |fair use\))/;
/** An address, a handle, a hashtag or an e-mail. */
const address =
  /(?:https?:\/\/|www\.)\S+|[\w.+-]+@[\w-]+\.\w+|(?<![\w])[@#][\w.]+|\b[\w-]+\.(?:com|org|net|ro|md|info|eu)\/\S*/gu;

/** Share of a line that addresses may take before it counts as junk. */
const MOST_ADDRESS = 0.5;
/** Words that a line of names may have, and that a menu's entry has at most. */
const BYLINE_WORDS = 14;

/** Whether a line is furniture of a page: bylines, counts, bare addresses, teasers, menus. */
export function isJunk({ original, plain }: ClaimText): boolean {
  if (teaser.test(plain) || furniture.test(plain)) return true;
  const addresses = (plain.match(address) ?? []).join('').length;
  if (addresses > MOST_ADDRESS * plain.replace(/\s/g, '').length) return true;
  const rest = plain.replace(counts, '');
  if (rest !== plain && (dateOnly.test(rest) || !/[a-z]{3,}/.test(rest))) return true;
  if ((plain.match(counts)?.length ?? 0) > 1 && plain.split(/\s+/).length < BYLINE_WORDS) return true;
  if (dateOnly.test(plain)) return true;
  return isByline(original, plain) || isMenu(original) || isTagList(original);
}

/** A line that begins like a byline and holds, apart from dates, only names. */
function isByline(original: string, plain: string): boolean {
  const begun = byline.exec(plain);
  if (begun === null || /[.!?]["”»)]?$/.test(original.trim()) || plain.split(/\s+/).length > BYLINE_WORDS)
    return false;
  const rest = [...original.matchAll(/\p{L}[\p{L}.'-]*/gu)].slice(begun[0].trim().split(/\s+/).length);
  const small = rest.filter(([word]) => /^\p{Ll}/u.test(word) && word.length > 3);
  return small.length <= 2;
}

/** Entries set apart by bars or dots, none of them a sentence. */
function isMenu(original: string): boolean {
  const entries = original.split(/\s+[|•·»›–]\s+/u);
  return entries.length >= 3 && entries.every((entry) => entry.split(/\s+/).length <= 5);
}

/** Words that a list of tags has at least, and the share of them that begins with a capital or a digit. */
const TAGS = { words: 10, capitals: 0.85 };

/** A run of names and subjects without an end: the tags of a page. */
function isTagList(original: string): boolean {
  const words = original.trim().split(/\s+/);
  if (words.length < TAGS.words || /[.!?]["”»)]?$/.test(original.trim())) return false;
  return words.filter((word) => /^[\p{Lu}\d]/u.test(word)).length >= TAGS.capitals * words.length;
}

const inner = (plain: string) =>
  plain
    .replace(/[^a-z0-9 ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Words that a line needs to be known again inside another one. */
const QUOTE_WORDS = 5;

/** Sentences without furniture, and without those that the text says again in a longer one, as pull quotes do. */
export function withoutJunk(sentences: readonly ClaimSentence[]): ClaimSentence[] {
  const kept = sentences.filter(({ text }) => !isJunk(text));
  const plains = kept.map(({ text }) => ` ${inner(text.plain)} `);
  const seen = new Set<string>();
  const firstWords = new Map<string, number[]>();
  for (const [at, plain] of plains.entries()) {
    const words = plain.trim().split(' ');
    for (let from = 0; from + 2 < words.length; from++) {
      const key = words.slice(from, from + 3).join(' ');
      const list = firstWords.get(key);
      if (list === undefined) firstWords.set(key, [at]);
      else if (list.at(-1) !== at) list.push(at);
    }
  }
  return kept.filter((_, at) => {
    const plain = plains[at] ?? '';
    if (seen.has(plain)) return false;
    seen.add(plain);
    const words = plain.trim().split(' ');
    if (words.length < QUOTE_WORDS) return true;
    const others = firstWords.get(words.slice(0, 3).join(' ')) ?? [];
    return !others.some((other) => {
      const whole = plains[other] ?? '';
      return other !== at && whole.length > plain.length && whole.includes(plain);
    });
  });
}
