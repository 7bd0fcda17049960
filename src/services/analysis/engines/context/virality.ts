import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import { clamp, roundTo } from '../../../../foundation/numbers.ts';
import { Positions } from '../../../../text/positions.ts';
import type { Span } from '../../resources/finding.ts';
import type { MediaType } from '../../resources/media-types.ts';
import type { ViralityFactor } from '../../resources/verdict-result.ts';
import type { VerdictRules } from '../../resources/verdict-rules.ts';
import type { ContextCue } from './lexicons.ts';
import { cueMatches, cueWeight, type LexiconMatch, type ParsedText, spansOf } from './parsed-text.ts';
import type { TopicFinding } from './topic.ts';

/** How easily an item spreads; it never moves the risk score. */
export interface Virality {
  /** 0 to 100, one decimal; null when no factor could be measured. */
  virality_score: number | null;
  virality_factors: ViralityFactor[];
}

/** What the factors are measured on. */
export interface ViralityInput {
  /** The text and its topic; null when there is no text. */
  text: { parsed: ParsedText; topic: TopicFinding } | null;
  mediaType: MediaType;
  /** Submissions of the same content by others in the last 72 hours; undefined when they were not counted. */
  priorSightings?: number;
  /** The factors and their weights. */
  factors: VerdictRules['virality_factors'];
}

interface Measured {
  value: number;
  spans: Span[];
}

const numbers = ruleData.virality;
const PLACES = { value: 3, contribution: 2, score: 1 };

/** virality_score = 100 * sum value * weight / sum weight over the factors that could be measured. */
export function viralityOf(input: ViralityInput): Virality {
  const measures: Partial<Record<string, Measured>> = {
    ...(input.text === null ? {} : textMeasures(input.text.parsed, input.text.topic)),
    format_shareability: format(input),
    ...(input.priorSightings === undefined ? {} : { prior_sightings: sightings(input.priorSightings) }),
  };
  const rows = input.factors.flatMap((row) => {
    const measured = measures[row.code];
    return measured === undefined
      ? []
      : [{ ...row, ...measured, value: roundTo(measured.value, PLACES.value) }];
  });
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  if (total <= 0) return { virality_score: null, virality_factors: [] };
  const score = roundTo(
    (100 * rows.reduce((sum, row) => sum + row.value * row.weight, 0)) / total,
    PLACES.score,
  );
  const factors = rows.map(({ code, name_en, name_ro, value, weight, spans }) => ({
    code,
    name_en,
    name_ro,
    value,
    weight,
    contribution: roundTo((100 * value * weight) / total, PLACES.contribution),
    spans,
  }));
  return { virality_score: score, virality_factors: factors };
}

function textMeasures(parsed: ParsedText, topic: TopicFinding): Record<string, Measured> {
  const count = parsed.words.length;
  const weigh = (cue: ContextCue) => {
    const matches = cueMatches(parsed, cue);
    return { matches, weight: cueWeight(matches, count) };
  };
  const lead = cueMatches(parsed, 'arousal').filter((match) => match.from < numbers.lead_words);
  const share = weigh('share_call');
  const urgency = weigh('urgency');
  const shock = weigh('shock');
  const secrecy = weigh('secrecy');
  const figures = weigh('public_figure');
  const spans = (...matches: LexiconMatch[][]) =>
    spansOf(parsed, byPlace(matches.flat()), numbers.spans_kept);
  return {
    emotional_arousal: {
      value: upTo(weightOf(lead), numbers.emotional_arousal.full_at),
      spans: spans(lead),
    },
    share_call: {
      value: upTo(
        share.weight + numbers.share_call.urgency_factor * urgency.weight,
        numbers.share_call.full_at,
      ),
      spans: spans(share.matches, urgency.matches),
    },
    novelty_shock: {
      value: upTo(shock.weight + secrecy.weight, numbers.novelty_shock.full_at),
      spans: spans(shock.matches, secrecy.matches),
    },
    group_identity: groupIdentity(parsed),
    sensitive_topic: { value: timeliness(topic, urgency.matches), spans: [] },
    public_figure: {
      value: upTo(figures.weight, numbers.public_figure.full_at),
      spans: spans(figures.matches),
    },
    simplicity: { value: simplicity(parsed), spans: [] },
  };
}

/** Us against them: the smaller weight of in-group and out-group phrases, since one kind alone is ordinary. */
function groupIdentity(parsed: ParsedText): Measured {
  const us = cueMatches(parsed, 'in_group');
  const them = cueMatches(parsed, 'out_group');
  const count = parsed.words.length;
  const both = Math.min(cueWeight(us, count), cueWeight(them, count));
  const spans = both > 0 ? spansOf(parsed, byPlace([...us, ...them]), numbers.spans_kept) : [];
  return { value: upTo(both, numbers.group_identity.full_at), spans };
}

function timeliness(topic: TopicFinding, urgent: readonly LexiconMatch[]): number {
  const { sensitive, breaking } = numbers.sensitive_topic;
  return (topic.sensitive ? sensitive : 0) + (urgent.length > 0 ? breaking : 0);
}

/** Short texts, visual media and hashtags spread more easily. */
function format({ text, mediaType }: ViralityInput): Measured {
  const { short_characters, long_characters, media, tags_bonus } = numbers.format_shareability;
  const visual = (media as Readonly<Record<string, number>>)[mediaType] ?? 0;
  if (text === null) return { value: visual, spans: [] };
  const brevity = between(new Positions(text.parsed.input.text).length, long_characters, short_characters);
  const tags = /(?:^|\s)#\p{L}/u.test(text.parsed.input.text) ? tags_bonus : 0;
  return { value: clamp(Math.max(visual, brevity) + tags, 0, 1), spans: [] };
}

/** Few and short sentences are easy to repeat. */
function simplicity({ sentences, words }: ParsedText): number {
  const { few_sentences, many_sentences, short_sentence_words, long_sentence_words } = numbers.simplicity;
  const mean = words.length / Math.max(1, sentences.length);
  const few = between(sentences.length, many_sentences, few_sentences);
  return (few + between(mean, long_sentence_words, short_sentence_words)) / 2;
}

/** Logarithmic in the number of sightings. */
function sightings(count: number): Measured {
  return {
    value: upTo(Math.log1p(Math.max(0, count)), Math.log1p(numbers.prior_sightings.full_at)),
    spans: [],
  };
}

function upTo(measure: number, fullAt: number): number {
  return clamp(measure / fullAt, 0, 1);
}

/** 0 at one end, 1 at the other, linear between. */
function between(measure: number, zeroAt: number, oneAt: number): number {
  return clamp((measure - zeroAt) / (oneAt - zeroAt), 0, 1);
}

function weightOf(matches: readonly LexiconMatch[]): number {
  return matches.reduce((sum, match) => sum + match.value.weight, 0);
}

function byPlace(matches: readonly LexiconMatch[]): LexiconMatch[] {
  return [...matches].sort((a, b) => a.from - b.from);
}
