/**
 * Trains models/entities-en.bin and models/entities-ro.bin: npx tsx training/entities.ts [en|ro] [data folder].
 * The sentences that are held back (training/evaluate/rows.ts) are not learned from; confidence is fitted on them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { writeModelFile } from '../src/text/encoder/model-file.ts';
import { ENTITY_TAGS, type EntityHeader, loadEntityModel, logOdds } from '../src/text/entities/entities.ts';
import { wordBuckets } from '../src/text/entities/features.ts';
import { glossedClasses } from '../src/text/entities/word-classes.ts';
import { loadVocabulary } from '../src/text/vocabulary.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { type ChainExample, type ChainWeights, trainChain } from './entities/crf.ts';
import {
  corpusOf,
  type EntityRow,
  goldRuns,
  hasMisc,
  INFERENCE_CORPUS,
  isNeverMisc,
} from './entities/rows.ts';
import { wordClasses } from './entities/word-classes.ts';
import { isHeldBack } from './evaluate/rows.ts';
import { plattScale } from './logistic.ts';
import { DATA_FOLDER, readRows } from './rows.ts';

const [chosen = 'en', folder = DATA_FOLDER] = process.argv.slice(2);
const language = chosen === 'ro' ? 'ro' : 'en';
const BITS = 18;
const vocabulary = loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
const count = ENTITY_TAGS.length;
/** Romanian has few rows: there the meaning of words helps. */
const parts = language === 'ro' ? readEncoderParts() : undefined;
const table = parts && wordClasses(parts);
const classOf = parts && table && glossedClasses(table, parts.gloss);

const rows = readRows<EntityRow>(folder, 'ner').filter((row) => row.lang === language);
const isHeld = ({ tokens }: EntityRow) => isHeldBack(tokens.join(' '));

/** A row to learn from: where nobody marked MISC, a word that was left out may be one. */
function exampleOf(row: EntityRow): ChainExample {
  const allowed = new Uint8Array(row.tokens.length * count);
  row.tags.forEach((tag, word) => {
    const at = (ENTITY_TAGS as readonly string[]).indexOf(tag);
    allowed[word * count + Math.max(0, at)] = 1;
    if (tag === 'O' && !hasMisc(row.source))
      ENTITY_TAGS.forEach((name, other) => {
        if (name.endsWith('MISC')) allowed[word * count + other] = 1;
      });
  });
  const corpus = corpusOf(row.source, language);
  return { buckets: wordBuckets(row.tokens, { vocabulary, bits: BITS, corpus, classOf }), allowed };
}

function bytesOf(weights: ChainWeights, calibration: EntityHeader['calibration']): Uint8Array {
  const largest = new Array<number>(count).fill(1e-9);
  weights.words.forEach((weight, at) => {
    largest[at % count] = Math.max(largest[at % count] ?? 0, Math.abs(weight));
  });
  const scales = largest.map((limit) => limit / 127);
  const header: EntityHeader = {
    bits: BITS,
    language,
    corpus: INFERENCE_CORPUS[language],
    scales,
    calibration,
  };
  return writeModelFile(
    { name: `limpede-entities-${language}-1`, version: '1.0.0', ...header },
    {
      words: Int8Array.from(weights.words, (weight, at) => Math.round(weight / (scales[at % count] ?? 1))),
      steps: Float32Array.from(weights.steps),
      first: Float32Array.from(weights.first),
      ...(table && { classHashes: table.hashes, classes: table.classes }),
    },
  );
}

const started = Date.now();
const weights = trainChain(rows.filter((row) => !isHeld(row)).map(exampleOf), {
  tags: count,
  bits: BITS,
  epochs: language === 'ro' ? 8 : 6,
  rate: 0.1,
  decay: 1e-4,
  seed: 3,
});
console.log(`trained in ${((Date.now() - started) / 1000).toFixed(0)} s`);

const draft = loadEntityModel(bytesOf(weights, { slope: 1, intercept: 0 }), {
  vocabulary,
  gloss: parts?.gloss,
});
const said = rows.filter(isHeld).flatMap((row) => {
  const gold = new Set(goldRuns(row.tags));
  return draft
    .tag(row.tokens)
    .filter(({ kind }) => !isNeverMisc(kind, row.source))
    .map(({ from, to, kind, confidence }) => ({
      odds: logOdds(confidence),
      right: gold.has(`${from} ${to} ${kind}`),
    }));
});
const calibration = plattScale(
  said.map(({ odds }) => odds),
  said.map(({ right }) => right),
);
const bytes = bytesOf(weights, calibration);
writeFileSync(packageFile('models', `entities-${language}.bin`), bytes);
console.log(
  `models/entities-${language}.bin: ${bytes.length} bytes, confidence ${JSON.stringify(calibration)}`,
);
