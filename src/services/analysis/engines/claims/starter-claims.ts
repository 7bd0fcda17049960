import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../../../../foundation/files.ts';
import { localizedText } from '../../../../foundation/localized-text.ts';
import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { type Gloss, readGloss } from '../../../../text/encoder/gloss.ts';
import { type KeyedVectors, readVectors } from '../../../../text/encoder/vector-file.ts';
import { relationsInClaims } from '../../../../text/statement/claim.ts';
import { type Relations, readRelations } from '../../../../text/statement/relations.ts';

/** The wordings of one claim that others have checked before, in each language. */
export type KnownWordings = Readonly<Record<EncoderLanguage, readonly string[]>>;

/** The tables that claims are compared with. */
export interface ClaimTables {
  readonly gloss: Gloss;
  readonly relations: Relations;
}

/** The claims of the starter set in all their wordings, with the vectors of these and the tables to compare them with. */
export interface StarterClaims extends ClaimTables {
  readonly claims: readonly KnownWordings[];
  readonly vectors: KeyedVectors;
}

/** The part of a row of the starter set that is read here. */
const row = z.object({
  claim: localizedText,
  wordings: z.object({ en: z.array(z.string()), ro: z.array(z.string()) }),
});

const starterFile = (name: string) => readFileSync(packageFile('data', 'evidence', 'starter', name));
const tableOf = (name: string) => readFileSync(packageFile('models', name), 'utf8');

/** Reads the starter set, when it is first asked for and once: threads start sooner without it. */
export function createStarterClaims(): () => StarterClaims {
  let read: StarterClaims | undefined;
  return () => {
    read ??= readStarterClaims();
    return read;
  };
}

function readStarterClaims(): StarterClaims {
  const claims = starterFile('claims.jsonl')
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => row.parse(JSON.parse(line)))
    .map(({ claim, wordings }) => ({
      en: [claim.en, ...wordings.en],
      ro: [claim.ro, ...wordings.ro],
    }));
  return {
    claims,
    vectors: readVectors(starterFile('vectors.bin')),
    gloss: readGloss(tableOf('gloss-ro.tsv')),
    relations: relationsInClaims(readRelations(tableOf('relations-en.tsv'))),
  };
}
