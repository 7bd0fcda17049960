import { rerankTermsOf } from '../../src/services/reranking/backends/packaged/terms.ts';
import type { Encoder } from '../../src/text/encoder/encoder.ts';
import type { Gloss } from '../../src/text/encoder/gloss.ts';
import { randomStream, shuffled } from '../rows.ts';
import type { Asked, Collection, Need } from './sets.ts';

/** Candidates that answer nothing: those that look likeliest by words, those by nearness of meaning, and any. */
const HARD_BY_WORDS = 20;
const HARD_BY_MEANING = 20;
const ANY = 9;

interface Shelf {
  readonly texts: readonly string[];
  readonly groups: readonly string[];
  readonly vectors: readonly (Float32Array | null)[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function shelve({ texts }: Collection, encoder: Encoder, gloss: Gloss): Shelf {
  const all = [...texts.keys()];
  const places = new Map<string, number[]>();
  all.forEach((text, place) => {
    const keys = new Set(rerankTermsOf(gloss, text, encoder.languageOf(text)).flatMap((term) => term.keys));
    for (const key of keys) {
      const known = places.get(key) ?? [];
      known.push(place);
      places.set(key, known);
    }
  });
  const vectors = all.map((text) => encoder.encode([text])[0]?.vector ?? null);
  return { texts: all, groups: [...texts.values()], vectors, places };
}

/** Sum of the rarity of shared words, for every text of the shelf. */
function byWords(shelf: Shelf, query: string, encoder: Encoder, gloss: Gloss): Float64Array {
  const scores = new Float64Array(shelf.texts.length);
  const keys = new Set(rerankTermsOf(gloss, query, encoder.languageOf(query)).flatMap((term) => term.keys));
  for (const key of keys) {
    const places = shelf.places.get(key) ?? [];
    const rarity = Math.log((shelf.texts.length + 1) / (places.length + 0.5));
    for (const place of places) scores[place] = (scores[place] ?? 0) + rarity;
  }
  return scores;
}

function dot(one: Float32Array, two: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (two[at] ?? 0);
  return sum;
}

function byMeaning(shelf: Shelf, query: string, encoder: Encoder): Float64Array {
  const own = encoder.encode([query])[0]?.vector;
  return Float64Array.from(shelf.vectors, (vector) => (vector && own ? dot(vector, own) : 0));
}

/** The queries with their candidates, the same for the same seed; `most` queries at most. */
export function askAll(collection: Collection, encoder: Encoder, gloss: Gloss, most: number): Asked[] {
  const shelf = shelve(collection, encoder, gloss);
  const needs = shuffled(collection.needs, 5).slice(0, most);
  return needs.map((need, index) => ask(need, shelf, encoder, gloss, randomStream(index)));
}

function ask(need: Need, shelf: Shelf, encoder: Encoder, gloss: Gloss, random: () => number): Asked {
  const answers = new Set(need.answers.keys());
  // Texts of the same document may answer too, whatever the rows say.
  const usable = shelf.texts.flatMap((text, place) =>
    shelf.groups[place] === need.group || answers.has(text) || text === need.query ? [] : [place],
  );
  const chosen = new Set<number>();
  const take = (scores: Float64Array, count: number) => {
    const best = usable
      .filter((place) => !chosen.has(place))
      .sort((one, two) => (scores[two] ?? 0) - (scores[one] ?? 0))
      .slice(0, count);
    for (const place of best) chosen.add(place);
  };
  take(byWords(shelf, need.query, encoder, gloss), HARD_BY_WORDS);
  take(byMeaning(shelf, need.query, encoder), HARD_BY_MEANING);
  take(Float64Array.from(shelf.texts, random), ANY);
  const candidates = [
    ...[...need.answers].map(([text, relevance]) => ({ text, relevance })),
    ...[...chosen].map((place) => ({ text: shelf.texts[place] ?? '', relevance: 0 })),
  ];
  return { query: need.query, group: need.group, candidates: shuffled(candidates, 3) };
}
