import { readFileSync } from 'node:fs';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { comparedWords } from '../../../../../src/services/analysis/engines/stance/alignment.ts';
import { addSurprisal } from '../../../../../src/services/analysis/engines/stance/meanings.ts';
import { readGloss } from '../../../../../src/text/encoder/gloss.ts';
import { readHierarchy } from '../../../../../src/text/statement/hierarchy.ts';
import { readRelations } from '../../../../../src/text/statement/relations.ts';
import { loadVocabulary } from '../../../../../src/text/vocabulary.ts';

const file = (name: string) => readFileSync(packageFile('models', name));

/** The packaged tables by which words are compared. */
export const tables = {
  relations: readRelations(file('relations-en.tsv').toString('utf8')),
  hierarchy: readHierarchy(file('hierarchy-en.tsv').toString('utf8')),
  vocabulary: loadVocabulary(file('vocabulary.bin')),
};
const gloss = readGloss(file('gloss-ro.tsv').toString('utf8'));

/** The words of an English sentence. */
export const words = (text: string) => comparedWords(text, 'en', gloss);
/** The words of an English sentence with their surprise. */
export const weighed = (text: string) => addSurprisal(words(text), tables.vocabulary);
