import topicData from '../../../../../data/context/topics.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { VerdictRules } from '../../resources/verdict-rules.ts';
import { lexiconFor } from './lexicons.ts';
import type { LexiconMatch, ParsedText } from './parsed-text.ts';
import { foldedWords } from './phrases.ts';
import type { Subject } from './subject.ts';

/** One topic and how much of the text it has. */
export interface TopicShare {
  code: string;
  /** Its chance by the model, 0 to 1; without the model, its share of the weight of all topic words. */
  share: number;
  /** Different words of the topic that stand in the text. */
  terms: number;
  sensitive: boolean;
}

/** The topic of a text; `other` when no topic stands out. */
export interface TopicFinding {
  code: string;
  sensitive: boolean;
  /** All topics found, the strongest first. */
  topics: TopicShare[];
  /** Whether the shares are chances by the model, or shares of the words that topics have. */
  by: 'model' | 'words';
}

const SHARE_PLACES = 3;
const WORDS_UNIT = 100;

/** A topic is named from this chance on, and mentioned from `mentioned` on. */
const LEAST = { named: 0.35, mentioned: 0.05 } as const;

/** Names the topic by the chances of the model, or by phrases where it could not judge. */
export function topicOf(
  parsed: ParsedText,
  sensitiveTopics: VerdictRules['sensitive_topics'],
  subject: Subject | null = null,
): TopicFinding {
  const sensitive = new Set(sensitiveTopics.map((topic) => topic.code));
  return subject === null ? topicByPhrases(parsed, sensitive) : topicByModel(parsed, sensitive, subject);
}

function topicByModel(parsed: ParsedText, sensitive: ReadonlySet<string>, subject: Subject): TopicFinding {
  const topics = Object.entries(subject.topics)
    .filter(([code, chance]) => code !== 'other' && chance >= LEAST.mentioned)
    .map(([code, chance]) => ({
      code,
      share: roundTo(chance, SHARE_PLACES),
      terms: termsOf(parsed.matches, code).size,
      sensitive: sensitive.has(code),
    }))
    .sort((a, b) => b.share - a.share || a.code.localeCompare(b.code));
  const best = topics[0];
  const isNamed =
    best !== undefined && best.share >= LEAST.named && best.share >= (subject.topics.other ?? 0);
  return isNamed
    ? { code: best.code, sensitive: best.sensitive, topics, by: 'model' }
    : { code: 'other', sensitive: false, topics, by: 'model' };
}

/** The topic by weighted phrases; those of the headline count more. */
function topicByPhrases(parsed: ParsedText, sensitive: ReadonlySet<string>): TopicFinding {
  const weights = new Map<string, number>();
  addWeights(weights, parsed.matches, 1);
  addWeights(weights, parsed.headlineMatches, topicData.headline_factor - 1);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const topics = [...weights]
    .map(([code, weight]) => ({
      code,
      share: roundTo(weight / total, SHARE_PLACES),
      terms: termsOf(parsed.matches, code).size,
      sensitive: sensitive.has(code),
    }))
    .sort((a, b) => b.share - a.share || a.code.localeCompare(b.code));
  const best = topics[0];
  const needed = topicData.least_score * Math.sqrt(Math.max(1, parsed.words.length / WORDS_UNIT));
  const clear =
    best !== undefined && (weights.get(best.code) ?? 0) >= needed && best.share >= topicData.least_share;
  return clear
    ? { code: best.code, sensitive: best.sensitive, topics, by: 'words' }
    : { code: 'other', sensitive: false, topics, by: 'words' };
}

function addWeights(weights: Map<string, number>, matches: readonly LexiconMatch[], factor: number): void {
  const counts = new Map<string, number>();
  for (const { phrase, value } of matches) {
    if (value.kind !== 'topic') continue;
    const key = `${value.code} ${phrase}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > topicData.largest_count_per_term) continue;
    weights.set(value.code, (weights.get(value.code) ?? 0) + value.weight * factor);
  }
}

/** The different words of a topic among matches. */
function termsOf(matches: readonly LexiconMatch[], code: string): Set<string> {
  return new Set(
    matches.filter(({ value }) => value.kind === 'topic' && value.code === code).map(({ phrase }) => phrase),
  );
}

/** A topic that a short text names. */
export interface NamedTopic {
  code: string;
  /** Different words of the topic. */
  terms: number;
  /** Whether one of them is a strong one, which names the topic by itself. */
  strong: boolean;
}

/** One plain word names no topic by itself: a company can be anything. */
const LEAST_WEIGHT = 2;

/** Topics of a short text, such as a claim in either language, the weightiest first. */
export function topicsIn(text: string): NamedTopic[] {
  const matches = lexiconFor(['en', 'ro']).find(foldedWords(text));
  const weights = new Map<string, number>();
  addWeights(weights, matches, 1);
  return [...weights]
    .filter(([, weight]) => weight >= LEAST_WEIGHT)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .map(([code]) => ({
      code,
      terms: termsOf(matches, code).size,
      strong: matches.some(({ value }) => value.code === code && value.weight >= topicData.weights.strong),
    }));
}
