import { readFileSync } from 'node:fs';
import { packageFile } from '../../../../foundation/files.ts';
import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { readGloss } from '../../../../text/encoder/gloss.ts';
import { englishOrRomanian } from '../../../../text/language.ts';
import { loadLinear } from '../../../../text/linear.ts';
import { parseClaim, relationsInClaims } from '../../../../text/statement/claim.ts';
import { readHierarchy } from '../../../../text/statement/hierarchy.ts';
import { type Match, matchClaims, matchWeights } from '../../../../text/statement/match.ts';
import { readRelations } from '../../../../text/statement/relations.ts';
import { parseStatement } from '../../../../text/statement/statement.ts';
import { loadVocabulary } from '../../../../text/vocabulary.ts';
import { comparedWords, MOST_WORDS } from './alignment.ts';
import { LEAST_WORDINGS, likenessFeatures, likenessProbability, likenessWeights } from './claim-likeness.ts';
import type { EncodedStatement } from './features.ts';
import { createStanceModel, type StanceProbabilities, stanceWeights } from './model.ts';

/** Compares claims with passages and with other claims, by the packaged models; each text may be English or Romanian. */
export interface ClaimComparer {
  /** Whether the sentences of a passage support or refute a claim; `vectorOf` gives the vectors of both. */
  stance(
    claim: string,
    sentences: readonly string[],
    vectorOf: (text: string) => Float32Array | undefined,
  ): StanceProbabilities;
  /** How similar a claim is to one that was reviewed before; `cosine` is that of their vectors. */
  match(claim: string, reviewed: string, cosine: number): Match;
  /**
   * Probability, 0 to 1, that a sentence speaks of the matter of a claim, which it may say or deny, by the wordings of the claim in the
   * language of the sentence; undefined where too few of them have a vector, or the sentence has none.
   */
  likeness(
    sentence: string,
    wordings: readonly string[],
    vectorOf: (text: string) => Float32Array | undefined,
  ): number | undefined;
  /** The wordings in the language of a sentence, which alone `likeness` reads. */
  inLanguageOf(sentence: string, wordings: readonly string[]): string[];
}

const NO_VECTOR = new Float32Array(512);

/** Loads the models and tables that claims are compared with. */
export function loadClaimComparer(): ClaimComparer {
  const file = (name: string) => readFileSync(packageFile('models', name));
  const json = (name: string): unknown => JSON.parse(file(name).toString('utf8'));
  const gloss = readGloss(file('gloss-ro.tsv').toString('utf8'));
  const relations = readRelations(file('relations-en.tsv').toString('utf8'));
  const languages = loadLinear(file('language.bin'));
  const model = createStanceModel(stanceWeights.parse(json('stance-weights.json')), {
    relations,
    hierarchy: readHierarchy(file('hierarchy-en.tsv').toString('utf8')),
    vocabulary: loadVocabulary(file('vocabulary.bin')),
  });
  const weights = matchWeights.parse(json('claim-match-weights.json'));
  const likenessModel = likenessWeights.parse(json('claim-likeness.json'));
  const languageOf = (text: string): EncoderLanguage => englishOrRomanian(languages, text);
  const statementOf = (text: string) => parseStatement(text, languageOf(text), gloss);
  const claimOf = (text: string) => parseClaim(text, languageOf(text), gloss);
  const claimRelations = relationsInClaims(relations);
  const beginningOf = (text: string) => {
    const statement = statementOf(text);
    return { ...statement, words: statement.words.slice(0, MOST_WORDS) };
  };
  const inLanguageOf: ClaimComparer['inLanguageOf'] = (sentence, wordings) => {
    const language = languageOf(sentence);
    return wordings.filter((wording) => languageOf(wording) === language);
  };
  return {
    inLanguageOf,
    stance: (claim, sentences, vectorOf) => {
      const encoded = (text: string): EncodedStatement => ({
        statement: beginningOf(text),
        words: comparedWords(text, languageOf(text), gloss),
        vector: vectorOf(text) ?? NO_VECTOR,
      });
      return model.judge(encoded(claim), sentences.map(encoded));
    },
    match: (claim, reviewed, cosine) =>
      matchClaims(claimOf(claim), claimOf(reviewed), cosine, { relations: claimRelations, model: weights }),
    likeness: (sentence, wordings, vectorOf) => {
      const language = languageOf(sentence);
      const read = (text: string) => {
        const vector = vectorOf(text);
        return vector === undefined ? [] : [{ statement: parseClaim(text, language, gloss), vector }];
      };
      const [said] = read(sentence);
      const known = inLanguageOf(sentence, wordings).flatMap(read);
      if (said === undefined || known.length < LEAST_WORDINGS) return undefined;
      return likenessProbability(likenessFeatures(said, known, claimRelations), likenessModel);
    },
  };
}
