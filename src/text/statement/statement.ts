import type { EncoderLanguage } from '../encoder/encoder.ts';
import { foldGlossWord, type Gloss, glossWord, stemOf } from '../encoder/gloss.ts';
import { fold } from '../folding.ts';
import { wordsOf } from '../words.ts';
import { comparisonsOf, countNegations, cueOf, isNegation, type StatementCue } from './cues.ts';
import { type Quantity, quantitiesOf } from './quantities.ts';
import { englishStem } from './stems.ts';

/** A word that carries meaning, in the forms by which it is compared. */
export interface ContentWord {
  readonly folded: string;
  /** Forms without endings, English ones first (of a Romanian word those of its gloss); words that share one are the same word. */
  readonly stems: readonly string[];
  /** It follows a preposition that narrows a statement to some place or group: "in children", "la copii". */
  readonly isNarrowing: boolean;
}

/** A sentence parsed for comparison with another: content words, quantities and cues. */
export interface Statement {
  readonly language: EncoderLanguage;
  readonly words: readonly ContentWord[];
  readonly quantities: readonly Quantity[];
  readonly cues: ReadonlySet<StatementCue>;
  readonly negations: number;
  /** Whether the sentence is in the passive: "is caused by", "este provocat de". */
  readonly isPassive: boolean;
}

/** Words that bind or point and say nothing by themselves, folded. */
const BINDING: Readonly<Record<EncoderLanguage, ReadonlySet<string>>> = {
  en: new Set(
    `the a an this that these those it its he she they them their his her we our us you your i me my who whom whose which what
    there here is are was were be been being am do does did done doing has have had having of to in on at by for with as into onto
    about around than then so such too also very really actually and or but if while when where how why because though although
    up down out off over again further once same own more most get gets got getting make makes made making one ones s t
    re ve ll d m say says said claim claims claimed according fact true indeed simply even now thing things way
    would be per among within`.split(/\s+/),
  ),
  ro: new Set(
    `un o una unu niste al ai a ale cel cea cei cele lui ei lor acest aceasta aceste acesti acestea acel acea acele acei asta astea ala
    este e sunt era erau fi fost fiind am are au avea avem aveti avut as ar ati ori sau si iar dar insa ca sa se isi si-a in la pe cu de
    din pentru prin despre spre dupa intre care ce cine cum unde cand daca desi fiindca deoarece pentru mai foarte chiar tot si acum
    aici acolo el ea eu tu noi voi imi iti ii le il ne va vor mi ti i l s m n c face fac facut fapt adevarat spune spun spus lucru lucruri printre
    decat atat asa astfel numit numita doar tocmai intr dintr printr suntem sunteti`.split(/\s+/),
  ),
};

/** Letters that words of two languages must share at the beginning, and the share of the longer one, to be taken for one word. */
const COGNATE = { letters: 5, share: 0.7 };

/** Prepositions that narrow, folded, and the articles that may stand between. */
const NARROWING: Readonly<Record<EncoderLanguage, ReadonlySet<string>>> = {
  en: new Set(['in', 'among', 'at', 'within']),
  ro: new Set(['in', 'la', 'printre']),
};
const ARTICLES: ReadonlySet<string> = new Set(['the', 'a', 'an', 'our', 'your', 'un', 'o', 'niste']);

function narrows(before: readonly string[], language: EncoderLanguage): boolean {
  const last = before.findLast((word) => !ARTICLES.has(word));
  return last !== undefined && NARROWING[language].has(last);
}

function contentWord(
  folded: string,
  isNarrowing: boolean,
  language: EncoderLanguage,
  gloss: Gloss,
): ContentWord {
  if (language === 'en') return { folded, isNarrowing, stems: [englishStem(folded)] };
  const english = (glossWord(gloss, folded) ?? folded)
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '' && !BINDING.en.has(word));
  return { folded, isNarrowing, stems: [...english.map(englishStem), `ro:${stemOf(folded)}`] };
}

/** "is caused by", "este provocat de": a form of "to be", a participle, and who did it. */
const PASSIVE: Readonly<Record<EncoderLanguage, RegExp>> = {
  en: /\b(?:is|are|was|were|be|been|being) (?:\w+ly )?\w+ by\b/,
  ro: /\b(?:este|e|sunt|fost|fi) \w+ de\b|\bde catre\b/,
};

/** Whether a word is written as an acronym in a text that is not all capitals: "US" and "WHO" are names, "us" and "who" are not. */
function isAcronym(word: string, text: string): boolean {
  return /^\p{Lu}{2,}$/u.test(word) && /\p{Ll}/u.test(text);
}

/** Parses a sentence. Offsets of its quantities point into the folded text. */
export function parseStatement(text: string, language: EncoderLanguage, gloss: Gloss): Statement {
  const { text: plain, origin } = fold(text, 'strip');
  const quantities = quantitiesOf(plain, language);
  const inQuantity = (start: number) => quantities.some((one) => start >= one.start && start < one.end);
  const tokens = wordsOf(plain).map((word) => ({
    ...word,
    folded: foldGlossWord(word.text).replaceAll("'", ''),
    isName: isAcronym(text.slice(origin(word.start), origin(word.end - 1) + 1), text),
  }));
  const folded = tokens.map((word) => word.folded);
  const cues = tokens.flatMap(({ folded: word, isName, start }) =>
    isName || inQuantity(start) ? [] : (cueOf(word, language) ?? []),
  );
  const words = tokens
    .map((word, place) => ({ ...word, before: folded.slice(Math.max(0, place - 2), place) }))
    .filter(({ start, folded: word, isName }) => {
      if (isName) return !inQuantity(start);
      const isMark = cueOf(word, language) !== undefined || isNegation(word, language);
      return !inQuantity(start) && !isMark && !BINDING[language].has(word) && /\p{L}|\d/u.test(word);
    })
    .map((word) => contentWord(word.folded, narrows(word.before, language), language, gloss));
  // "n-a" is "nu a".
  const whole = folded.map((word) => (language === 'ro' && word === 'n' ? 'nu' : word));
  return {
    language,
    words,
    quantities,
    cues: new Set([...cues, ...(language === 'ro' ? comparisonsOf(folded) : [])]),
    negations: countNegations(whole, language),
    isPassive: PASSIVE[language].test(plain),
  };
}

/** Whether words of two languages look like one word: "autism" and "autismul". */
function areCognates(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared++;
  return shared >= COGNATE.letters && shared >= COGNATE.share * Math.max(one.length, other.length);
}

/** Whether two content words may stand for each other. */
export function areAlike(
  one: ContentWord,
  other: ContentWord,
  isSame: (a: string, b: string) => boolean,
): boolean {
  if (one.stems.some((key) => other.stems.includes(key))) return true;
  if (one.stems.some((a) => other.stems.some((b) => isSame(a, b)))) return true;
  return areCognates(one.folded, other.folded);
}
