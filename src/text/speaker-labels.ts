import { fold } from './folding.ts';

/** A name of at most three words and a colon, at the beginning of a sentence. */
const LABEL = /^\s*((?:\p{Lu}[\p{L}.'’-]*\s){0,2}\p{Lu}[\p{L}.'’-]*):\s+(?=\S)/u;

/** Labels that say what to think of the words behind them are no speakers, however often they stand there; without diacritics. */
const NOBODY = new Set([
  ...['myth', 'fact', 'facts', 'claim', 'truth', 'false', 'fake', 'rumor', 'rumour', 'hoax', 'reality'],
  ...['verdict', 'question', 'answer', 'q', 'a', 'mit', 'mitul', 'fapt', 'faptul', 'faptele', 'afirmatie'],
  ...['afirmatia', 'adevar', 'adevarul', 'adevarat', 'fals', 'zvon', 'zvonul', 'realitate', 'realitatea'],
  ...['verdictul', 'intrebare', 'raspuns', 'i', 'r'],
]);

/** Share of the sentences with a speaker from which on first names alone make a conversation. */
const MOSTLY = 0.6;

/**
 * Blanks out who speaks at the beginning of sentences ("Ana Pop: ..."), in as many characters, where a conversation is written down: two
 * speakers or more, each named twice, one of them with a surname or most sentences with a speaker.
 */
export function withoutSpeakers(sentences: readonly string[]): readonly string[] {
  const labels = sentences.map((sentence) => LABEL.exec(sentence));
  const counts = new Map<string, number>();
  for (const label of labels) {
    const name = label?.[1];
    if (name === undefined || NOBODY.has(fold(name, 'strip').text.trim())) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const speakers = new Map([...counts].filter(([, count]) => count > 1));
  const turns = [...speakers.values()].reduce((sum, count) => sum + count, 0);
  const isNamed = [...speakers.keys()].some((name) => /\s/u.test(name));
  if (speakers.size < 2 || (!isNamed && turns < MOSTLY * sentences.length)) return sentences;
  return sentences.map((sentence, at) => {
    const [label = '', name = ''] = labels[at] ?? [];
    return speakers.has(name) ? ' '.repeat(label.length) + sentence.slice(label.length) : sentence;
  });
}
