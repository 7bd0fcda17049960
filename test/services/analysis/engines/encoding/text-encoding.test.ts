import { describe, expect, it } from 'vitest';
import {
  encodableSentences,
  encodeInSteps,
  encodeSentences,
  encodingOf,
  type TextEncoding,
  vectorAt,
} from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { createEncoder, shareEncoder } from '../../../../../src/text/encoder/encoder.ts';
import { readEncoderParts } from '../../../../../training/encoder/parts.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const encode = (text: string, language = 'en') => encodingOf(encoder, { text, language });
const sentenceCount = ({ bounds }: TextEncoding) => bounds.length / 2;

describe('encodingOf', () => {
  it('has the vector of each sentence that the encoder has', () => {
    const text = 'The council closed the bridge. Nobody was hurt!';
    const encoding = encode(text);
    expect(sentenceCount(encoding)).toBe(2);
    const [first, second] = encoder.encode(['The council closed the bridge.', 'Nobody was hurt!'], 'en');
    expect(vectorAt(encoding, 0)).toEqual(first?.vector);
    expect(vectorAt(encoding, 29)).toEqual(first?.vector);
    expect(vectorAt(encoding, 30)).toBeUndefined();
    expect(vectorAt(encoding, 31)).toEqual(second?.vector);
    expect(vectorAt(encoding, text.length)).toBeUndefined();
  });

  it('places the pieces of English text in the text, and reads none of Romanian', () => {
    const text = '😀 The council closed the bridge. Nobody was hurt!';
    const { pieces } = encode(text);
    const quotes = Array.from({ length: (pieces?.bounds.length ?? 0) / 2 }, (_, at) =>
      text.slice(pieces?.bounds[2 * at], pieces?.bounds[2 * at + 1]),
    );
    for (const quote of ['bridge', '.', 'hurt', '!']) expect(quotes).toContain(quote);
    expect(quotes.join('')).toBe(text.replaceAll(' ', ''));
    expect(pieces?.numbers.length).toBe(quotes.length * (pieces?.columns ?? 0));
    expect(encode('Podul a fost închis.', 'ro').pieces).toBeUndefined();
  });

  it('reads each sentence for the whole text, loud ones above calm ones, and nothing in other languages', () => {
    const texts = {
      en: 'Wake up before they take everything from us! The ferry leaves at nine and at noon.',
      ro: 'Ne iau totul și nimeni nu are voie să spună! Primăria a reparat podul în martie.',
    };
    for (const [language, text] of Object.entries(texts)) {
      const [loud = 0, calm = 0, ...others] = encode(text, language).whole ?? [];
      expect(loud).toBeGreaterThan(calm);
      expect(others).toEqual([]);
    }
    expect(encode(texts.en, 'de').whole).toBeUndefined();
  });

  it('reads of a long text some sentences for the whole, spread evenly', () => {
    const text = Array.from({ length: 100 }, (_, index) => `Bridge ${index} was repaired. `).join('');
    const read = [...(encode(text).whole ?? [])].flatMap((one, at) => (Number.isNaN(one) ? [] : at));
    expect(read).toEqual(Array.from({ length: 15 }, (_, at) => 7 * at));
    expect([...(encode('It rains. It pours.').whole ?? [])].every(Number.isFinite)).toBe(true);
  });

  it('reads a text as a person does, and Romanian with or without diacritics as the same', () => {
    expect(encode('The vac\u200bcine is safe.').vectors).toEqual(encode('The vaccine is safe.').vectors);
    const vector = (text: string) => vectorAt(encode(text, 'ro'), 0);
    const proper = vector('Medicii spun că știința și țara știu.');
    expect(vector('Medicii spun ca stiinta si tara stiu.')).toEqual(proper);
    expect(vector('Medicii spun că ştiinţa şi ţara ştiu.')).toEqual(proper);
  });

  it('turn by turn has the same numbers as at once', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `Bridge ${index} was repaired. `).join('');
    const turns: number[] = [];
    const steps = {
      sentences: async (whole: string) => encodableSentences(whole),
      vectors: async (input: Parameters<typeof encodeSentences>[1]) => {
        turns.push(input.quotes.length);
        return encodeSentences(encoder, input);
      },
    };
    expect(await encodeInSteps(steps, { text, language: 'en' })).toEqual(encode(text));
    expect(turns).toEqual([48, 48, 4]);
    expect(sentenceCount(await encodeInSteps(steps, { text: '', language: 'en' }))).toBe(0);
  });

  it('says nothing of a text without words, and of what lies beyond its limit', () => {
    expect(sentenceCount(encode(''))).toBe(0);
    const vector = Float32Array.of(1);
    const quick = {
      encode: (sentences: readonly string[]) =>
        sentences.map(() => ({ vector, pieces: 1, truncated: false })),
    };
    const long = encodingOf(quick, { text: 'It rains. '.repeat(700), language: 'en' });
    expect(sentenceCount(long)).toBe(480);
    expect(vectorAt(long, 10 * 479)?.[0]).toBe(1);
    expect(vectorAt(long, 10 * 600)).toBeUndefined();
  });

  it('shares its numbers with other threads', () => {
    const encoding = encode('It rains.');
    for (const { buffer } of [encoding.bounds, encoding.vectors])
      expect(buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});
