import cueData from '../../../../../data/context/cues.json' with { type: 'json' };
import genreData from '../../../../../data/context/genres.json' with { type: 'json' };
import topicData from '../../../../../data/context/topics.json' with { type: 'json' };
import type { RuleLanguage } from '../../../../text/rule-languages.ts';
import { type Phrase, PhraseIndex } from './phrases.ts';

/** Kinds of phrases that the context and virality rules count. */
export type ContextCue = keyof typeof cueData.cues;

/** What a phrase of the lexicons stands for. */
export interface PhraseMeaning {
  kind: 'cue' | 'topic' | 'genre' | 'label';
  /** Cue, topic or genre code. */
  code: string;
  weight: number;
}

type Weighted = Partial<Record<string, readonly string[]>>;

function* phrasesOf(
  kind: PhraseMeaning['kind'],
  code: string,
  lists: Weighted,
): Iterable<Phrase<PhraseMeaning>> {
  for (const [weight, phrases] of Object.entries(lists)) {
    const value = { kind, code, weight: Number(weight) };
    for (const phrase of phrases ?? []) yield { phrase, value };
  }
}

function* allPhrases(language: RuleLanguage): Iterable<Phrase<PhraseMeaning>> {
  for (const [code, lists] of Object.entries(cueData.cues)) yield* phrasesOf('cue', code, lists[language]);
  for (const genre of genreData.genres) yield* phrasesOf('genre', genre.code, genre[language]);
  yield* phrasesOf('label', 'satire', { 1: genreData.labels.phrases[language] });
  const { strong, plain } = topicData.weights;
  for (const topic of topicData.topics) {
    const lists = topic[language];
    yield* phrasesOf('topic', topic.code, { [strong]: lists.strong, [plain]: lists.plain });
  }
}

function* deduplicated(phrases: Iterable<Phrase<PhraseMeaning>>): Iterable<Phrase<PhraseMeaning>> {
  const seen = new Set<string>();
  for (const entry of phrases) {
    const key = `${entry.value.kind} ${entry.value.code} ${entry.phrase}`;
    if (seen.has(key)) continue;
    seen.add(key);
    yield entry;
  }
}

const english = new PhraseIndex(deduplicated(allPhrases('en')));
const romanian = new PhraseIndex(deduplicated(allPhrases('ro')));
const both = new PhraseIndex(deduplicated([...allPhrases('en'), ...allPhrases('ro')]));

/** The phrases of one language, or of both. */
export function lexiconFor(languages: readonly RuleLanguage[]): PhraseIndex<PhraseMeaning> {
  if (languages.length > 1) return both;
  return languages[0] === 'ro' ? romanian : english;
}
