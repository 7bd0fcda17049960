import data from '../../../../../data/context/narratives.json' with { type: 'json' };
import type { Sentence } from '../../../../text/sentences.ts';
import { type FoldedWord, type Phrase, PhraseIndex } from '../context/phrases.ts';

/** What a sentence does with what it speaks of. */
export interface SentenceStance {
  /** It calls something false or without evidence, in its own voice. */
  refutes: boolean;
  /** It quotes or reports others. */
  reports: boolean;
  /** It begins with a negation: "No tea cures diabetes." */
  negates: boolean;
  /** A negation, or a word for falsehood, stands anywhere in it. */
  denies: boolean;
  /** It asks. */
  asks: boolean;
}

/** A vector knows the subject of a sentence and not whether it is denied: any of these words leaves that open. */
const DENIAL =
  /(?<!\p{L})(?:not|no|never|none|nor|neither|cannot|nothing|nobody|without|false|falsely|untrue|myths?|debunk\p{L}*|nu|n|nici|niciun|nicio|nicăieri|niciodată|niciodata|nimeni|nimic|fără|fals|falsă|false|falși|mit|mituri)(?!\p{L})|n['’]t(?!\p{L})/iu;

type Frame = keyof typeof data.stance;

function* phrases(): Iterable<Phrase<Frame>> {
  for (const [frame, lists] of Object.entries(data.stance))
    for (const list of Object.values(lists))
      for (const phrase of list) yield { phrase, value: frame as Frame };
}

const index = new PhraseIndex(phrases());

/** Words at the start of a sentence within which a negation denies what follows. */
const OPENING_WORDS = 2;

/** Reads each sentence by itself. A refutation that is negated or put into the mouth of others is none. */
export function stancesOf(sentences: readonly Sentence[], words: readonly FoldedWord[]): SentenceStance[] {
  const stances = sentences.map((sentence) => ({
    refutes: false,
    reports: false,
    negates: false,
    denies: DENIAL.test(sentence.text),
    asks: sentence.text.endsWith('?'),
    disowned: false,
  }));
  const firstWords = firstWordsOf(sentences, words);
  let at = 0;
  for (const { value, from } of index.find(words)) {
    const start = words[from]?.start ?? 0;
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= start) at += 1;
    const sentence = stances[at];
    if (sentence === undefined) continue;
    if (value === 'negations') sentence.negates ||= from - (firstWords[at] ?? 0) < OPENING_WORDS;
    else if (value === 'disowned') sentence.disowned = true;
    else sentence[value] = true;
  }
  return stances.map(({ disowned, refutes, ...rest }) => ({ ...rest, refutes: refutes && !disowned }));
}

function firstWordsOf(sentences: readonly Sentence[], words: readonly FoldedWord[]): number[] {
  let at = 0;
  return sentences.map(({ start }) => {
    while (at < words.length && (words[at]?.start ?? 0) < start) at += 1;
    return at;
  });
}

/** Sentences after a narrative that may refute it: "A post says that ... It is wrong: ..." */
const REACH = 2;

/** Whether the sentence at a place, which holds a narrative, is refuted by itself or by what stands beside it. */
export function isRefuted(stances: readonly SentenceStance[], at: number, negatable: boolean): boolean {
  const own = stances[at];
  if (own === undefined) return false;
  if (own.refutes || (negatable && own.negates)) return true;
  const after = stances.slice(at + 1, at + 1 + REACH);
  if (own.asks && after[0]?.negates === true) return true;
  const before = stances[at - 1];
  return after.some(({ refutes }) => refutes) || before?.refutes === true;
}
