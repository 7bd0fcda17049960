import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import { clamp, roundTo } from '../../../../foundation/numbers.ts';
import type { Span } from '../../resources/finding.ts';
import type { VerdictRules } from '../../resources/verdict-rules.ts';
import { type ArticleFinding, NO_ARTICLE } from '../articles/finding.ts';
import { type NarrativeFinding, narrativesOf } from '../narratives/engine.ts';
import { findScam, type ScamFinding } from '../scam/scam.ts';
import { type GenreFinding, genreOf } from './genre.ts';
import { clickbait, headlineSpans, headlineWordAbsence, loudness } from './headline.ts';
import type { ContextCue } from './lexicons.ts';
import {
  capitalRuns,
  cueMatches,
  cueWeight,
  exclamationRows,
  type ParsedText,
  scaledByLength,
  spansOf,
} from './parsed-text.ts';
import { type Sourcing, sourcingOf } from './sourcing.ts';
import type { Subject } from './subject.ts';
import { type TopicFinding, topicOf } from './topic.ts';

type RuleRow = (typeof ruleData.rules)[number];

/** One context rule: `value` 0 to 1, or null when there was nothing to measure; the points add up to the score. */
export interface RuleLine {
  rule: string;
  value: number | null;
  points: number;
  spans: Span[];
  text_en: string;
  text_ro: string;
}

/** What the context rules found. */
export interface ContextResult {
  /** 0 to 100, higher is worse. */
  score: number;
  /** Share of the rules that had something to measure, 0 to 1. */
  quality: number;
  genre: GenreFinding;
  topic: TopicFinding;
  /** The lure that the text is, or null. */
  scam: ScamFinding | null;
  article: ArticleFinding;
  rules: RuleLine[];
  /** Lines for `context_summary`. */
  summary: Record<string, unknown>;
}

const VALUE_PLACES = 3;
const POINT_PLACES = 1;
const SPANS_KEPT = 12;

interface Measured {
  measure: number | null;
  spans: Span[];
}

/**
 * Judges headline, sources, genre, topic, urgency and form of a text; each rule leaves its line. `article` is what the models of whole
 * articles say, `subject` what those of topics and genres do.
 */
export function contextOf(
  parsed: ParsedText,
  sensitiveTopics: VerdictRules['sensitive_topics'],
  article: ArticleFinding = NO_ARTICLE,
  subject: Subject | null = null,
): ContextResult {
  const { text, language, encoding } = parsed.input;
  const scam = findScam({ text, span: parsed.positions.span }, language, encoding);
  const sourcing = sourcingOf(parsed, scam !== null);
  const genre = genreOf(parsed, sourcing, subject);
  const narratives = narrativesOf({ ...parsed, ...parsed.input });
  const topic = topicOf(parsed, sensitiveTopics, subject);
  const measures: Partial<Record<string, Measured>> = {
    ...measuresOf(parsed, sourcing, genre),
    narrative: assertedNarratives(narratives),
    clickbait_headline: teasing(parsed, article),
    one_sided_article: {
      measure: article.one_sided === null ? null : aboveEven(article.one_sided),
      spans: [],
    },
  };
  const rules = ruleData.rules
    .filter((row) => row.code !== 'sensitive_topic')
    .map((row) => ruleLine(row, measures[row.code] ?? { measure: null, spans: [] }));
  const sum = (lines: readonly RuleLine[]) => lines.reduce((total, line) => total + line.points, 0);
  const meets = topic.sensitive && sum(rules) >= ruleData.sensitive_topic_needs_points;
  for (const row of ruleData.rules.filter((candidate) => candidate.code === 'sensitive_topic')) {
    rules.push(ruleLine(row, { measure: meets ? 1 : 0, spans: [] }));
  }
  const points = sum(rules);
  // A model that knows one language and one kind of text is no loss to the others.
  const due = rules.filter((line) => line.rule !== 'one_sided_article' || line.value !== null);
  const measured = due.filter((line) => line.value !== null).length;
  return {
    score: clamp(roundTo(points, POINT_PLACES), 0, 100),
    quality: measured / due.length,
    genre,
    topic,
    scam,
    article,
    rules,
    summary: {
      rules,
      genre,
      scam,
      topic: topic.code,
      sensitive_topic: topic.sensitive,
      topics: topic.topics,
      topics_by: topic.by,
      narratives,
      article,
      headline: parsed.headline?.text ?? null,
      sources: {
        statements: sourcing.factual.length,
        attributed: sourcing.attributed.length,
        anonymous: sourcing.anonymous.length,
      },
    },
  };
}

function measuresOf(
  parsed: ParsedText,
  sourcing: Sourcing,
  genre: GenreFinding,
): Partial<Record<string, Measured>> {
  // A word that anybody can write must not take points away: unlabelled satire is measured as a text of no known genre.
  const known = genre.code === 'satire' && !genre.labelled ? 'other' : genre.code;
  const factor = lookUp(ruleData.attribution_factor, known, 1);
  const named = sourcing.attributed.length;
  const floor = ruleData.rules.find((row) => row.code === 'headline_not_in_body')?.floor ?? 0;
  return {
    loud_headline: loudness(parsed),
    headline_not_in_body: headlineWordAbsence(parsed, floor),
    missing_attribution: {
      measure: sourcing.missing === null ? null : sourcing.missing * factor,
      spans: [],
    },
    anonymous_sources: {
      measure: Math.max(0, sourcing.anonymous.length - named),
      spans: spansOf(parsed, sourcing.anonymous, SPANS_KEPT),
    },
    urgency: cueMeasure(parsed, 'urgency'),
    share_call: cueMeasure(parsed, 'share_call'),
    secrecy: cueMeasure(parsed, 'secrecy'),
    shouting: shouting(parsed),
    genre: { measure: lookUp(ruleData.genre_values, genre.code, 0), spans: [] },
  };
}

/** What a chance exceeds one half by, 0 to 1. */
const aboveEven = (chance: number) => 2 * Math.max(0, chance - 0.5);

/** The phrases of the headline, and the score of the headline model, which alone gives at most half of the points. */
function teasing(parsed: ParsedText, { clickbait: chance }: ArticleFinding): Measured {
  const byPhrases = clickbait(parsed);
  if (byPhrases.measure === null || chance === null || aboveEven(chance) === 0) return byPhrases;
  return { measure: byPhrases.measure + aboveEven(chance), spans: headlineSpans(parsed) };
}

/** Known narratives that the text asserts in its own voice; those that it refutes do not count. */
function assertedNarratives(narratives: readonly NarrativeFinding[]): Measured {
  const asserted = narratives.filter(({ stance }) => stance === 'asserts');
  return {
    measure: asserted.reduce((sum, { confidence }) => sum + confidence, 0),
    spans: asserted.flatMap(({ spans }) => spans).slice(0, SPANS_KEPT),
  };
}

function cueMeasure(parsed: ParsedText, cue: ContextCue): Measured {
  const matches = cueMatches(parsed, cue);
  return {
    measure: cueWeight(matches, parsed.words.length),
    spans: spansOf(parsed, matches, SPANS_KEPT),
  };
}

/** A long run of capitals counts as several short ones. */
function shouting(parsed: ParsedText): Measured {
  const { text } = parsed.input;
  const capitals = capitalRuns(text, parsed.words);
  const rows = exclamationRows(text);
  const loud = capitals.reduce(
    (sum, run) => sum + Math.max(1, run.words / ruleData.words_per_capital_run),
    rows.length,
  );
  const stretches = [...capitals, ...rows].sort((a, b) => a.start - b.start);
  return {
    measure: scaledByLength(loud, parsed.words.length),
    spans: stretches.slice(0, SPANS_KEPT).map(({ start, end }) => parsed.positions.span(start, end)),
  };
}

function ruleLine(row: RuleRow, { measure, spans }: Measured): RuleLine {
  const value = measure === null ? null : roundTo(clamp(measure / row.full_at, 0, 1), VALUE_PLACES);
  const points = roundTo(row.largest * (value ?? 0), POINT_PLACES);
  return {
    rule: row.code,
    value,
    points,
    spans: points > 0 ? spans : [],
    text_en: row.text_en,
    text_ro: row.text_ro,
  };
}

function lookUp(table: Readonly<Record<string, number>>, code: string, otherwise: number): number {
  return table[code] ?? otherwise;
}
