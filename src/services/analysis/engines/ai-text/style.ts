import data from '../../../../../data/wording/style.json' with { type: 'json' };
import { countWords } from '../../../../text/words.ts';
import { wordingOf } from '../../wording.ts';
import type { FoldedSentence, RulePassage } from './passages.ts';

/** A weak sign of style: context for a reader, which never moves the verdict. */
export interface StyleSign {
  code: 'stock_connectors' | 'uniform_paragraph_structure' | 'generic_detail' | 'diacritic_inconsistency_ro';
  /** The measured value: a rate, a spread or a count, as the explanation of the code says. */
  value: number;
  where: RulePassage | null;
}

const CONNECTORS = wordingOf(data)('connectors', 'g');

/** Least words for a rate to mean anything, and the values from which a sign is shown; set well above plain news. */
const LIMITS = {
  words: 150,
  connectorsPer100Words: 1.5,
  paragraphs: 5,
  paragraphSpread: 0.12,
  paragraphWords: 30,
  genericWords: 200,
  romanianShare: 0.03,
  mixedLetters: 3,
} as const;

/** Weak signs of style in the text; `language` is its ISO 639-1 code. */
export function findStyleSigns(
  text: string,
  sentences: readonly FoldedSentence[],
  language: string,
): StyleSign[] {
  const words = countWords(text);
  const signs = [
    words >= LIMITS.words ? stockConnectors(sentences, words) : undefined,
    words >= LIMITS.words ? uniformParagraphs(text) : undefined,
    words >= LIMITS.genericWords ? genericDetail(text) : undefined,
    language === 'ro' ? mixedDiacritics(text, sentences) : undefined,
  ];
  return signs.filter((sign) => sign !== undefined);
}

function stockConnectors(sentences: readonly FoldedSentence[], words: number): StyleSign | undefined {
  const count = sentences.reduce(
    (sum, sentence) => sum + (sentence.folded.text.match(CONNECTORS)?.length ?? 0),
    0,
  );
  const rate = (count / words) * 100;
  return rate >= LIMITS.connectorsPer100Words
    ? { code: 'stock_connectors', value: rate, where: null }
    : undefined;
}

/** Paragraphs of nearly one length: standard deviation over mean of their word counts. */
function uniformParagraphs(text: string): StyleSign | undefined {
  const lengths = text
    .split(/\n+/)
    .map(countWords)
    .filter((length) => length >= LIMITS.paragraphWords);
  if (lengths.length < LIMITS.paragraphs) return undefined;
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const variance = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length;
  const spread = Math.sqrt(variance) / mean;
  return spread <= LIMITS.paragraphSpread
    ? { code: 'uniform_paragraph_structure', value: spread, where: null }
    : undefined;
}

/** No digit and no name inside any sentence. */
function genericDetail(text: string): StyleSign | undefined {
  const particular = /\d|[\p{Ll},] \p{Lu}\p{Ll}/u;
  return particular.test(text) ? undefined : { code: 'generic_detail', value: countWords(text), where: null };
}

/** Both forms of ș and ț in one text, or some sentences with diacritics and others without any. */
function mixedDiacritics(text: string, sentences: readonly FoldedSentence[]): StyleSign | undefined {
  const cedilla = text.match(/[şţŞŢ]/g)?.length ?? 0;
  const comma = text.match(/[șțȘȚ]/g)?.length ?? 0;
  const least = Math.min(cedilla, comma);
  if (least >= LIMITS.mixedLetters) return { code: 'diacritic_inconsistency_ro', value: least, where: null };
  const long = sentences.filter((sentence) => sentence.text.length >= 80);
  const bare = long.filter((sentence) => !/[ăâîșțşţ]/i.test(sentence.text)).length;
  const rich = long.filter((sentence) => diacriticShare(sentence.text) >= LIMITS.romanianShare).length;
  const mixed = Math.min(bare, rich);
  return mixed >= LIMITS.mixedLetters
    ? { code: 'diacritic_inconsistency_ro', value: mixed, where: null }
    : undefined;
}

function diacriticShare(text: string): number {
  return (text.match(/[ăâîșțşţ]/gi)?.length ?? 0) / text.length;
}
