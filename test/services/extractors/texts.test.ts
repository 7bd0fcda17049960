import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import type { NamedEntities, TextSentiment } from '../../../src/services/extractors/resources/text.ts';
import { createEncoder, shareEncoder } from '../../../src/text/encoder/encoder.ts';
import { encodeText } from '../../../src/text/encoder/passages.ts';
import { loadTextClassifier } from '../../../src/text/text-classifier.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';
import { openExtractors } from './extractors.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);

let service: Awaited<ReturnType<typeof openExtractors>>;
beforeAll(async () => {
  service = await openExtractors();
});
afterAll(() => service.close());

describe('POST /v1/ner', () => {
  it('finds names, with places in code points and in UTF-16', async () => {
    const text = '😀 Angela Merkel visited Paris on Tuesday.';
    const answer: NamedEntities = (await service.sendJson('ner', { text })).json();
    expect(answer.language).toBe('en');
    expect(answer.entities.map(({ text: name, kind }) => [name, kind])).toEqual(
      expect.arrayContaining([
        ['Angela Merkel', 'person'],
        ['Paris', 'place'],
      ]),
    );
    for (const { text: name, start, end, start_utf16, end_utf16 } of answer.entities) {
      expect(text.slice(start_utf16, end_utf16)).toBe(name);
      expect([...text].slice(start, end).join('')).toBe(name);
    }
  });

  it('knows Romanian by itself', async () => {
    const answer: NamedEntities = (
      await service.sendJson('ner', {
        text: 'Klaus Iohannis a vizitat marți orașul Cluj-Napoca împreună cu miniștrii.',
      })
    ).json();
    expect(answer.language).toBe('ro');
    expect(answer.entities.find(({ kind }) => kind === 'person')?.text).toBe('Klaus Iohannis');
    expect(answer.engine.model).toMatch(/ro/);
  });

  it.each([
    ['no text', {}],
    ['blanks', { text: '   ' }],
    ['a language that is not read', { text: 'Hello', language: 'fr' }],
    ['too long a text', { text: 'a'.repeat(50_001) }],
  ])('answers 422 for %s', async (_name, body) => {
    expect((await service.sendJson('ner', body)).statusCode).toBe(422);
  });
});

describe('POST /v1/sentiment', () => {
  it.each([
    ['What a wonderful day, I love it and I am so happy!', 'positive', 'en'],
    ['This is horrible, I hate it, the worst thing ever.', 'negative', 'en'],
    ['Sunt foarte fericită, ce zi minunată, vă iubesc!', 'positive', 'ro'],
    ['Mi-e frică și sunt furios, e groaznic ce se întâmplă.', 'negative', 'ro'],
  ])('%s', async (text, label, language) => {
    const answer: TextSentiment = (await service.sendJson('sentiment', { text })).json();
    expect([answer.label, answer.language]).toEqual([label, language]);
    const { negative, neutral, positive } = answer.scores;
    expect(negative + neutral + positive).toBeCloseTo(1, 5);
    expect(answer.confidence).toBeCloseTo(Math.max(negative, neutral, positive), 6);
  });

  it.each([
    ['The train was late again and nobody told us why.', 'en'],
    ['Trenul a întârziat iar și nu ne-a spus nimeni de ce.', 'ro'],
  ] as const)('reads the words and the meaning of "%s"', async (text, language) => {
    const answer: TextSentiment = (await service.sendJson('sentiment', { text, language })).json();
    const vector = encodeText(encoder, text, language).vector ?? undefined;
    const model = loadTextClassifier(readFileSync(packageFile('models', `sentiment-${language}.bin`)));
    expect(answer.confidence).toBeCloseTo(model.classify(text, vector).confidence, 6);
    expect(answer.confidence).not.toBeCloseTo(model.classify(text).confidence, 6);
    expect((await service.sendJson('sentiment', { text: `${text} `.repeat(400), language })).statusCode).toBe(
      200,
    );
  });

  it.each([
    ['What a wonderful day, I love it and I am so happy!', 'joy', 'en'],
    ['Mi-e frică, mi-e groază de ce o să ni se întâmple.', 'fear', 'ro'],
    ['The library is on the second floor.', undefined, 'en'],
  ])('names the emotions of "%s"', async (text, emotion, language) => {
    const answer: TextSentiment = (await service.sendJson('sentiment', { text })).json();
    const found = answer.emotions.map(({ label }) => label);
    if (emotion === undefined) expect(found).toEqual([]);
    else expect(found).toContain(emotion);
    expect(answer.emotion_engine.model).toContain(`emotion-${language}`);
  });
});
