import { describe, expect, it } from 'vitest';
import { createEncoder, shareEncoder } from '../../../src/text/encoder/encoder.ts';
import { readModelFile, writeModelFile } from '../../../src/text/encoder/model-file.ts';
import { vocabularySchema } from '../../../src/text/encoder/tokenizer.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';
import { columnFacts, pack, quantiseDense } from '../../../training/encoder/quantise.ts';

const COLUMNS = 8;
const parts = readEncoderParts();

/** A second upper layer that is the encoder's own, whose heads read the first numbers of a piece. */
function ownLayerAgain(): Uint8Array {
  const { places, body } = readModelFile(parts.english, vocabularySchema);
  const own = Object.entries(places).filter(([name]) => name.startsWith('1.'));
  const lists: Record<string, Int8Array> = Object.fromEntries(
    own.map(([name, { offset, bytes }]) => [
      name.replace('1.', 'upper.'),
      Int8Array.from(body.subarray(offset, offset + bytes)),
    ]),
  );
  const weights = new Float32Array(512 * COLUMNS);
  for (let column = 0; column < COLUMNS; column += 1) weights[column * COLUMNS + column] = 1;
  const heads = { weights, biases: new Float32Array(COLUMNS) };
  const rounded = quantiseDense(heads, false);
  lists['upper.heads'] = pack(rounded);
  const facts = columnFacts(heads, rounded, new Float32Array(512));
  lists['upper.heads_facts'] = new Int8Array(facts.buffer);
  return writeModelFile({ name: 'again', version: '1', columns: COLUMNS }, lists);
}

const encoder = createEncoder(shareEncoder({ ...parts, upper: ownLayerAgain() }, 1), 0);
const sentences = ['The council closed the bridge.', '', 'Nobody was hurt, the mayor said on Tuesday!'];

describe('encodeWithUpperLayer', () => {
  it('gives the sentence vectors that the encoder gives, to the bit', () => {
    const close = encoder.encodeWithUpperLayer(sentences);
    expect(close.map(({ vector }) => vector)).toEqual(
      encoder.encode(sentences, 'en').map(({ vector }) => vector),
    );
  });

  it('starts the second upper layer from what the first layer hands on', () => {
    for (const [index, { pieces, upper }] of encoder.encodeWithUpperLayer(sentences).entries()) {
      const { vectors, pieces: known } = encoder.encodePieces(sentences[index] ?? '', 'en');
      expect(pieces).toEqual(known);
      vectors.forEach((vector, piece) => {
        for (let column = 0; column < COLUMNS; column += 1)
          expect(upper[piece * COLUMNS + column]).toBeCloseTo(vector[column] ?? 0, 1);
      });
    }
  });

  it('says the same of a sentence however many stand beside it', () => {
    const many = Array.from({ length: 40 }, (_, index) => `${sentences[0]} Again, ${index} times.`);
    const together = encoder.encodeWithUpperLayer(many);
    many.forEach((sentence, index) => {
      const [alone] = encoder.encodeWithUpperLayer([sentence]);
      expect(together[index]?.upper).toEqual(alone?.upper);
    });
  });
});
