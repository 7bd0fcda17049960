import { stripDiacritics } from './folding.ts';
import { wordsOf } from './words.ts';

/** Letters that a term keeps at least when its ending is taken off. */
const SHORTEST_STEM = 4;
/** Longer words are no words; they are cut. */
const LONGEST_TERM = 40;

/** Endings of English and Romanian words without diacritics, the longest first: forms of a word, and cognates, become one term. */
const ENDINGS = (
  'ations ation ating ated ings ing edly ies ied es ed ly s y ' +
  'atiilor atiile atiei atiile atii atia area arii arilor arile urilor urile ului elor ilor iilor iile iei ele ile lor ' +
  'area are ata ate ati ind and ul ea ei ii le ia ie ua eaza eze ez at a e i u'
)
  .split(' ')
  .sort((one, other) => other.length - one.length);

/** Words that bind others and say nothing of a topic. Negations stay: they are rare enough, and they matter. */
const FUNCTION_WORDS = new Set(
  (
    'the a an this that these those of in on at to for from by with and or but as is are was were be been being it its he she they ' +
    'them his her their we our you your i me my has have had do does did will would can could may might shall should there here ' +
    'what which who whom whose when where why how than then so if about into over under after before between also just more most ' +
    'some any all such own same too very s t re ve ll d ' +
    'un o unei unui unor cel cea cei cele al ai ale lui ei lor pe la de din in cu si sau dar iar ca care ce cine cui cum cand unde ' +
    'este e sunt era erau fi fost fiind am ai are avem aveti au aveau va vor voi vom ar as se sa s l le il ii i m te ne va imi iti isi ' +
    'acest aceasta acesta acestei acestui acesti aceste acel acea acei acele prin pentru despre dupa inainte intre spre pana mai ' +
    'foarte tot toate toti toata asa atat cat decat doar chiar si-a intr dintr printr a'
  ).split(' '),
);

/** A number without the marks between its thousands, and with a point before its fraction. */
function plainNumber(word: string): string {
  if (/^\d{1,3}([.,]\d{3})+$/.test(word)) return word.replace(/[.,]/g, '');
  return word.replaceAll(',', '.').replace(/[^\p{L}\p{N}.]/gu, '');
}

/** The term of a word: folded, and without its ending. */
function termOf(word: string): string {
  if (/^\d/.test(word)) return plainNumber(word).slice(0, LONGEST_TERM);
  const folded = stripDiacritics(word.toLowerCase())
    .replace(/['’].*$/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
  const ending = ENDINGS.find((end) => folded.endsWith(end) && folded.length - end.length >= SHORTEST_STEM);
  return (ending === undefined ? folded : folded.slice(0, -ending.length)).slice(0, LONGEST_TERM);
}

/**
 * The words of a text as a lexical index keeps them: lower case, no diacritics (so that Romanian typed without them is the
 * same), no endings, no function words. In reading order, repeated as often as they stand there.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text)
    .map((word) => stripDiacritics(word.text.toLowerCase()))
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(termOf)
    .filter((term) => term !== '');
}
