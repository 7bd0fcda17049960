import { type FoldedText, fold } from '../../../../text/folding.ts';
import { type Sentence, sentencesOf } from '../../../../text/sentences.ts';

/** A passage found by a rule, in UTF-16 indices of the text. */
export interface RulePassage {
  start: number;
  end: number;
}

/** A sentence with its folded form (lower case, plain quotes, no diacritics) and where it stands. */
export interface FoldedSentence extends Sentence {
  folded: FoldedText;
  /** Quotation marks before the sentence in its paragraph are odd: it begins inside somebody's words. */
  quoted: boolean;
  /** Place in the text: 0 is the first sentence; `fromEnd` 0 is the last. */
  index: number;
  fromEnd: number;
}

/** The sentences of a text, folded once for all the rules. */
export function foldedSentences(text: string): FoldedSentence[] {
  const sentences = sentencesOf(text);
  let end = 0;
  let marks = 0;
  return sentences.map((sentence, index) => {
    if (text.slice(end, sentence.start).includes('\n')) marks = 0;
    const quoted = marks % 2 === 1;
    const folded = fold(sentence.text, 'strip');
    marks += quoteMarks(folded.text);
    end = sentence.end;
    return { ...sentence, folded, quoted, index, fromEnd: sentences.length - 1 - index };
  });
}

/** Whether a place of the folded sentence lies inside quotation marks. */
export function isQuoted(sentence: FoldedSentence, at: number): boolean {
  return (quoteMarks(sentence.folded.text.slice(0, at)) % 2 === 1) !== sentence.quoted;
}

function quoteMarks(folded: string): number {
  return folded.split('"').length - 1;
}

/** The passage of the text behind a piece of the folded sentence. */
export function passageOf(sentence: FoldedSentence, start: number, length: number): RulePassage {
  return {
    start: sentence.start + sentence.folded.origin(start),
    end: sentence.start + sentence.folded.origin(start + length),
  };
}
