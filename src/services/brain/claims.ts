import { readFileSync } from 'node:fs';
import { packageFile } from '../../foundation/files.ts';
import { type Gloss, readGloss } from '../../text/encoder/gloss.ts';
import { englishOrRomanian } from '../../text/language.ts';
import { loadLinear } from '../../text/linear.ts';
import { parseClaim, relationsInClaims } from '../../text/statement/claim.ts';
import { claimHash } from '../../text/statement/claim-hash.ts';
import { type Match, type MatchWeights, matchClaims, matchWeights } from '../../text/statement/match.ts';
import { readRelations } from '../../text/statement/relations.ts';
import type { Statement } from '../../text/statement/statement.ts';

/** A claim with what the cache looks up and compares. */
export interface ParsedClaim {
  readonly text: string;
  readonly language: 'en' | 'ro';
  /** Equal for claims that differ in letters' case, diacritics and punctuation alone. */
  readonly hash: string;
  /** Search terms, comparable between both languages. */
  readonly terms: readonly string[];
  readonly statement: Statement;
}

/** Reads and compares claims. */
export interface ClaimParser {
  read(text: string, language?: 'en' | 'ro'): ParsedClaim;
  match(one: ParsedClaim, other: ParsedClaim, cosine: number): Match;
}

function termsOf({ words, quantities }: Statement): string[] {
  return [...new Set([...words.flatMap(({ stems }) => stems), ...quantities.map(({ value }) => value)])];
}

/** Shared by the process. */
let loaded: ClaimParser | undefined;

function sharedParser(): ClaimParser {
  loaded ??= loadClaimParser();
  return loaded;
}

/** A reader that loads its tables when the first claim comes: they take a fifth of a second. */
export const claimParser: ClaimParser = {
  read: (text, language) => sharedParser().read(text, language),
  match: (one, other, cosine) => sharedParser().match(one, other, cosine),
};

/** Loads what claims are read with: the gloss, the table of related words, the language model and the fitted weights. */
export function loadClaimParser(): ClaimParser {
  const file = (name: string) => readFileSync(packageFile('models', name));
  const gloss: Gloss = readGloss(file('gloss-ro.tsv').toString('utf8'));
  const relations = relationsInClaims(readRelations(file('relations-en.tsv').toString('utf8')));
  const languages = loadLinear(file('language.bin'));
  const model: MatchWeights = matchWeights.parse(
    JSON.parse(file('claim-match-weights.json').toString('utf8')),
  );
  const languageOf = (text: string) => englishOrRomanian(languages, text);
  return {
    read: (text, language = languageOf(text)) => {
      const statement = parseClaim(text, language, gloss);
      return { text, language, hash: claimHash(text), terms: termsOf(statement), statement };
    },
    match: (one, other, cosine) => matchClaims(one.statement, other.statement, cosine, { relations, model }),
  };
}
