import { fold } from '../../../text/folding.ts';

/** Words that open a sentence by denying what follows them, over folded text. */
const LEAD_IN =
  "(?:(?:no|nope|well|so|and|but|of course|sorry|nu|pai|si|dar|deci|sigur)[\\s,.!]+)*(?:(?:it is|it's) (?:simply |just |also )?(?:not true|false|untrue|not the case|a myth|a lie|nonsense)|it isn't (?:true|the case)|there(?: is|'s) (?:no|not any) (?:evidence|proof)|nu (?:este|e) (?:deloc |cu nimic )?adevarat|nu-i adevarat|(?:este|e) (?:fals|un mit|o minciuna|o prostie)|nu exista (?:nicio dovada|dovezi)|nu e nicio dovada)(?: at all| whatsoever| deloc)?,? (?:that|ca|cum ca|precum ca)";

const DENYING_START = new RegExp(`^[^a-z0-9]*${LEAD_IN}\\s+(.+)$`, 's');
const DENYING_WHOLE = new RegExp(`^[^a-z0-9]*${LEAD_IN}[\\s,:"]*$`, 's');

/** What goes on after the denial, so that the sentence states something else, too. */
const GOES_ON =
  /[;:]|\s-\s|\b(?:but|yet|however|instead|actually|the truth|in fact|dar|insa|ci|totusi|in schimb|de fapt|adevarul)\b|,\s*(?:they|it|he|she|we|you|i|ele|ei|el|ea|noi)\b/;

/** Who denies something good, or a denial, states a claim: "It is not true that vaccines are safe". */
const DENIED_GOOD =
  /\b(?:not|no|never|nobody|nothing|\w+n't|safe\w*|effective\w*|harmless|protect\w*|helps?|helped|works?|worked|saves?|saved|heals?|useful|proven|tested|true|real|nu|nimeni|nimic|niciun|nicio|niciodata|sigur\w*|eficien\w*|inofensiv\w*|protej\w*|ajuta\w*|functionea\w*|salvea\w*|vindec\w*|util\w*|dovedit\w*|testat\w*|adevarat\w*|real\w*)\b/;

const plain = (text: string) => fold(text, 'strip').text.trim();

/** Whether a sentence denies, by the words that it begins with, all that it goes on to name. */
export function isOwnDenial(sentence: string): boolean {
  const rest = DENYING_START.exec(plain(sentence))?.[1];
  return rest !== undefined && !GOES_ON.test(rest) && !DENIED_GOOD.test(rest);
}

/** Whether the words before a claim in its sentence are such a beginning, and the sentence is a denial as a whole. */
export function isDeniedBy(before: string, sentence: string): boolean {
  return DENYING_WHOLE.test(plain(before)) && isOwnDenial(sentence);
}
