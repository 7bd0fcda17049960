import type { EncoderLanguage } from '../encoder/encoder.ts';
import type { Gloss } from '../encoder/gloss.ts';
import type { Relations } from './relations.ts';
import { parseStatement, type Statement } from './statement.ts';
import { englishStem } from './stems.ts';

/** Names and terms that people say in several ways, and the way in which claims are compared. */
const PARAPHRASES: Readonly<Record<EncoderLanguage, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/\bcovid[- ]?19\b|\bsars[- ]?cov[- ]?2\b/gi, 'COVID'],
    // "a coronavirus" is any of its family.
    [/(?<!\b(?:a|an|another|other|this) )\bcoronavirus\b/gi, 'COVID'],
    [/\bcarbon dioxide\b/gi, 'CO2'],
    [/\bunited states(?: of america)?\b|\bU\.S\.(?:A\.)?|\bUSA\b/gi, 'America'],
    [/\beuropean union\b/gi, 'EU'],
  ],
  ro: [
    [/\bcovid[- ]?19\b|\bsars[- ]?cov[- ]?2\b/gi, 'COVID'],
    [/(?<!\b(?:un|alt|acest) )\bcoronavirus(?:ul|ului)?(?![\p{L}\d])/giu, 'COVID'],
    [/(?<!\p{L})dioxid(?:ul|ului)? de carbon(?!\p{L})/giu, 'CO2'],
    [/(?<!\p{L})statel(?:e|or) unite(?: ale americii)?(?!\p{L})|(?<!\p{L})SUA(?!\p{L})/giu, 'America'],
    [/(?<!\p{L})uniun(?:ea|ii) european(?:ă|a|e)(?!\p{L})/giu, 'UE'],
    // "dă" without its mark is "yes" as well, which never stands between two words of a sentence.
    [/(?<=\p{L} )d(?:ă|au|a)(?= \p{L})/giu, 'provoacă'],
  ],
};
/** "US" is a name among small letters; a text in capitals may mean "us". */
const STATES = /\bUS\b/g;

/** Words that say one thing in claims, though their first senses differ. */
const SAME_IN_CLAIMS = [
  'cause give',
  'cause provoke',
  'cause trigger',
  'vaccine shot',
  'vaccine jab',
  'shot jab',
]
  .map((pair) => pair.split(' ').map(englishStem))
  .flatMap(([one = '', other = '']) => [`${one} ${other}`, `${other} ${one}`]);
const SAME: ReadonlySet<string> = new Set(SAME_IN_CLAIMS);

/** Takes a claim apart as it is compared with others: of names and terms that are said in several ways one stands. */
export function parseClaim(text: string, language: EncoderLanguage, gloss: Gloss): Statement {
  const named = language === 'en' && /\p{Ll}/u.test(text) ? text.replace(STATES, 'America') : text;
  const normalised = PARAPHRASES[language].reduce(
    (all, [pattern, name]) => all.replace(pattern, name),
    named,
  );
  return parseStatement(normalised, language, gloss);
}

/** The relations of words, and those that hold in claims. */
export function relationsInClaims(relations: Relations): Relations {
  return {
    isSame: (one, other) => SAME.has(`${one} ${other}`) || relations.isSame(one, other),
    isOpposite: relations.isOpposite,
  };
}
