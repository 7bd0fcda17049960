import { describe, expect, it } from 'vitest';
import { acceptedType, mediaType, sniffType } from '../../../src/foundation/http/media-type.ts';

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

describe('the type of bytes', () => {
  it.each([
    ['<!doctype html><p>', 'text/html'],
    ['  \n<!-- saved --> <HTML lang=ro>', 'text/html'],
    ['\xef\xbb\xbf<html>', 'text/html'],
    ['<!-- a --><!-- b --> <html>', 'text/html'],
    ['<!---->'.repeat(200), 'text/plain'],
    ['\xff\xfe<\0h\0t\0m\0l\0>\0', 'text/html'],
    ['<?xml version="1.0"?><rss>', 'text/xml'],
    ['Guvernul a anuntat', 'text/plain'],
    ['{"a":1}', 'text/plain'],
    ['', 'text/plain'],
    ['%PDF-1.7', 'application/pdf'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
    ['\0\0\0 ftypisom', 'video/mp4'],
    ['PK\x03\x04', 'application/zip'],
    ['\x7fELF\x02', 'application/x-elf'],
    ['\x01\x02\x03 something', 'application/octet-stream'],
  ])('%j is %s', (start, type) => expect(sniffType(bytes(start))).toBe(type));
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
  it.each(cases)('%s', (header, start, wanted, type) => {
    expect(acceptedType(header, start, wanted)).toBe(type);
  });
});
