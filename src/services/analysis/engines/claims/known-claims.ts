import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { parseClaim } from '../../../../text/statement/claim.ts';
import { claimHash } from '../../../../text/statement/claim-hash.ts';
import { areEquivalent } from '../../../../text/statement/match.ts';
import type { Statement } from '../../../../text/statement/statement.ts';
import type { ClaimTables, KnownWordings, StarterClaims } from './starter-claims.ts';

/** How a text matches a known claim: word for word, or as a paraphrase. */
export type KnownMatch = 'verbatim' | 'same';

/** Claims that others have checked before, in all their wordings. */
export interface KnownClaims {
  /** The known claims that a sentence may hold, as a whole or in a part of it. */
  within(sentence: string): KnownClaimMatches;
}

/** The known claims whose words stand in one sentence. */
export interface KnownClaimMatches {
  /** Whether there is any; without one the sentence need not be searched. */
  readonly some: boolean;
  /** How a part of the sentence matches them; undefined: not at all. */
  match(part: string): KnownMatch | undefined;
}

/** The empty set of known claims. */
export const noKnownClaims: KnownClaims = { within: () => ({ some: false, match: () => undefined }) };

interface Wording {
  readonly statement: Statement;
  readonly hash: string;
}

/** Words of a wording that a sentence must have: one may stand there as a synonym. */
const LEAST_SHARE = 0.6;
const LANGUAGES: readonly EncoderLanguage[] = ['en', 'ro'];

/** Wordings by the stems of their words. */
function indexOf(wordings: readonly Wording[]): ReadonlyMap<string, readonly Wording[]> {
  const byStem = new Map<string, Wording[]>();
  for (const wording of wordings)
    for (const stem of new Set(wording.statement.words.flatMap(({ stems }) => stems))) {
      const list = byStem.get(stem) ?? [];
      list.push(wording);
      byStem.set(stem, list);
    }
  return byStem;
}

/** Wordings most of whose words stand in a statement. */
function candidatesOf(statement: Statement, byStem: ReadonlyMap<string, readonly Wording[]>): Wording[] {
  const counts = new Map<Wording, number>();
  for (const { stems } of statement.words)
    for (const wording of new Set(stems.flatMap((stem) => byStem.get(stem) ?? [])))
      counts.set(wording, (counts.get(wording) ?? 0) + 1);
  return [...counts]
    .filter(([{ statement: known }, shared]) => shared >= LEAST_SHARE * known.words.length)
    .map(([wording]) => wording);
}

/** Creates the index of known claims; a text is compared with the wordings of each language as if it were written in that language. */
export function createKnownClaims(
  claims: readonly KnownWordings[],
  { gloss, relations }: ClaimTables,
): KnownClaims {
  const read = (text: string, language: EncoderLanguage) => parseClaim(text, language, gloss);
  const indexes = LANGUAGES.map((language) => ({
    language,
    byStem: indexOf(
      claims
        .flatMap((wordings) => wordings[language])
        .map((text) => ({ statement: read(text, language), hash: claimHash(text) })),
    ),
  }));
  return {
    within: (sentence) => {
      const matches = indexes
        .map(({ language, byStem }) => ({
          language,
          wordings: candidatesOf(read(sentence, language), byStem),
        }))
        .filter(({ wordings }) => wordings.length > 0);
      const isVerbatim = (part: string) => {
        const hash = claimHash(part);
        return matches.some(({ wordings }) => wordings.some((known) => known.hash === hash));
      };
      // A question in Romanian may put its verb first: its order then looks like that of the passive.
      const asks = /\?\s*$/.test(sentence);
      const isSame = (part: string) =>
        matches.some(({ language, wordings }) => {
          const statement = read(part, language);
          return wordings.some(
            ({ statement: known }) =>
              (!asks || statement.isPassive === known.isPassive) &&
              areEquivalent(statement, known, relations),
          );
        });
      return {
        some: matches.length > 0,
        match: (part) => (isVerbatim(part) ? 'verbatim' : isSame(part) ? 'same' : undefined),
      };
    },
  };
}

/** The claims of the starter set in all their wordings; read at the first comparison, so that threads start sooner. */
export function loadKnownClaims(read: () => StarterClaims): KnownClaims {
  let loaded: KnownClaims | undefined;
  return {
    within: (sentence) => {
      if (loaded === undefined) {
        const { claims, ...tables } = read();
        loaded = createKnownClaims(claims, tables);
      }
      return loaded.within(sentence);
    },
  };
}
