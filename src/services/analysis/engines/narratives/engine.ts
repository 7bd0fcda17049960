import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import type { Span } from '../../resources/finding.ts';
import type { FoldedWord } from '../context/phrases.ts';
import { type FrameHit, frameHits, NARRATIVE_FAMILIES } from './frames.ts';
import { narrativeProbability } from './model.ts';
import { isRefuted, type SentenceStance, stancesOf } from './stance.ts';

/** A known narrative of a text. It is context: that a text tells it says nothing of whether it is false. */
export interface NarrativeFinding {
  code: string;
  name_en: string;
  name_ro: string;
  /** Whether the text tells it in its own voice or refutes it. */
  stance: 'asserts' | 'debunks';
  /** Probability, 0 to 1, that the text speaks of this family. */
  confidence: number;
  /** The sentences that do, the likeliest first. */
  spans: Span[];
}

/** A text as the context rules have read it. */
export interface NarrativeText {
  readonly sentences: readonly Sentence[];
  readonly words: readonly FoldedWord[];
  readonly language: string;
  readonly positions: Pick<PlainText, 'span'>;
}

/** A sentence counts from this probability on. */
const LEAST_PROBABILITY = 0.5;
/** In a text of more sentences chance has more tries: a narrative then needs a share of the text, or one that is this likely. */
const SHORT_TEXT = 8;
const LEAST_SHARE = 0.08;
const ALONE = 0.97;
const SPANS_KEPT = 4;
/** Words of others without any judgement of them say less of the text itself. */
const REPORTED = 0.6;

interface Place {
  readonly at: number;
  readonly probability: number;
  readonly refuted: boolean;
}

/** Finds the narratives of a text, the likeliest first, by the words that its sentences join. Linear in its length. */
export function narrativesOf(text: NarrativeText): NarrativeFinding[] {
  const { sentences, words, language } = text;
  const hits = frameHits(sentences, words, language);
  const stances = stancesOf(sentences, words);
  const places = new Map<number, Place[]>();
  hits.forEach((found, at) => {
    for (const [family, probability] of likelyFamilies(found, stances[at])) {
      const refuted = isRefuted(stances, at, NARRATIVE_FAMILIES[family]?.negatable ?? false);
      const known = places.get(family) ?? [];
      known.push({ at, probability, refuted });
      places.set(family, known);
    }
  });
  return [...places]
    .flatMap(([family, list]) => findingOf(text, family, list))
    .sort((one, two) => two.confidence - one.confidence);
}

function likelyFamilies(
  hits: ReadonlyMap<number, FrameHit>,
  stance: SentenceStance | undefined,
): [family: number, probability: number][] {
  return [...hits].flatMap(([family, hit]): [number, number][] => {
    const said = narrativeProbability(NARRATIVE_FAMILIES[family]?.code ?? '', hit);
    const probability = stance?.reports && !stance.refutes ? said * REPORTED : said;
    return said >= LEAST_PROBABILITY ? [[family, probability]] : [];
  });
}

function findingOf(
  { sentences, positions }: NarrativeText,
  family: number,
  list: Place[],
): NarrativeFinding[] {
  const row = NARRATIVE_FAMILIES[family];
  if (row === undefined) return [];
  const refuted = list.filter((place) => place.refuted);
  const stance = 2 * refuted.length >= list.length ? 'debunks' : 'asserts';
  const ordered = list.toSorted((one, two) => two.probability - one.probability);
  const best = ordered[0]?.probability ?? 0;
  if (stance === 'asserts' && best < LEAST_PROBABILITY) return [];
  const rare = list.length < Math.max(2, LEAST_SHARE * sentences.length);
  if (sentences.length > SHORT_TEXT && rare && best < ALONE) return [];
  const spans = ordered.slice(0, SPANS_KEPT).flatMap(({ at }) => {
    const sentence = sentences[at];
    return sentence === undefined ? [] : [positions.span(sentence.start, sentence.end)];
  });
  const { code, name_en, name_ro } = row;
  return [{ code, name_en, name_ro, stance, confidence: roundTo(best, 3), spans }];
}
