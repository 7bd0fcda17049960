import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import type { Span } from '../../resources/finding.ts';
import type { FoldedWord } from '../context/phrases.ts';
import { type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import { frameHits, NARRATIVE_FAMILIES } from './frames.ts';
import { ANY_FAMILY, narrativeProbabilities, type VectorLanguage, vectorEvidence } from './model.ts';
import { type NarrativePassage, narrativePassages } from './passages.ts';
import { isRefuted, type SentenceStance, stancesOf } from './stance.ts';

/** A known narrative of a text. It is context: that a text repeats it does not mean that it is false. */
export interface NarrativeFinding {
  code: string;
  name_en: string;
  name_ro: string;
  /** Whether the text asserts it in its own voice or refutes it. */
  stance: 'asserts' | 'debunks';
  /** Probability, 0 to 1, that the text asserts this family, or for `debunks` and without vectors that its likeliest sentence is of it. */
  confidence: number;
  /** The sentences that do, the likeliest first. */
  spans: Span[];
}

/** A text, cut into sentences and words. */
export interface CutText {
  readonly sentences: readonly Sentence[];
  readonly words: readonly FoldedWord[];
  readonly language: string;
  /** The encoding of the text; without it words decide alone. */
  readonly encoding?: TextEncoding | undefined;
}

/** A text as the context rules have read it. */
export interface NarrativeText extends CutText {
  readonly positions: Pick<PlainText, 'span'>;
}

/** A sentence counts from this probability on. */
const LEAST_PROBABILITY = 0.5;
/** In a text of more sentences chance has more tries: a narrative then needs a share of the text, or one that is this likely. */
const SHORT_TEXT = 8;
const LEAST_SHARE = 0.08;
const ALONE = 0.97;
const SPANS_KEPT = 4;
/** Factor for reported words that the text does not judge: they are weaker evidence of its own view. */
const REPORTED = 0.6;

const CODES = NARRATIVE_FAMILIES.map(({ code }) => code);

interface Place {
  readonly at: number;
  readonly probability: number;
  readonly refuted: boolean;
  /** The words of the sentence match by themselves, and nothing in it denies them. */
  readonly plain: boolean;
}

/** A family of a text with its sentences, the likeliest first. */
interface NarrativeMatch {
  readonly family: (typeof NARRATIVE_FAMILIES)[number];
  readonly stance: NarrativeFinding['stance'];
  readonly places: readonly Place[];
  /** Too seldom in a long text to name it. */
  readonly rare: boolean;
}

/** Finds the narratives of a text, the likeliest first, by the words that its sentences join and by their vectors. Linear in its length. */
export function narrativesOf(text: NarrativeText): NarrativeFinding[] {
  return supportedMatches(text)
    .map(({ family, stance, places }): NarrativeFinding => {
      const spans = places.slice(0, SPANS_KEPT).flatMap(({ at }) => {
        const sentence = text.sentences[at];
        return sentence === undefined ? [] : [text.positions.span(sentence.start, sentence.end)];
      });
      const { code, name_en, name_ro } = family;
      return { code, name_en, name_ro, stance, confidence: roundTo(places[0]?.probability ?? 0, 3), spans };
    })
    .sort((one, two) => two.confidence - one.confidence);
}

/** What passages assert, named where a family is likely enough, and what single sentences refute; without vectors what single sentences say. */
function supportedMatches(text: CutText): NarrativeMatch[] {
  const matches = narrativesIn(text);
  const known = matches.filter(({ rare }) => !rare);
  const code = text.language.slice(0, 2).toLowerCase();
  if (text.encoding === undefined || (code !== 'en' && code !== 'ro')) return known;
  const named = namedBySentence(text, matches);
  const passages = narrativePassages(text.sentences, text.encoding, code, (at) => named[at] ?? []);
  if (passages.length === 0) return known;
  const refuted = known.filter(({ stance }) => stance === 'debunks');
  const isRefuted = ({ from, to }: NarrativePassage) =>
    refuted.some(({ places }) => places.some(({ at }) => at >= from && at < to));
  const telling = passages.filter((passage) => passage.tells && !isRefuted(passage));
  return [...refuted, ...ofPassages(telling, matches)];
}

/** The families that each sentence of a text asserts by itself. */
export function namedBySentence(
  text: CutText,
  matches: readonly NarrativeMatch[] = narrativesIn(text),
): string[][] {
  const named = text.sentences.map((): string[] => []);
  for (const { family, stance, places } of matches)
    if (stance === 'asserts')
      for (const { at, refuted } of places) if (!refuted) named[at]?.push(family.code);
  return named;
}

/** The families that passages assert: with the sentences that name the family by themselves, otherwise with the whole passages. */
function ofPassages(
  passages: readonly NarrativePassage[],
  matches: readonly NarrativeMatch[],
): NarrativeMatch[] {
  return NARRATIVE_FAMILIES.flatMap((family): NarrativeMatch[] => {
    const own = passages.filter((passage) => passage.family === family.code);
    if (own.length === 0) return [];
    const likeliest = new Map<number, number>();
    for (const { from, to, probability } of own)
      for (let at = from; at < to; at += 1) likeliest.set(at, Math.max(likeliest.get(at) ?? 0, probability));
    const known = matches.find((one) => one.family === family && one.stance === 'asserts')?.places ?? [];
    const named = known.filter(({ at, refuted }) => !refuted && likeliest.has(at)).map(({ at }) => at);
    const quoted = named.length > 0 ? named : [...likeliest.keys()];
    const places = quoted
      .map((at) => ({ at, probability: likeliest.get(at) ?? 0, refuted: false, plain: false }))
      .sort((one, two) => two.probability - one.probability);
    return [{ family, stance: 'asserts', places, rare: false }];
  });
}

/**
 * For each sentence the probability, 0 to 1, that it asserts a narrative in the text's own voice, by its own words and with nothing in it that denies:
 * a vector alone knows the subject only.
 */
export function narrativeProbabilityBySentence(text: CutText): number[] {
  const probabilities = text.sentences.map(() => 0);
  for (const { stance, places } of narrativesIn(text)) {
    if (stance === 'debunks') continue;
    for (const { at, probability, refuted, plain } of places)
      if (plain && !refuted) probabilities[at] = Math.max(probabilities[at] ?? 0, probability);
  }
  return probabilities;
}

function narrativesIn(text: CutText): NarrativeMatch[] {
  const { sentences, words, language } = text;
  const frames = frameHits(sentences, words, language);
  const stances = stancesOf(sentences, words);
  const evidence = evidenceOf(text);
  const places = new Map<number, Place[]>();
  frames.forEach(({ hits, negated }, at) => {
    const familyProbabilities = narrativeProbabilities(CODES, { hits, vectors: evidence(at) });
    NARRATIVE_FAMILIES.forEach(({ negatable }, family) => {
      const probability = inOwnVoice(familyProbabilities[family] ?? 0, stances[at]);
      if (probability === undefined) return;
      const known = places.get(family) ?? [];
      const byWords = hits.get(family) === 'sentence';
      const denied = stances[at]?.denies === true;
      const refuted = isRefuted(stances, at, negatable) || negated.has(family) || (denied && !byWords);
      known.push({ at, probability, refuted, plain: byWords && !denied });
      places.set(family, known);
    });
  });
  return [...places].flatMap(([family, list]) => matchOf(sentences.length, family, list));
}

/** The evidence of the vectors for each family, by sentence; undefined where there is none. */
function evidenceOf({ sentences, language, encoding }: CutText) {
  const code = language.slice(0, 2).toLowerCase();
  if (encoding === undefined || (code !== 'en' && code !== 'ro')) return () => undefined;
  const read: VectorLanguage = code;
  return (at: number) => {
    const vector = vectorAt(encoding, sentences[at]?.start ?? 0);
    if (vector === undefined) return undefined;
    const any = vectorEvidence(ANY_FAMILY, vector, read);
    return CODES.map((family) => any + vectorEvidence(family, vector, read));
  };
}

/** The probability, lowered for reported speech; undefined where the sentence is not of the family. */
function inOwnVoice(probability: number, stance: SentenceStance | undefined): number | undefined {
  if (probability < LEAST_PROBABILITY) return undefined;
  return stance?.reports && !stance.refutes ? probability * REPORTED : probability;
}

function matchOf(sentenceCount: number, family: number, list: readonly Place[]): NarrativeMatch[] {
  const row = NARRATIVE_FAMILIES[family];
  if (row === undefined) return [];
  const refuted = list.filter((place) => place.refuted);
  const stance = 2 * refuted.length >= list.length ? 'debunks' : 'asserts';
  const places = list.toSorted((one, two) => two.probability - one.probability);
  const best = places[0]?.probability ?? 0;
  if (stance === 'asserts' && best < LEAST_PROBABILITY) return [];
  const few = list.length < Math.max(2, LEAST_SHARE * sentenceCount);
  return [{ family: row, stance, places, rare: sentenceCount > SHORT_TEXT && few && best < ALONE }];
}
