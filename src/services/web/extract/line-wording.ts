import { ONE_DATE } from './date-text.ts';
import type { PageLine } from './page.ts';

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
/** Headings of what stands beside the main text. */
const COMPANION =
  /^(?:more\b|related|latest|recent|popular|trending|recommended|also\b|other\b|most\b|top \d|next\b|previous|comments?\b|\d+ (?:comments?|repl(?:y|ies)|comentarii|thoughts)|leave\b|join\b|about (?:the author|us)|share\b|newsletter|similar|you (?:may|might)|don.t miss|what.s (?:hot|next)|from (?:the web|around)|sponsored|customers? (?:also|reviews?)|alte\b|ultimele|articole\b|comentarii|recomand|despre (?:autor|noi)|din aceea[șş]i|cele mai|[șş]tiri|leia|veja|lire|mehr|weitere|ähnliche|más\b|otras?\b)/iu;
const REPLY =
  /^(?:reply|r[ăa]spunde(?:[țţt]i)?|responder|répondre|antworten|quote|like(?: \d+)?|report|permalink|log in to reply)$|\b(?:says|said|wrote|a spus|scrie)\s*:$|\b\d+ (?:minute?|hour|day|week|month|year|or[ăae]|zile?|luni)s? ago\b|^(?:joined|posts|likes|messages|member since)\b/iu;
const ADDRESS = /^(?:https?:\/\/|www\.)\S+$|^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*$/u;
const CUT =
  /(?:\.\.\.|…|\[…\]|\[\.\.\.\])["'”’»)\]]*(?: ?(?:read more|more|continue reading|cite[șş]te (?:mai mult|tot)))?$/iu;
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/;
const PRICE = /(?:[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|lei\b|ron\b|usd\b|eur\b|kr\b|zł))/iu;
/** Longest label, by-line, dateline or credit, in units. */
const LONGEST_LABEL = 120;
/** Longer lines are searched for words of invitation only this far. */
const SEARCHED = 400;

/** Letters and digits in lower case, single spaces between: what two spellings of a line have in common. */
export const plainWords = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A line of running text is at least this long, in units and words, and mostly not links. */
const PROSE = { units: 80, words: 8, linked: 0.4 };

/** What the wording of a line says, each 0 or 1. */
export interface LineWording {
  isProse: boolean;
  endsSentence: boolean;
  isLabel: boolean;
  isPointer: boolean;
  isInvitation: boolean;
  isRights: boolean;
  isCredit: boolean;
  isByline: boolean;
  isDateline: boolean;
  hasDate: boolean;
  hasPrice: boolean;
  /** It breaks off, as the first words of another page do. */
  isCut: boolean;
  isReply: boolean;
  isAddress: boolean;
  /** As a heading, it announces what is no main text. */
  isCompanion: boolean;
  words: number;
}

function wordCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf(' '); at !== -1; at = text.indexOf(' ', at + 1)) count++;
  return count;
}

/** Reads the wording of a line. */
export function wordingOf({ text, size, linked }: PageLine): LineWording {
  const isShort = text.length <= LONGEST_LABEL;
  const start = text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
  const endsSentence = SENTENCE_END.test(text.slice(-6));
  const words = wordCount(text);
  const date = isShort && /\d/.test(text) ? ONE_DATE.exec(text)?.[0] : undefined;
  const isDateline =
    isShort && !endsSentence && (date === undefined ? DATELINE.test(text) : text.length - date.length < 40);
  return {
    isProse: text.length >= PROSE.units && words >= PROSE.words && linked < size * PROSE.linked,
    endsSentence,
    isLabel: isShort && (LABEL.test(text) || READING_TIME.test(text)),
    isPointer: POINTER.test(start),
    isInvitation: INVITATION.test(start),
    isRights: RIGHTS.test(start),
    isCredit: isShort && !endsSentence && CREDIT.test(text),
    isByline: isShort && BYLINE.test(text),
    isDateline,
    hasDate: date !== undefined,
    hasPrice: isShort && PRICE.test(text),
    isCut: CUT.test(text.slice(-40)),
    isReply: isShort && REPLY.test(text),
    isAddress: ADDRESS.test(start),
    isCompanion: isShort && COMPANION.test(text),
    words,
  };
}
