import data from '../../../../../data/context/narratives.json' with { type: 'json' };
import { type RuleLanguage, ruleLanguagesOf } from '../../../../text/rule-languages.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import { type FoldedWord, type Phrase, PhraseIndex } from '../context/phrases.ts';
import { negationIn } from './negation.ts';

/** A family of narratives, such as "the election was stolen". */
export interface NarrativeFamily {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  /** Whether a negation at the start of a sentence denies it. */
  readonly negatable: boolean;
  /** Concepts that stand together in a sentence of the family; one list is enough. */
  readonly frames: readonly (readonly string[])[];
}

/** The families, in the order in which the models know them. */
export const NARRATIVE_FAMILIES: readonly NarrativeFamily[] = data.families;

/** How a family's words stand: all in the sentence, or some of them in the sentences beside it. */
export type FrameHit = 'sentence' | 'passage';

/** The families of which a sentence holds the words, by place in `NARRATIVE_FAMILIES`. */
export interface SentenceFrames {
  readonly hits: ReadonlyMap<number, FrameHit>;
  /** Families whose statement it negates: "Vaccines do not cause autism." */
  readonly negated: ReadonlySet<number>;
}

function* phrasesOf(languages: readonly RuleLanguage[]): Iterable<Phrase<string>> {
  for (const [concept, lists] of Object.entries(data.concepts))
    for (const language of languages) for (const phrase of lists[language]) yield { phrase, value: concept };
}

const indices: Record<string, PhraseIndex<string>> = {
  en: new PhraseIndex(phrasesOf(['en'])),
  ro: new PhraseIndex(phrasesOf(['ro'])),
  both: new PhraseIndex(phrasesOf(['en', 'ro'])),
};

/** Finds the families of which each sentence holds the words. Linear in the text. */
export function frameHits(
  sentences: readonly Sentence[],
  words: readonly FoldedWord[],
  language: string,
): SentenceFrames[] {
  const concepts = conceptsOf(sentences, words, language);
  return concepts.map((own, at) => {
    const near = new Set(
      [own, concepts[at - 1], concepts[at + 1]].flatMap((beside) => [...(beside?.keys() ?? [])]),
    );
    const hits = new Map<number, FrameHit>();
    const negated = new Set<number>();
    for (const [family, { frames }] of NARRATIVE_FAMILIES.entries()) {
      const whole = frames.filter((frame) => frame.every((concept) => own.has(concept)));
      if (whole.length > 0) hits.set(family, 'sentence');
      else if (frames.some((frame) => spread(frame, own, near))) hits.set(family, 'passage');
      // The last concept of a frame is what is said of the others: "it is not a vaccine, it is poison" denies a name alone.
      const denied = (frame: readonly string[]) => own.get(frame.at(-1) ?? '') === 'negated';
      if (whole.length > 0 && whole.every(denied)) negated.add(family);
    }
    return { hits, negated };
  });
}

/** Whether a sentence states a concept, or only denies it. */
type Concepts = ReadonlyMap<string, 'said' | 'negated'>;

const spread = (frame: readonly string[], own: Concepts, near: ReadonlySet<string>) =>
  frame.some((concept) => own.has(concept)) && frame.every((concept) => near.has(concept));

/** The concepts of each sentence. A phrase is one concept's only: two concepts of a frame need two places. */
function conceptsOf(
  sentences: readonly Sentence[],
  words: readonly FoldedWord[],
  language: string,
): Concepts[] {
  const languages = ruleLanguagesOf(
    words.map((word) => word.text),
    language,
  );
  const index = indices[languages.length > 1 ? 'both' : (languages[0] ?? 'en')];
  const conceptsBySentence = sentences.map(() => new Map<string, 'said' | 'negated'>());
  const matches = index?.find(words) ?? [];
  const isNegated = negationIn(words, matches);
  let at = 0;
  for (const { value, from } of matches) {
    const start = words[from]?.start ?? 0;
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= start) at += 1;
    const concepts = conceptsBySentence[at];
    // What is said once is not taken back by a denial elsewhere in the sentence.
    if (concepts?.get(value) !== 'said')
      concepts?.set(value, isNegated(from, sentences[at]?.start ?? 0) ? 'negated' : 'said');
  }
  return conceptsBySentence;
}
