import type { ImageResult } from '../contract/search.ts';
import { type ImageHit, isWebAddress } from './provider.ts';

/** The pictures that each provider found for one query, the best first. */
interface FoundForQuery {
  readonly query: string;
  readonly lists: readonly (readonly ImageHit[])[];
}

const webAddress = (address: string | null) => (address !== null && isWebAddress(address) ? address : null);

/** A picture without addresses that must not be followed: those of scripts and of data. */
const withWebAddresses = (image: ImageHit): ImageHit => ({
  ...image,
  thumbnail_url: webAddress(image.thumbnail_url),
  source_url: webAddress(image.source_url),
});

/** Pictures of several providers, in turns by rank, each once, at the first query that found it; `most` for a query. */
export function mergePictures(hitsByQuery: readonly FoundForQuery[], most: number): ImageResult[] {
  const seen = new Set<string>();
  return hitsByQuery.flatMap(({ query, lists }) => {
    const longest = Math.max(0, ...lists.map(({ length }) => length));
    const inTurns = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? []));
    const unique = inTurns.flat().filter(({ image_url: address }) => {
      if (seen.has(address) || !isWebAddress(address)) return false;
      seen.add(address);
      return true;
    });
    return unique
      .slice(0, most)
      .map((image, index) => ({ query, ...withWebAddresses(image), rank: index + 1 }));
  });
}
