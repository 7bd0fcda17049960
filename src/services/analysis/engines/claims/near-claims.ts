import { readFileSync } from 'node:fs';
import { packageFile } from '../../../../foundation/files.ts';
import { dotProduct } from '../../../../text/dot-product.ts';
import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { SIGNATURE_WORDS, signatureDistance, writeSignature } from '../../../../text/encoder/signature.ts';
import { type KeyedVectors, vectorKey } from '../../../../text/encoder/vector-file.ts';
import { parseClaim } from '../../../../text/statement/claim.ts';
import {
  LEAST_WORDINGS,
  type LikenessWeights,
  likenessFeatures,
  likenessProbability,
  likenessWeights,
  type VectoredStatement,
} from '../stance/claim-likeness.ts';
import type { ClaimTables, KnownWordings, StarterClaims } from './starter-claims.ts';

/** Claims that others have checked before, found by meaning. */
export interface NearClaims {
  /**
   * Probability, 0 to 1, that a sentence speaks of the matter of a known claim, which it may say, deny or ask (models/claim-likeness.md);
   * 0 where none is near. `vector` is that of the sentence, of length 1.
   */
  likeness(sentence: string, language: EncoderLanguage, vector: Float32Array): number;
}

/** No known claims. */
export const noNearClaims: NearClaims = { likeness: () => 0 };

/** A known claim in one language. */
interface NearClaim {
  /** The direction of all its wordings together, of length 1. */
  readonly centre: Float32Array;
  readonly wordings: readonly { readonly text: string; readonly bytes: Int8Array }[];
}

/** Claims whose wordings are read one by one, those first whose centre is nearest. */
const MOST_BY_CENTRE = 6;
/** Bits in which the signs of a centre may differ from those of a sentence: at a cosine of 0.5 a third of 512 do, give or take ten. */
const MOST_OTHER_SIGNS = 200;
/** Cosine to the nearest centre from which wordings are read at all; sentences that speak of a known claim are nearer, nine in ten of calm texts are not. */
const LEAST_CENTRE = 0.5;
/** Claims whose words are compared, those first that have the nearest wording. */
const MOST_COMPARED = 2;
/** A sentence farther from every wording speaks of no known claim; those that teach the weights are as near. */
const LEAST_COSINE = 0.5;

/** The vector of length 1 in the direction of some numbers. */
function direction(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(dotProduct(vector, vector));
  return length === 0 ? vector : vector.map((number) => number / length);
}

function centreOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  return direction(sum);
}

/** The claim by those of its wordings that have a vector; undefined where these are too few. */
function nearClaimOf(wordings: readonly string[], vectors: KeyedVectors): NearClaim | undefined {
  const known = [...new Set(wordings)].flatMap((text) => {
    const bytes = vectors.get(vectorKey(text));
    return bytes === undefined ? [] : [{ text, bytes }];
  });
  if (known.length < LEAST_WORDINGS) return undefined;
  return { centre: centreOf(known.map(({ bytes }) => direction(bytes))), wordings: known };
}

/** Creates the index of known claims by meaning. */
export function createNearClaims(
  claims: readonly KnownWordings[],
  { vectors, gloss, relations }: ClaimTables & { readonly vectors: KeyedVectors },
  weights: LikenessWeights,
): NearClaims {
  const listOf = (language: EncoderLanguage) =>
    listedClaims(claims.flatMap((wordings) => nearClaimOf(wordings[language], vectors) ?? []));
  const known = { en: listOf('en'), ro: listOf('ro') };
  return {
    likeness(sentence, language, vector) {
      const near = nearestClaims(vector, known[language]);
      if (near.length === 0) return 0;
      const said: VectoredStatement = { statement: parseClaim(sentence, language, gloss), vector };
      const probabilities = near.map((wordings) => {
        const stated = wordings.map(({ text, vector: known }) => ({
          statement: parseClaim(text, language, gloss),
          vector: known,
        }));
        return likenessProbability(likenessFeatures(said, stated, relations), weights);
      });
      return Math.max(...probabilities);
    },
  };
}

/** Claims with the signs of their centres, which show quickly those that are far. */
interface ListedClaims {
  readonly claims: readonly NearClaim[];
  readonly signs: Uint32Array;
}

function listedClaims(claims: readonly NearClaim[]): ListedClaims {
  const signs = new Uint32Array(claims.length * SIGNATURE_WORDS);
  claims.forEach(({ centre }, at) => {
    writeSignature(centre, signs, at * SIGNATURE_WORDS);
  });
  return { claims, signs };
}

/** The claims whose centre is near to a vector, the nearest first. */
function nearCentres(vector: Float32Array, { claims, signs }: ListedClaims): NearClaim[] {
  const own = new Uint32Array(SIGNATURE_WORDS);
  writeSignature(vector, own, 0);
  return claims
    .filter((_, row) => signatureDistance(signs, row, own) <= MOST_OTHER_SIGNS)
    .map((claim) => ({ claim, cosine: dotProduct(vector, claim.centre) }))
    .filter(({ cosine }) => cosine >= LEAST_CENTRE)
    .toSorted((one, two) => two.cosine - one.cosine)
    .slice(0, MOST_BY_CENTRE)
    .map(({ claim }) => claim);
}

interface VectoredWording {
  readonly text: string;
  readonly vector: Float32Array;
}

/** The wordings of the claims nearest to a vector, the nearest first; none that is far. */
function nearestClaims(vector: Float32Array, known: ListedClaims): VectoredWording[][] {
  return nearCentres(vector, known)
    .map((claim) => {
      const wordings = claim.wordings.map(({ text, bytes }) => ({ text, vector: direction(bytes) }));
      return { wordings, cosine: Math.max(...wordings.map((one) => dotProduct(vector, one.vector))) };
    })
    .filter(({ cosine }) => cosine >= LEAST_COSINE)
    .toSorted((one, two) => two.cosine - one.cosine)
    .slice(0, MOST_COMPARED)
    .map(({ wordings }) => wordings);
}

/** The claims of the starter set by meaning; read at the first sentence. */
export function loadNearClaims(read: () => StarterClaims): NearClaims {
  let loaded: NearClaims | undefined;
  return {
    likeness: (sentence, language, vector) => {
      if (loaded === undefined) {
        const { claims, ...tables } = read();
        const weights: unknown = JSON.parse(
          readFileSync(packageFile('models', 'claim-likeness.json'), 'utf8'),
        );
        loaded = createNearClaims(claims, tables, likenessWeights.parse(weights));
      }
      return loaded.likeness(sentence, language, vector);
    },
  };
}
