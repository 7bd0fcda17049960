import type { Candidate } from './candidates.ts';
import { foldWord, type Token, type TokenRange } from './tokens.ts';

/** Rhetorical repetition as it can be computed; constants chosen so that names and terms of calm news do not count. */
const rule = {
  /** Sentences in a row that begin with the same words. */
  anaphoraSentences: 3,
  anaphoraWords: 2,
  anaphoraConfidence: 0.45,
  /** The same word, repeated within a few words. */
  echoTimes: 3,
  echoWindow: 6,
  echoLetters: 4,
  echoConfidence: 0.7,
  /** A whole short sentence, repeated. */
  refrainWords: { least: 3, most: 14 },
  refrainConfidence: 0.46,
} as const;

/** Passages that repeat: echoes, openings that return, repeated sentences. Linear in the length. */
export function findRepetition(tokens: readonly Token[], sentences: readonly TokenRange[]): Candidate[] {
  const sentenceWords = sentences.map((sentence) => wordsIn(tokens, sentence));
  return [
    ...echoes(tokens, sentences),
    ...anaphora(tokens, sentences, sentenceWords),
    ...refrains(sentences, sentenceWords),
  ];
}

function wordsIn(tokens: readonly Token[], sentence: TokenRange): string[] {
  const own = tokens.slice(sentence.from, sentence.to).filter((token) => token.kind !== 'mark');
  // The number of a list item is no part of what is said.
  const start = own[0]?.kind === 'number' ? 1 : 0;
  return own.slice(start).map((token) => token.form);
}

function repetitionCandidate(range: TokenRange, sentence: number, confidence: number): Candidate {
  return {
    from: range.from,
    to: range.to,
    anchor: range.from,
    code: 'repetition',
    sentence,
    confidence,
    origin: 'repetition',
  };
}

function echoes(tokens: readonly Token[], sentences: readonly TokenRange[]): Candidate[] {
  return sentences.flatMap((sentence, index) => {
    const candidates: Candidate[] = [];
    const last = new Map<string, number[]>();
    for (let at = sentence.from; at < sentence.to; at += 1) {
      const token = tokens[at];
      if (
        token === undefined ||
        token.kind === 'mark' ||
        token.kind === 'number' ||
        token.form.length < rule.echoLetters ||
        plainWords.has(token.form)
      )
        continue;
      const places = [...(last.get(token.form) ?? []), at].slice(-rule.echoTimes);
      last.set(token.form, places);
      const first = places[0] ?? at;
      if (places.length === rule.echoTimes && at - first < rule.echoWindow) {
        candidates.push(repetitionCandidate({ from: first, to: at + 1 }, index, rule.echoConfidence));
      }
    }
    return candidates;
  });
}

/** Words that return in plain prose; saying them again persuades nobody. */
const plainWords = new Set(
  'they their them this that these those more have been were with from than your what when will would also want people different each other both some same such into after before most much even like time care sunt este pentru care acest această dintre prin după mai multe fost avea sau dacă când unde unor unei unui mult foarte'
    .split(' ')
    .map(foldWord),
);

/** Openings so common in plain narration that they repeat by accident. */
const plainOpenings = new Set(
  'he she it they we the a an in on at this that there el ea ei ele noi un o in la pe de din acesta aceasta cei cele potrivit conform'.split(
    ' ',
  ),
);

/** With these after them, such openings only carry the narration on (he was, ea a). */
const plainSeconds = new Set(
  'was is are were has had have will would can could said says also did does a au ar era este sunt fi va vor am s nu'.split(
    ' ',
  ),
);

function anaphora(
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  words: readonly string[][],
): Candidate[] {
  const candidates: Candidate[] = [];
  const opening = (index: number) => words[index]?.slice(0, rule.anaphoraWords).join(' ') ?? '';
  for (let start = 0; start < sentences.length; ) {
    let end = start + 1;
    let repeats = 1;
    while (end < sentences.length && (opening(end) === opening(start) || words[end]?.length === 0)) {
      repeats += opening(end) === opening(start) ? 1 : 0;
      end += 1;
    }
    const [first = '', second = ''] = words[start] ?? [];
    const plain = second === '' || (plainOpenings.has(first) && plainSeconds.has(second));
    if (repeats >= rule.anaphoraSentences && !plain) {
      for (let index = start; index < end; index += 1) {
        const range = words[index]?.length === 0 ? undefined : openingRange(tokens, sentences[index]);
        if (range !== undefined) candidates.push(repetitionCandidate(range, index, rule.anaphoraConfidence));
      }
    }
    start = end;
  }
  return candidates;
}

function openingRange(tokens: readonly Token[], sentence: TokenRange | undefined): TokenRange | undefined {
  if (sentence === undefined) return undefined;
  let [seen, at] = [0, sentence.from];
  while (
    at < sentence.to &&
    tokens[at]?.kind !== 'lower' &&
    tokens[at]?.kind !== 'title' &&
    tokens[at]?.kind !== 'caps'
  )
    at += 1;
  const from = at;
  while (at < sentence.to && seen < rule.anaphoraWords) {
    if (tokens[at]?.kind !== 'mark') seen += 1;
    at += 1;
  }
  return { from, to: at };
}

function refrains(sentences: readonly TokenRange[], words: readonly string[][]): Candidate[] {
  const places = new Map<string, number[]>();
  words.forEach((list, index) => {
    if (list.length < rule.refrainWords.least || list.length > rule.refrainWords.most) return;
    const key = list.join(' ');
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  return [...places.values()].flatMap((indices) =>
    indices.length < 2
      ? []
      : indices.flatMap((index) => {
          const sentence = sentences[index];
          return sentence === undefined ? [] : [repetitionCandidate(sentence, index, rule.refrainConfidence)];
        }),
  );
}
