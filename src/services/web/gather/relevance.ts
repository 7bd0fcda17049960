import { setImmediate as nextTurn } from 'node:timers/promises';
import { dotProduct } from '../../../text/dot-product.ts';
import { termsOf } from '../../../text/terms.ts';
import type { TextEncoder } from '../evidence-index/encode.ts';
import { splitDocument } from '../evidence-index/passages.ts';
import type { Source } from './source.ts';

/** A passage of a source with how much it bears on the claim. */
export interface RankedPassage {
  readonly text: string;
  /** 0 to 1. */
  readonly score: number;
}

/** A source with its best passages, the best first. */
export interface RankedSource {
  readonly source: Source;
  readonly passages: readonly RankedPassage[];
}

/** Sources whose best passage scores lower are no evidence. */
const LEAST_RELEVANCE = 0.25;

/** Whether the best passage of a source bears on the claim. */
export const isRelevant = ({ passages: [best] }: RankedSource): boolean =>
  (best?.score ?? 0) >= LEAST_RELEVANCE;

/** Characters of a text that are read. */
const LONGEST_TEXT = 40_000;
/** Passages of a source that the encoder reads: those that share the most words with the claim. */
const MOST_ENCODED = 8;
/** Passages of a source that are kept. */
const MOST_PASSAGES = 3;
/** Shares of words and of content in the score. The encoder finds the topic in either language, words find names and numbers. */
const WEIGHTS = { words: 0.4, content: 0.6 };
/** Cosines of unrelated and of equal sentences (models/encoder.md): between them lies the score of content. */
const COSINES = { unrelated: 0.19, equal: 0.9 };

/** How rare the terms of a claim are among the gathered passages. */
function weightsOf(terms: readonly string[], passages: readonly ReadonlySet<string>[]): Map<string, number> {
  const weights = terms.map((term) => {
    const occurrences = passages.filter((passage) => passage.has(term)).length;
    return [term, Math.log(1 + (passages.length + 1) / (occurrences + 1))] as const;
  });
  return new Map(weights);
}

/** The share of a claim's terms, by weight, that stand in a passage. */
function shareOf(weights: ReadonlyMap<string, number>, passage: ReadonlySet<string>): number {
  let [shared, all] = [0, 0];
  for (const [term, weight] of weights) {
    all += weight;
    if (passage.has(term)) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}

function scoreOf(
  words: number,
  claim: Float32Array | null,
  passage: Float32Array | null | undefined,
): number {
  if (claim === null || passage == null) return words;
  const { unrelated, equal } = COSINES;
  const content = Math.min(1, Math.max(0, (dotProduct(claim, passage) - unrelated) / (equal - unrelated)));
  return WEIGHTS.words * words + WEIGHTS.content * content;
}

interface PassageChoice {
  readonly source: Source;
  readonly passages: readonly { readonly text: string; readonly words: number }[];
}

/** A source cut into passages, each with its terms. */
interface SplitSource {
  readonly source: Source;
  readonly passages: readonly { readonly text: string; readonly terms: ReadonlySet<string> }[];
}

/** Splits sources into passages; yields to other work between them. */
async function splitIntoPassages(sources: readonly Source[], signal: AbortSignal): Promise<SplitSource[]> {
  const splitSources: SplitSource[] = [];
  for (const source of sources) {
    await nextTurn();
    // When the time is over, the sources split so far are ranked.
    if (signal.aborted) break;
    const texts = [
      ...source.indexPassages,
      ...splitDocument(source.text.slice(0, LONGEST_TEXT)).map(({ text }) => text),
    ];
    const passages = [...new Set(texts)].map((text) => ({ text, terms: new Set(termsOf(text)) }));
    splitSources.push({ source, passages });
  }
  return splitSources;
}

/** Chooses the passages to encode: those that share most words with the claim, then the first one. */
function chooseByWords(
  { source, passages }: SplitSource,
  weights: ReadonlyMap<string, number>,
): PassageChoice {
  const weighed = passages.map(({ text, terms }, index) => ({
    text,
    words: shareOf(weights, terms),
    first: index === 0,
  }));
  const best = weighed.toSorted(
    (one, other) => other.words - one.words || Number(other.first) - Number(one.first),
  );
  return { source, passages: best.slice(0, MOST_ENCODED) };
}

/**
 * Sources by how much they bear on a claim, by words and by content. Without the encoder words alone decide, and a source in
 * another language is then hardly found.
 */
export async function rankSources(
  claim: string,
  sources: readonly Source[],
  encoder: TextEncoder,
  signal: AbortSignal,
): Promise<RankedSource[]> {
  const splitSources = await splitIntoPassages(sources, signal);
  const all = splitSources.flatMap(({ passages }) => passages.map(({ terms }) => terms));
  const weights = weightsOf([...new Set(termsOf(claim))], all);
  const choices = splitSources.map((one) => chooseByWords(one, weights));
  // For a review the reviewed claim is compared as well: the text of the review may not repeat it.
  const reviewed = choices.map(({ source }) => source.review?.claim ?? '');
  const chosen = [
    ...new Set([...reviewed, ...choices.flatMap(({ passages }) => passages.map(({ text }) => text))]),
  ];
  const vectors = await encoder.encode([claim, ...chosen], signal).catch(() => undefined);
  const claimVector = vectors?.[0] ?? null;
  const vectorOf = new Map(chosen.map((text, index) => [text, vectors?.[index + 1]]));
  return choices
    .map(({ source, passages }, index) => {
      const ranked = passages
        .map(({ text, words }) => ({ text, score: scoreOf(words, claimVector, vectorOf.get(text)) }))
        .toSorted((one, other) => other.score - one.score)
        .slice(0, MOST_PASSAGES);
      const wording = reviewed[index] ?? '';
      const reviewScore =
        wording === ''
          ? 0
          : scoreOf(shareOf(weights, new Set(termsOf(wording))), claimVector, vectorOf.get(wording));
      const [best, ...rest] = ranked;
      const lifted = best === undefined ? [] : [{ ...best, score: Math.max(best.score, reviewScore) }];
      return { source, passages: [...lifted, ...rest] };
    })
    .toSorted((one, other) => (other.passages[0]?.score ?? 0) - (one.passages[0]?.score ?? 0));
}
