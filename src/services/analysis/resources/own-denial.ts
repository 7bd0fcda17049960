import data from '../../../../data/wording/own-denial.json' with { type: 'json' };
import { fold } from '../../../text/folding.ts';
import { wordingOf } from '../wording.ts';

const wording = wordingOf(data);
const DENYING_START = wording('denying_start');
const DENYING_WHOLE = wording('denying_whole');
const GOES_ON = wording('goes_on');
const DENIED_GOOD = wording('denied_good');

const plain = (text: string) => fold(text, 'strip').text.trim();

/** Whether a sentence denies, by the words that it begins with, all that it goes on to name. */
export function isOwnDenial(sentence: string): boolean {
  const rest = DENYING_START.exec(plain(sentence))?.groups?.rest;
  return rest !== undefined && !GOES_ON.test(rest) && !DENIED_GOOD.test(rest);
}

/** Whether the words before a claim in its sentence are such a beginning, and the sentence is a denial as a whole. */
export function isDeniedBy(before: string, sentence: string): boolean {
  return DENYING_WHOLE.test(plain(before)) && isOwnDenial(sentence);
}
