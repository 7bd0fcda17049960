/**
 * Writes what `upper.py` learns from: the states of all pieces of all sentences behind the first layer of the encoder, and what each
 * text is. Usage: npx tsx training/reading/export-texts.ts FOLDER [data folder]
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import { toPlainText } from '../../src/services/analysis/engines/plain-text.ts';
import { createEncoder, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { readModelFile } from '../../src/text/encoder/model-file.ts';
import { createNetwork, shareNetwork } from '../../src/text/encoder/network.ts';
import { vocabularySchema } from '../../src/text/encoder/tokenizer.ts';
import { sentencesOf } from '../../src/text/sentences.ts';
import { readEncoderParts } from '../encoder/parts.ts';
import { DATA_FOLDER } from '../rows.ts';
import { isShort, readingRows } from './rows.ts';

const [target = '', folder = DATA_FOLDER] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const file = readModelFile(readFileSync(packageFile('models', 'encoder-en.bin')), vocabularySchema);
const network = createNetwork(shareNetwork(file, 1), 0);
const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const states = openSync(join(target, 'lower.f32'), 'w');
const texts = readingRows(folder).map((row) => {
  const counts = sentencesOf(toPlainText(row.text).text).map(({ text }) => {
    const ids = encoder.encodePieces(text, row.lang).pieces.map(({ id }) => id);
    if (ids.length > 0) writeSync(states, network.lower(Uint16Array.from(ids)));
    return ids.length;
  });
  return { hand: row.hand, lang: row.lang, loud: row.loud, short: isShort(row), counts };
});
closeSync(states);
writeFileSync(join(target, 'texts.json'), JSON.stringify(texts));
process.stdout.write(`${texts.length} texts\n`);
