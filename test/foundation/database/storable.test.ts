import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { jsonb, storableJson, storableText } from '../../../src/foundation/database/storable.ts';
import { runs } from '../../campaign.ts';
import { forEachEngine } from './engines.ts';

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

describe('storable text', () => {
  it.each([
    ['plain', 'Știri și țări 🇷🇴', 'Știri și țări 🇷🇴'],
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['a high surrogate alone', 'a\ud83db', 'a\ufffdb'],
    ['a low surrogate alone', '\udc00', '\ufffd'],
    ['surrogates in the wrong order', '\udc00\ud83d', '\ufffd\ufffd'],
    ['a pair beside a lone one', '\ud83d\ude00\ude00', '\ud83d\ude00\ufffd'],
  ])('%s', (_, text, expected) => {
    expect(storableText(text)).toBe(expected);
  });

  it('keeps every offset, in UTF-16 units and in code points', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storableText(text);
        expect(stored.length).toBe(text.length);
        expect([...stored].length).toBe([...text].length);
        expect(Buffer.from(stored).toString()).toBe(stored);
      }),
    );
  });
});

describe('storable JSON', () => {
  it.each([
    ['NUL in a string', { a: 'x\0y' }, '{"a":"x\ufffdy"}'],
    ['NUL in a key', { 'k\0': 1 }, '{"k\ufffd":1}'],
    ['a quoted backslash before u0000', { a: '\\u0000' }, '{"a":"\\\\u0000"}'],
    ['other control characters', { a: '\u0001' }, '{"a":"\\u0001"}'],
    ['undefined', undefined, 'null'],
  ])('%s', (_, value, expected) => {
    expect(storableJson(value)).toBe(expected);
  });

  it('is the JSON of the value with its strings made storable', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(JSON.parse(storableJson(texts))).toEqual(texts.map(storableText));
      }),
    );
  });
});

describe('the database takes', () => {
  forEachEngine((engine) => {
    it('every storable text and every storable JSON, and gives it back', async () => {
      const queries = engine.database().kysely<unknown>();
      await fc.assert(
        fc.asyncProperty(anyText, fc.jsonValue(), async (text, value) => {
          const stored = { text: storableText(text), value: [value, text] };
          const { rows } = await sql<{ text: string; json: unknown }>`
            select ${stored.text}::text as text, ${jsonb(stored.value)} as json`.execute(queries);
          expect(rows[0]?.text).toBe(stored.text);
          expect(rows[0]?.json).toEqual(JSON.parse(storableJson(stored.value)));
        }),
        { numRuns: runs(50) },
      );
    });

    it('no NUL as it is: the reason for the rule', async () => {
      const queries = engine.database().kysely<unknown>();
      const refused = sql`select ${JSON.stringify('\0')}::jsonb`.execute(queries);
      await expect(refused).rejects.toMatchObject({ code: '22P05' });
      await expect(sql`select ${'\0'}::text`.execute(queries)).rejects.toMatchObject({ code: '22021' });
    });
  });
});
