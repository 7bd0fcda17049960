import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncoder, shareEncoder } from '../../../src/text/encoder/encoder.ts';
import { readModelFile } from '../../../src/text/encoder/model-file.ts';
import { createNetwork } from '../../../src/text/encoder/network.ts';
import { vocabularySchema } from '../../../src/text/encoder/tokenizer.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';
import { runs } from '../../campaign.ts';
import original from './fixtures/original.json' with { type: 'json' };

const parts = readEncoderParts();
const shared = shareEncoder(parts, 2);
const encoder = createEncoder(shared, 0);

function vectorOf(text: string): Float32Array {
  const vector = encoder.encode([text])[0]?.vector;
  if (!vector) throw new Error(`no vector for ${text}`);
  return vector;
}

const cosine = (one: ArrayLike<number>, two: ArrayLike<number>) =>
  Array.from(one).reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0);

describe('encoder', () => {
  it('agrees with the float vectors of the original', () => {
    const cosines = original.sentences.map(({ text, vector }) => cosine(vectorOf(text), vector));
    expect(Math.min(...cosines)).toBeGreaterThan(0.997);
    expect(cosines.reduce((sum, one) => sum + one, 0) / cosines.length).toBeGreaterThan(0.999);
  });

  it('gives vectors of 512 numbers and length 1', () => {
    const vector = vectorOf('The council closed the bridge.');
    expect(vector.length).toBe(512);
    expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  });

  it('puts sentences of like content near each other', () => {
    const asked = vectorOf('The government raised the price of petrol.');
    const near = cosine(asked, vectorOf('Fuel prices were increased by the cabinet.'));
    const far = cosine(asked, vectorOf('The goalkeeper saved a penalty in the last minute.'));
    expect(near).toBeGreaterThan(far + 0.2);
  });

  it('makes neighbours of English and Romanian sentences of one meaning', () => {
    const english = [
      'The government raised the price of petrol.',
      'Doctors say that the vaccine is safe.',
      'The goalkeeper saved a penalty.',
    ];
    const romanian = [
      'Guvernul a mărit prețul benzinei.',
      'Medicii spun că vaccinul este sigur.',
      'Portarul a apărat un penalty.',
    ];
    for (const texts of [romanian, romanian.map((text) => text.normalize('NFD').replace(/\p{M}/gu, ''))]) {
      const cosines = texts.map((text) => english.map((other) => cosine(vectorOf(text), vectorOf(other))));
      expect(cosines.map((row) => row.indexOf(Math.max(...row)))).toEqual([0, 1, 2]);
    }
  });

  it('takes a text for Romanian or English however short it is', () => {
    expect(['Ploaie', 'Și', 'Nu este adevărat', 'Vaccinul este sigur'].map(encoder.languageOf)).toEqual(
      Array(4).fill('ro'),
    );
    expect(['Rain', 'OK', '', '123', 'That is not true'].map(encoder.languageOf)).toEqual(
      Array(5).fill('en'),
    );
    expect(encoder.encode(['rain'], 'ro')[0]?.vector).not.toEqual(vectorOf('rain'));
  });

  it('leads the pieces of a Romanian sentence back to its words', () => {
    const sentence = '😀 Guvernul a închis podul din Cluj.';
    const { pieces, vectors } = encoder.encodePieces(sentence);
    const characters = [...sentence];
    const quotes = new Set(pieces.map(({ start, end }) => characters.slice(start, end).join('')));
    for (const quote of ['Guvernul', 'podul', '.']) expect(quotes).toContain(quote);
    expect(vectors.length).toBe(pieces.length);
    expect(Math.max(...pieces.map(({ end }) => end))).toBe(characters.length);
  });

  it('has no vector for a text without words', () => {
    const answers = encoder.encode(['', ' \n', 'Yes.']);
    expect(answers.map(({ vector, pieces }) => [vector === null, pieces > 0])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  it('reads 128 pieces and tells when there were more', () => {
    const start = 'word '.repeat(128);
    const [whole, cut] = encoder.encode([start, `${start} and more`]);
    expect([whole?.truncated, cut?.truncated, cut?.pieces]).toEqual([false, true, 128]);
    expect(cut?.vector).toEqual(whole?.vector);
  });

  it('gives the same bits alone, in a batch, in another thread, and without relaxed SIMD', () => {
    const words = fc.array(
      fc.constantFrom('the', 'vaccine', 'Minister', '5G', '☃', 'said', 'that', 'café', '.'),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    const sentences = fc.array(
      words.map((some) => some.join(' ')),
      { minLength: 1, maxLength: 9 },
    );
    const other = createEncoder(shared, 1);
    fc.assert(
      fc.property(sentences, (batch) => {
        const together = encoder.encode(batch).map(({ vector }) => vector);
        expect(batch.map((sentence) => vectorOf(sentence))).toEqual(together);
        expect(other.encode(batch.toReversed()).map(({ vector }) => vector)).toEqual(together.toReversed());
      }),
      { numRuns: runs(25) },
    );
    const ids = Uint16Array.from([34, 6325, 131, 356, 18, 1297, 6]);
    const plain = createNetwork(shared.network, 1, false);
    expect(plain.sentences([ids])).toEqual(createNetwork(shared.network, 0).sentences([ids]));
  });

  it('gives each piece its place and its vector', () => {
    const { pieces, vectors, truncated } = encoder.encodePieces('The vaccine is safe.');
    expect(truncated).toBe(false);
    expect(pieces.map(({ start, end }) => [start, end])).toEqual([
      [0, 3],
      [4, 7],
      [7, 8],
      [8, 11],
      [12, 14],
      [15, 19],
      [19, 20],
    ]);
    // The first numbers of the first piece in floats: -1.5131 1.9512 3.3734 5.3039.
    const first = [...(vectors[0]?.subarray(0, 4) ?? [])];
    [-1.5131, 1.9512, 3.3734, 5.3039].forEach((value, index) => {
      expect(Math.abs((first[index] ?? 9) - value)).toBeLessThan(0.25);
    });
    expect(encoder.encodePieces('').vectors).toEqual([]);
  });

  it('keeps the quick sums of four products within 16 bits', () => {
    const { places, body } = readModelFile(parts.english, vocabularySchema);
    for (const name of ['attention_in', 'attention_out', 'feed_in'].flatMap((part) => [
      `0.${part}`,
      `1.${part}`,
    ])) {
      const { offset, bytes } = places[name] ?? { offset: 0, bytes: 0 };
      const packed = Int8Array.from(body.subarray(offset, offset + bytes));
      expect(packed.length).toBeGreaterThan(100_000);
      let most = 0;
      // Two steps of four inputs for eight columns, four bytes a column and step; two pairs of inputs in each.
      for (let at = 0; at < packed.length; at += 64) {
        for (let pair = at; pair < at + 32; pair += 2) {
          const group = [pair, pair + 1, pair + 32, pair + 33].map((index) => Math.abs(packed[index] ?? 0));
          most = Math.max(
            most,
            group.reduce((sum, weight) => sum + weight, 0),
          );
        }
      }
      expect(most * 127).toBeLessThan(2 ** 15);
    }
  });

  it('has no place for more threads than it was loaded for', () => {
    expect(() => createEncoder(shared, 2)).toThrow('2 threads');
  });

  it('refuses other files and damaged ones', () => {
    expect(() => shareEncoder({ ...parts, english: new Uint8Array(100) }, 1)).toThrow('not an encoder file');
    expect(() => shareEncoder({ ...parts, english: parts.english.subarray(0, 5_000_000) }, 1)).toThrow(
      'damaged',
    );
  });
});
