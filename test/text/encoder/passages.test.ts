import { describe, expect, it } from 'vitest';
import { createEncoder, shareEncoder } from '../../../src/text/encoder/encoder.ts';
import { encodeText, passagesOf } from '../../../src/text/encoder/passages.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const countWords = (text: string) => text.split(/\s+/).length;
const cosine = (one: Float32Array | null, two: Float32Array | null) =>
  Array.from(one ?? []).reduce((sum, value, index) => sum + value * (two?.[index] ?? 0), 0);

describe('passagesOf', () => {
  it('keeps sentences whole and takes as many together as can be read at once', () => {
    const sentence = `The ${'word '.repeat(28)}end.`;
    const passages = passagesOf(Array(5).fill(sentence).join(' '), countWords);
    expect(passages.map(countWords)).toEqual([120, 30]);
  });

  it('cuts a long sentence between words, and leaves a word without end', () => {
    const passages = passagesOf('word '.repeat(300).trim(), countWords);
    expect(Math.max(...passages.map(countWords))).toBeLessThanOrEqual(128);
    expect(passages.join(' ')).toBe('word '.repeat(300).trim());
    expect(passagesOf('x'.repeat(1000), () => 999)).toEqual(['x'.repeat(1000)]);
  });
});

describe('encodeText', () => {
  it('reads a short text at once, as the encoder does', () => {
    const text = 'The council closed the bridge. It will open in May.';
    expect(encodeText(encoder, text)).toMatchObject({ passages: 1, truncated: false });
    expect(encodeText(encoder, text).vector).toEqual(encoder.encode([text])[0]?.vector);
    expect(encodeText(encoder, ' ')).toMatchObject({ vector: null, pieces: 0 });
  });

  it('lets the end of a long text count as much as its start', () => {
    const one = 'The council closed the bridge for repairs. '.repeat(12);
    const two = 'The team won the cup after a late goal. '.repeat(12);
    const [forwards, backwards] = [encodeText(encoder, one + two), encodeText(encoder, two + one)];
    expect(forwards.passages).toBeGreaterThan(1);
    expect(forwards.pieces).toBe(encoder.count(one + two));
    expect(cosine(forwards.vector, forwards.vector)).toBeCloseTo(1, 5);
    expect(cosine(forwards.vector, backwards.vector)).toBeGreaterThan(0.95);
  });

  it('reads Romanian in the same way', () => {
    const text = 'Consiliul a închis podul pentru reparații. '.repeat(30);
    const encoded = encodeText(encoder, text);
    expect(encoded.passages).toBeGreaterThan(1);
    const near = cosine(encoded.vector, encodeText(encoder, 'Consiliul a închis podul.').vector);
    const far = cosine(encoded.vector, encodeText(encoder, 'Echipa a câștigat cupa.').vector);
    expect(near).toBeGreaterThan(far + 0.2);
  });
});
