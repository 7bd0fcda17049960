import { describe, expect, it } from 'vitest';
import { createEncoder, shareEncoder } from '../../../src/text/encoder/encoder.ts';
import { readModelFile, writeModelFile } from '../../../src/text/encoder/model-file.ts';
import { vocabularySchema } from '../../../src/text/encoder/tokenizer.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';
import { columnFacts, pack, quantiseDense } from '../../../training/encoder/quantise.ts';

const COLUMNS = 8;
const { whole: _, ...parts } = readEncoderParts();

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

describe('encodeWithUpperLayers', () => {
  it('gives the sentence vectors that the encoder gives, to the bit', () => {
    const close = encoder.encodeWithUpperLayers(sentences, 'en');
    expect(close.map(({ vector }) => vector)).toEqual(
      encoder.encode(sentences, 'en').map(({ vector }) => vector),
    );
  });

  it('starts the second upper layer from what the first layer hands on', () => {
    for (const [index, { pieces, upper }] of encoder.encodeWithUpperLayers(sentences, 'en').entries()) {
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
    const together = encoder.encodeWithUpperLayers(many, 'en');
    many.forEach((sentence, index) => {
      const [alone] = encoder.encodeWithUpperLayers([sentence], 'en');
      expect(together[index]?.upper).toEqual(alone?.upper);
    });
  });
});

const HEAD_NUMBERS = 512 + 1536;

/** A layer for whole texts that is the encoder's own, with a head of these weights. */
function wholeLayer(head: Float32Array): Uint8Array {
  const { places, body } = readModelFile(parts.english, vocabularySchema);
  const own = Object.entries(places).filter(([name]) => name.startsWith('1.'));
  const lists = own.map(
    ([name, { offset, bytes }]) =>
      [name.replace('1.', 'whole.'), Int8Array.from(body.subarray(offset, offset + bytes))] as const,
  );
  return writeModelFile(
    { name: 'whole', version: '1' },
    { ...Object.fromEntries(lists), 'whole.head': head },
  );
}
const readsWhole = (head: Float32Array) =>
  createEncoder(shareEncoder({ ...parts, upper: ownLayerAgain(), whole: wholeLayer(head) }, 1), 0);

describe('the layer for whole texts', () => {
  const head = Float32Array.from({ length: HEAD_NUMBERS + 1 }, (_, at) => Math.sin(at));
  const reading = readsWhole(head);

  it('reads both languages and leaves vectors and pieces as they are', () => {
    const romanian = ['Consiliul a închis podul.', '', 'Nimeni nu a fost rănit.'];
    for (const [language, own] of [
      ['en', sentences],
      ['ro', romanian],
    ] as const) {
      const read = reading.encodeWithUpperLayers(own, language);
      expect(read.map(({ vector }) => vector)).toEqual(
        reading.encode(own, language).map(({ vector }) => vector),
      );
      expect(read.map(({ whole }) => whole)).toEqual([expect.any(Number), Number.NaN, expect.any(Number)]);
    }
    const upper = (one: typeof encoder) =>
      one.encodeWithUpperLayers(sentences, 'en').map((sentence) => sentence.upper);
    expect(upper(reading)).toEqual(upper(encoder));
    expect(reading.encodeWithUpperLayers(romanian, 'ro').every(({ upper }) => upper.length === 0)).toBe(true);
  });

  it('is linear in the weights of its head, which ends with a bias', () => {
    const [half] = readsWhole(head.map((weight) => weight / 2)).encodeWithUpperLayers(sentences, 'en');
    expect(2 * (half?.whole ?? 0)).toBeCloseTo(
      reading.encodeWithUpperLayers(sentences, 'en')[0]?.whole ?? 0,
      4,
    );
    const bias = new Float32Array(HEAD_NUMBERS + 1);
    bias[HEAD_NUMBERS] = 0.25;
    const read = readsWhole(bias).encodeWithUpperLayers(sentences, 'en');
    expect(read.map(({ whole }) => whole)).toEqual([0.25, Number.NaN, 0.25]);
  });

  it('says the same of a sentence however many stand beside it', () => {
    const many = Array.from({ length: 40 }, (_, index) => `${sentences[0]} Again, ${index} times.`);
    reading.encodeWithUpperLayers(many, 'en').forEach(({ whole }, index) => {
      expect(whole).toBe(reading.encodeWithUpperLayers([many[index] ?? ''], 'en')[0]?.whole);
    });
  });

  it('reads those that it is told to read, and leaves the others as they are', () => {
    const all = reading.encodeWithUpperLayers(sentences, 'en');
    const last = reading.encodeWithUpperLayers(sentences, 'en', (index) => index === 2);
    expect(last).toEqual(all.map((one, index) => (index === 2 ? one : { ...one, whole: Number.NaN })));
  });
});
