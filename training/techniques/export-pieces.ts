/**
 * Writes what `upper.py` learns from: pieces of every sentence with their states behind the first layer of the encoder, and the
 * marked spans. Usage: npx tsx training/techniques/export-pieces.ts FOLDER [data folder, default ../shared/data].
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import meta from '../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { readTechniquesModel } from '../../src/services/analysis/engines/techniques/model-file.ts';
import { readModelFile } from '../../src/text/encoder/model-file.ts';
import { createNetwork, LONGEST_SENTENCE, shareNetwork } from '../../src/text/encoder/network.ts';
import { createTokenizer, vocabularySchema } from '../../src/text/encoder/tokenizer.ts';
import { articlesOf } from './articles.ts';
import { type Row, randomFrom, readRows, shuffled } from './rows.ts';

const [target = '', folder = '../shared/data'] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const { words } = readTechniquesModel(readFileSync('models/techniques.bin')).screening;
const labels = Object.keys(meta.label_to_codes.semeval2020).sort();
const rows = readRows<Row>(`${folder}/techniques/train.jsonl.gz`);
const articles = shuffled(
  articlesOf(rows, words, (_, tokens) => new Uint8Array(tokens.length)),
  randomFrom(5),
);
const file = readModelFile(readFileSync('models/encoder-en.bin'), vocabularySchema);
const tokenizer = createTokenizer(file.header);
const network = createNetwork(shareNetwork(file, 1), 0);

const states = openSync(join(target, 'lower.f32'), 'w');
const sentences = articles.flatMap(({ view, text, spans }, article) =>
  view.sentences.map((range, index) => {
    const start = view.tokens[range.from]?.start ?? 0;
    const sentence = text.slice(start, view.tokens[range.to - 1]?.end ?? start);
    const { pieces } = tokenizer.tokenize(sentence, LONGEST_SENTENCE);
    if (pieces.length > 0) writeSync(states, network.lower(Uint16Array.from(pieces, ({ id }) => id)));
    // Places are code points; the text counts in UTF-16.
    const places = [0];
    for (const character of sentence) places.push((places.at(-1) ?? 0) + character.length);
    const own = spans.filter((span) => span.sentence === index && span.to > span.from);
    return {
      article,
      pieces: pieces.map((piece) => [start + (places[piece.start] ?? 0), start + (places[piece.end] ?? 0)]),
      ids: pieces.map(({ id }) => id),
      tokens: view.tokens.slice(range.from, range.to).map((token) => [token.start, token.end]),
      spans: own.map(({ from, to, label }) => [
        view.tokens[from]?.start ?? 0,
        view.tokens[to - 1]?.end ?? 0,
        labels.indexOf(label),
      ]),
    };
  }),
);
closeSync(states);
writeFileSync(join(target, 'sentences.json'), JSON.stringify({ labels, sentences }));
process.stdout.write(`${sentences.length} sentences\n`);
