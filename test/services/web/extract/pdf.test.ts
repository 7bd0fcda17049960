import { afterAll, describe, expect, it } from 'vitest';
import { createExtractor } from '../../../../src/services/web/extract/extractor.ts';
import { pdfDate, readPdf } from '../../../../src/services/web/extract/pdf.ts';
import { pdfFile } from './pdf-file.ts';

const never = new AbortController().signal;
const LINES = [
  'The council voted on Tuesday to repair four-',
  'teen bridges before winter, the mayor said',
  'at a press conference.',
  'Prices rose by 3.2 percent in October.',
];
const INFO = "<< /Title (Bridges) /Author (Ana Ionescu) /CreationDate (D:20240305103000+02'00') >>";

describe('a PDF document', () => {
  it('is read as paragraphs, with what it says of itself', async () => {
    const { text, facts } = await readPdf(pdfFile(LINES, INFO));
    expect(text.split('\n')).toEqual([
      'The council voted on Tuesday to repair fourteen bridges before winter, the mayor said at a press conference.',
      'Prices rose by 3.2 percent in October.',
    ]);
    expect(facts).toEqual({
      title: 'Bridges',
      author: 'Ana Ionescu',
      published_at: '2024-03-05T10:30:00+02:00',
      published_at_source: 'meta',
    });
  });

  const dates: readonly [unknown, string | null][] = [
    ['D:20240305', '2024-03-05'],
    ['D:20240305103000Z', '2024-03-05T10:30:00Z'],
    ["D:20240305103000-05'30'", '2024-03-05T10:30:00-05:30'],
    ['D:20240305103000', '2024-03-05T10:30:00'],
    ['D:20241399', null],
    ['yesterday', null],
    [undefined, null],
  ];
  it.each(dates)('says %s of its day', (text, expected) => {
    expect(pdfDate(text)).toBe(expected);
  });
});

describe('PDF documents in threads', () => {
  const extractor = createExtractor({ threads: 1, timeoutMs: () => 20_000 });
  afterAll(() => extractor.close());
  const extract = (bytes: Uint8Array) =>
    extractor.extract(
      { bytes, contentType: 'application/pdf', mediaType: 'application/pdf', url: 'https://a.example/a.pdf' },
      'a',
      never,
    );

  it('are extracted like pages', async () => {
    const { text, metadata, textLength } = await extract(pdfFile(LINES, INFO));
    expect([text.split('\n').length, metadata.text_source, metadata.title]).toEqual([2, 'pdf', 'Bridges']);
    expect(textLength).toBe(text.length);
  });

  const damaged: readonly [string, () => Buffer][] = [
    ['that ends at once', () => Buffer.from('%PDF-1.7')],
    ['that is cut', () => pdfFile(LINES).subarray(0, 300)],
    ['of random bytes', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, 0x5b)])],
  ];
  it.each(damaged)('%s are given up or read as empty, and the next is read', async (_case, make) => {
    const outcome = await extract(make()).then(
      ({ text }) => text.length,
      (error: Error) => error.message,
    );
    expect(typeof outcome === 'string' ? outcome : outcome < 200).toBeTruthy();
    expect((await extract(pdfFile(LINES))).text).toContain('fourteen');
  });
});
