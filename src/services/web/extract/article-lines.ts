import type { Line } from './blocks.ts';
import { ANY_DATE } from './date-text.ts';

/** What the page says of itself that its text need not repeat. */
export interface KnownFacts {
  title: string | null;
  author: string | null;
}

/** Lengths in characters, shares from 0 to 1; chosen on pages of two benchmarks, so that round numbers are enough. */
const LIMITS = {
  /** A line of running text is at least this long, and mostly not links. */
  prose: 80,
  proseWords: 8,
  proseLinked: 0.4,
  /** A line that is nothing but links. */
  allLinks: 0.9,
  /** Longest link that may be a heading or an entry of the story's own. */
  shortLink: 25,
  /** Link lines in a row that make a list of links. */
  linkRun: 3,
  /** Shorter text without a full stop, before or after the story, is a heading, a name or a section. */
  stub: 40,
  /** Longest label, by-line, dateline or credit. */
  label: 120,
  /** Share of running text from which on a page is an article, and not a list or a catalogue. */
  articleShare: 0.65,
} as const;

const LABEL =
  /^(?:advert(?:isement|ising)?s?|(?:story |article )?continues? (?:reading )?below(?: advertisement)?|comments?|\d+ comments?|share(?: this)?(?: article| story| page)?|print|email|tweet|pin it|like this|loading|skip to (?:main )?content|read more|more|see more|related(?: articles| stories| news| posts| topics| content)?|recommended|trending|most (?:read|popular)|recent (?:articles|posts)|popular this week|don.t miss|you (?:may|might) also like|tags?|sign (?:in|up)|log ?in|subscribe|follow us|home|news|this slideshow requires javascript|publicitate|reclam[ăa]|comentarii|distribuie|share pe facebook|cite[șş]te (?:[șş]i|mai mult)|vezi [șş]i|recomand[ăa]ri|articole (?:similare|recomandate)|cele mai citite|etichete|werbung|anzeige|publicidad|publicité|iklan)\s*[.:…!]*$/iu;
const POINTER =
  /^(?:\[?(?:read|see|watch)(?: also| more| next| too)\b|also read|also (?:on|see)\b|also:|more:|related(?: post| story| article)?s?:|\[related|don.t miss|must read|editor.s (?:note|pick)|cite[șş]te (?:[șş]i|mai mult|aici)|citi[țţt]i [șş]i|vezi [șş]i|vede[țţt]i [șş]i|recomand[ăa]ri?:|lire aussi|à lire|lesen sie auch|leia (?:também|mais)|lee también|leggi anche)/iu;
const INVITATION =
  /\b(?:sign up (?:for|to|here)|subscribe (?:to|now|here|for|today)|newsletter|follow (?:us|me|him|her|them|@|\S+ on (?:twitter|facebook|instagram))|like us on|join (?:us|our)|click here (?:to|for)|download (?:our|the) app|get the latest|have a tip|share (?:it|this) with|tell us what|post a? ?comment|leave a (?:comment|reply)|abona[țţt]i-v[ăa]|aboneaz[ăa]-te|urm[ăa]re[șş]te-ne|urm[ăa]ri[țţt]i-ne|descarc[ăa] aplica[țţt]ia|d[ăa]-ne (?:un )?like|las[ăa] un comentariu|inscreva-se|assine)\b/iu;
const RIGHTS =
  /(?:©|ⓒ|\(c\)\s*\d{4}|copyright\b|all rights reserved|toate drepturile (?:sunt )?rezervate|may not be (?:published|reproduced))/iu;
const CREDIT =
  /(?:getty images|shutterstock|\bAP photo\b|\bEPA\b|\breuters\/|\/\s?(?:afp|reuters|getty|ap)\b|image(?: credit)?:|image ©|photo(?:graph)?(?: by| credit|s?:)|photo courtesy|credit\s?\.{3}|credit:|file photo|picture:|foto(?:grafie)?\s?:|sursa foto|inquam photos|mediafax foto|agerpres foto)/iu;
const BYLINE =
  /^(?:by|de|von|par|por|written by|posted by|published by|reporting by|scris de|autor|author)\b\s*:?/iu;
const DATELINE =
  /^(?:\W*(?:published|posted|updated|modified|last updated|first published|publicat|actualizat|modificat|postat|mis à jour|aktualisiert|stand)\b|.{0,20}\b\d{1,2}[:.]\d{2}\b)/iu;
const READING_TIME = /^(?:tempo de leitura|reading time|timp de citire|citire)\b|^\d+ min(?:ute)?s? read$/iu;
const SENTENCE_END = /[.!?…]["'”’»)\]]*$/;

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const isProse = ({ text, linked }: Line) =>
  text.length >= LIMITS.prose &&
  linked < LIMITS.proseLinked &&
  text.split(' ').length >= LIMITS.proseWords &&
  !INVITATION.test(text);

/** A line with a date and little else. */
function isDateline(text: string): boolean {
  if (text.length > LIMITS.label) return false;
  const rest = text.replace(ANY_DATE, '');
  return rest !== text
    ? plain(rest).length < 40 && !SENTENCE_END.test(text)
    : DATELINE.test(text) && !SENTENCE_END.test(text);
}

const isCredit = ({ text }: Line) =>
  text.length <= LIMITS.label && CREDIT.test(text) && !/[.!?]["”]?$/.test(text);

/** Lines that are never part of an article, wherever they stand. */
function isBoilerplate(line: Line): boolean {
  const { text, linked } = line;
  if (LABEL.test(text) || READING_TIME.test(text)) return true;
  if (POINTER.test(text) && (linked > 0.3 || text.length < LIMITS.prose)) return true;
  if (text.length <= LIMITS.label && RIGHTS.test(text)) return true;
  // A paragraph that is one link leads to another story.
  if (linked > LIMITS.allLinks && text.length > LIMITS.shortLink) return true;
  return isCredit(line);
}

/** Lines before the story: by-line, date, section, the title once more. */
function isOpening(line: Line, known: KnownFacts): boolean {
  const { text, linked, tag } = line;
  if (text.length > LIMITS.label) return false;
  const words = plain(text);
  if (words === '' || words === plain(known.title ?? '') || words === plain(known.author ?? '')) return true;
  if (isDateline(text) || BYLINE.test(text) || linked > LIMITS.allLinks) return true;
  return !/^h[2-6]$/.test(tag) && text.length < LIMITS.stub && !SENTENCE_END.test(text);
}

/** Lines after the story: invitations, links, rights, comment boxes. */
function isClosing(line: Line, known: KnownFacts): boolean {
  const { text, linked, tag } = line;
  if (INVITATION.test(text) || RIGHTS.test(text) || linked > 0.6) return true;
  if (isDateline(text) || BYLINE.test(text) || isBiography(text, known)) return true;
  return tag !== 'li' && tag !== 'td' && text.length < LIMITS.stub && !SENTENCE_END.test(text);
}

/** "Ana Ionescu is a reporter for ..." */
function isBiography(text: string, { author }: KnownFacts): boolean {
  const name = plain(author ?? '').split(' , ')[0] ?? '';
  return (
    name !== '' &&
    plain(text).startsWith(name) &&
    /\b(?:is|has|was|covers|writes|este|scrie|lucrează)\b/iu.test(text)
  );
}

/** Takes out rows of links, which lead to other pages. */
function withoutLinkRuns(lines: Line[]): Line[] {
  const isLink = (line: Line | undefined) => line !== undefined && line.linked > LIMITS.allLinks;
  return lines.filter((line, at) => {
    if (!isLink(line)) return true;
    let first = at;
    while (isLink(lines[first - 1])) first--;
    let last = at;
    while (isLink(lines[last + 1])) last++;
    return last - first + 1 < LIMITS.linkRun;
  });
}

/**
 * Takes what is not the story out of an article's lines: boilerplate anywhere, opening lines before the first running
 * text, closing lines after the last. Pages that are no articles (lists, catalogues) stay as they are.
 */
export function trimArticle(lines: Line[], known: KnownFacts): Line[] {
  const size = lines.reduce((sum, line) => sum + line.text.length, 0);
  const prose = lines.reduce((sum, line) => sum + (isProse(line) ? line.text.length : 0), 0);
  if (prose < size * LIMITS.articleShare) return lines;
  const kept = withoutLinkRuns(lines.filter((line) => !isBoilerplate(line)));
  const first = kept.findIndex(isProse);
  const last = kept.findLastIndex((line) => isProse(line) && !isBiography(line.text, known));
  return kept.filter((line, at) => {
    if (at < first) return !isOpening(line, known);
    return at <= last || !isClosing(line, known);
  });
}
