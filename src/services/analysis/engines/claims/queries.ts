import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { isUpperCase } from '../../../../text/characters.ts';
import { stripDiacritics } from '../../../../text/folding.ts';
import { wordsOf } from '../../../../text/words.ts';
import type { ClaimType } from './types.ts';

/** Words that say nothing about the subject of a claim, without diacritics. */
const emptyWords = new Set(
  (
    'a an the of to in on at by for with from as and or but if is are was were be been being has have had do does did not no it its this that these those ' +
    'he she they we you i his her their our your my me him them us who which what when where how than then there here so very just also more most some any ' +
    'will would can could should may might must said says told according about into over after before between during while because ' +
    'un o al ai ale cel cea cei cele de la in pe cu din pentru prin sau si dar iar daca este e sunt era erau fi fost a au am ati ar nu ca sa se s si-a isi lor lui ei ' +
    'el ea noi voi eu tu care ce cand unde cum mai foarte tot toti toate acest aceasta acesta aceste acesti asta asa doar chiar inca va vor vom dupa inainte intre ' +
    'fata spus declarat anuntat potrivit conform sustine catre despre fara sub peste dintre intr dintr l i n m'
  ).split(' '),
);

/** Search engines weigh the first words most; more than this many only narrow the results to nothing. */
const MOST_WORDS = 10;
const MOST_KEY_WORDS = 6;

/** What official sources are called, per kind of claim and language. */
const sourceWords: Partial<Record<ClaimType, LocalizedText>> = {
  statistical: { en: 'official statistics', ro: 'statistici oficiale' },
  scientific_health: { en: 'study', ro: 'studiu' },
  legal_policy: { en: 'law text', ro: 'text lege' },
  quotation: { en: 'statement transcript', ro: 'declarație' },
};

/** So many of the words, in their order: the numbers and names before the others. */
function firstWords(
  content: readonly string[],
  isKey: (word: string, index: number) => boolean,
  most: number,
) {
  const places = [...content.keys()].toSorted(
    (one, other) =>
      Number(isKey(content[other] ?? '', other)) - Number(isKey(content[one] ?? '', one)) || one - other,
  );
  const kept = new Set(places.slice(0, most));
  return content.filter((_, place) => kept.has(place)).join(' ');
}

/** Two or three search queries for a claim: its content words, its names and numbers, and a look for fact-checks. */
export function queriesOf(claim: string, type: ClaimType, language: string): string[] {
  const content = wordsOf(claim)
    .map((word) => word.text)
    .filter((word) => word.length > 1 || /\d/.test(word))
    .filter((word) => !emptyWords.has(stripDiacritics(word).toLowerCase()));
  if (content.length === 0) return [];
  const romanian = language === 'ro';
  const isKey = (word: string, index: number) =>
    /\d/.test(word) || (index > 0 && isUpperCase(word.charCodeAt(0)));
  const keys = content.filter(isKey);
  const key = (keys.length >= 2 ? keys : content).slice(0, MOST_KEY_WORDS).join(' ');
  const source = sourceWords[type];
  const queries = [
    firstWords(content, isKey, MOST_WORDS),
    `${key} ${romanian ? 'verificare fapte' : 'fact check'}`,
  ];
  if (source)
    queries.push(`${firstWords(content, isKey, MOST_KEY_WORDS)} ${romanian ? source.ro : source.en}`);
  return [...new Set(queries)];
}
