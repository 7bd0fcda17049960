/**
 * Trains the models of words of each fold and keeps them in a folder. Usage: npx tsx training/techniques/fold-models.ts FOLDER
 * [data folder, default ../shared/data].
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  readTechniquesModel,
  writeTechniquesModel,
} from '../../src/services/analysis/engines/techniques/model-file.ts';
import { foldModels } from './folds.ts';
import { FOLDS, readArticles } from './held-back.ts';

const [target = '', folder = '../shared/data'] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const shipped = readTechniquesModel(readFileSync('models/techniques.bin'));
const { words, labels, blend, spanThreshold } = shipped.screening;
const articles = readArticles(folder, words);
const told = (line: string) => process.stdout.write(`${line}\n`);
if (!existsSync(join(target, `words-${FOLDS - 1}.bin`)))
  foldModels(articles, words, labels, FOLDS, { blend, spanThreshold }, told).forEach((screening, fold) => {
    writeFileSync(join(target, `words-${fold}.bin`), writeTechniquesModel({ ...shipped, screening }));
  });
