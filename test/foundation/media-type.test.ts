import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptedType, mediaType, typeOfBytes } from '../../src/foundation/media-type.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const page = bytes('<!DOCTYPE html><title>News</title>');
const png = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');

describe('the type of a header', () => {
  it.each([
    ['text/html; charset=utf-8', 'text/html'],
    ['TEXT/HTML', 'text/html'],
    ['application/xhtml+xml;q=1', 'application/xhtml+xml'],
    ['nonsense', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, type) => expect(mediaType(header)).toBe(type));
});

const base64 = (text: string) => Buffer.from(text, 'base64');

/** Beginnings of small files as ffmpeg writes them. */
const files: Array<[name: string, start: Buffer, type: string]> = [
  ['M4A', base64('AAAAHGZ0eXBNNEEgAAACAE00QSBpc29taXNvMgAAAAhmcmVlAAAjJW1kYXTeAgBM'), 'audio/mp4'],
  [
    'MP3 without ID3',
    base64('//tQxAAACixDLlWUgAGBFWYjOtAAB6rDjjOF02TxocEIHFgfXh8YHEYEHonlsy5a'),
    'audio/mpeg',
  ],
  ['AAC', base64('//FQQCE//N4CAExhdmM1OS4zNy4xMDAAAmCsW6lQcialePXj9664ltVJapaVJMk7'), 'audio/aac'],
  ['WAV', base64('UklGRs5YAQBXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAATElTVBoAAABJTkZP'), 'audio/wav'],
  ['FLAC', base64('ZkxhQwAAACISABIAAALxAATzCsRA8AAArESbqV6FcSQ1XBEzDTJ+tmskBAAALg0A'), 'audio/flac'],
  ['OGG', base64('T2dnUwACAAAAAAAAAACpDkJGAAAAAH6via0BHgF2b3JiaXMAAAAAAUSsAAAAAAAA'), 'audio/ogg'],
  ['Opus', base64('T2dnUwACAAAAAAAAAACsEzIiAAAAAFMCxJwBE09wdXNIZWFkAQE4AYC7AAAAAABP'), 'audio/ogg'],
  ['WebM', base64('GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAlS'), 'video/webm'],
  ['Matroska', base64('GkXfo6NChoEBQveBAULygQRC84EIQoKIbWF0cm9za2FCh4EEQoWBAhhTgGcBAAAA'), 'video/matroska'],
  ['MP4', base64('AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAAIZnJlZQAABfVtZGF0'), 'video/mp4'],
  ['MOV', base64('AAAAFGZ0eXBxdCAgAAACAHF0ICAAAAAId2lkZQAABfVtZGF0AAACrQYF//+p3EXp'), 'video/quicktime'],
  ['JPEG', base64('/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgGBgcG'), 'image/jpeg'],
  ['PNG', base64('iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAACXBIWXMAAAABAAAA'), 'image/png'],
  ['WebP', base64('UklGRioDAABXRUJQVlA4IB4DAAAwFgCdASpAAEAAPpFAl0glpCIhLhtqqLASCWwA'), 'image/webp'],
  ['AVIF', base64('AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAD5bWV0YQAAAAAAAAAv'), 'image/avif'],
  ['GIF', base64('R0lGODlhQABAAPcfMQAAACQAAEgAAGwAAJAAALQAANgAAPwAAAAkACQkAEgkAGwk'), 'image/gif'],
  ['PDF', bytes('%PDF-1.7\n1 0 obj\n<<>>\nendobj'), 'application/pdf'],
  ['ZIP', bytes('PK\x03\x04\x14\0\0\0\0\0'), 'application/zip'],
  ['ELF', bytes('\x7fELF\x02\x01\x01\0'), 'application/x-elf'],
];

describe('the type of bytes', () => {
  it.each(files)('%s', async (_name, start, type) => expect(await typeOfBytes(start)).toBe(type));

  it.each<[string, string]>([
    ['<!doctype html><p>', 'text/html'],
    ['  \n<!-- saved --> <HTML lang=ro>', 'text/html'],
    ['\xef\xbb\xbf<html>', 'text/html'],
    ['<!-- a --><!-- b --> <html>', 'text/html'],
    ['<!---->'.repeat(200), 'text/plain'],
    ['\xff\xfe<\0h\0t\0m\0l\0>\0', 'text/html'],
    ['\xff\xfea\0b\0', 'text/plain'],
    ['<?xml version="1.0"?><rss>', 'text/xml'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', 'text/xml'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "x" "y">\n<svg>', 'image/svg+xml'],
    ['Guvernul a anuntat', 'text/plain'],
    ['BMW a anuntat', 'text/plain'],
    ['BMW a anun\xc8\x9bat o fabric\xc4', 'text/plain'],
    ['solid ground for a sentence', 'text/plain'],
    ['{"a":1}', 'text/plain'],
    ['', 'text/plain'],
    ['\x01\x02\x03 something', 'application/octet-stream'],
  ])('%j is %s', async (start, type) => expect(await typeOfBytes(bytes(start))).toBe(type));

  it('is right or unknown for a file that was cut after twelve bytes or later', async () => {
    for (const [name, start, type] of files) {
      for (let length = 12; length < start.length; length++) {
        const cut = await typeOfBytes(start.subarray(0, length));
        expect([type, 'application/octet-stream', 'text/plain'], `${name} cut to ${length}`).toContain(cut);
      }
    }
  });

  it('is found in whatever bytes there are', async () => {
    const start = fc.uint8Array({ maxLength: 200 });
    const prefix = fc.constantFrom(...files.map(([, beginning]) => beginning.subarray(0, 12)), bytes('ID3'));
    await fc.assert(
      fc.asyncProperty(prefix, start, async (known, rest) => {
        expect(await typeOfBytes(Buffer.concat([known, rest]))).toMatch(/^[a-z]+\/[\w.+-]+$/);
      }),
    );
  });
});

describe('what is read', () => {
  const html = ['text/html', 'application/xhtml+xml', 'text/plain'];
  const cases: Array<
    [header: string | undefined, start: Buffer, wanted: string[], type: string | undefined]
  > = [
    ['text/html; charset=utf-8', page, html, 'text/html'],
    [undefined, page, html, 'text/html'],
    ['application/octet-stream', page, html, 'text/html'],
    ['text/html', png, html, undefined],
    ['text/html', bytes('%PDF-1.4'), html, undefined],
    ['text/html', bytes(''), html, 'text/html'],
    ['application/pdf', bytes('%PDF-1.4'), html, undefined],
    ['application/json', bytes('{}'), html, undefined],
    ['image/png', page, ['image/*'], undefined],
    ['image/png', png, ['image/*'], 'image/png'],
    ['image/jpeg', png, ['image/*'], 'image/png'],
    ['image/png', bytes('\x7fELF'), ['image/*'], undefined],
    ['image/svg+xml', bytes('<?xml version="1.0"?><svg/>'), ['image/*'], 'image/svg+xml'],
    [undefined, png, ['image/*'], 'image/png'],
    ['audio/mp4', bytes('\0\0\0 ftypM4A '), ['audio/*'], 'audio/mp4'],
    ['text/html', png, ['*/*'], undefined],
  ];
  it.each(cases)('%s', async (header, start, wanted, type) => {
    expect(await acceptedType(header, start, wanted)).toBe(type);
  });
});
