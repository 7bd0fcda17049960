import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodePage } from '../../../../src/services/web/extract/charset.ts';

const romanian =
  'Primarul a spus că țara întreagă așteaptă „reforma” și că școala rămâne închisă până luni. ';
const legacy = romanian.replaceAll('ț', 'ţ').replaceAll('ș', 'ş');
const german =
  'Die Größe der Häuser überraschte alle Gäste, sagte der Bürgermeister von Köln am Donnerstag. ';
const unquoted = legacy.replace(/[„”]/g, '"');
const page = (text: string, head = '') =>
  `<html><head>${head}<title>x</title></head><body><p>${text}</p></body></html>`;
const decoded = (bytes: Uint8Array, header?: string) => decodePage(bytes, header);

describe('the encoding of a page', () => {
  const cases: Array<
    [what: string, bytes: Buffer, header: string | undefined, encoding: string, text: string]
  > = [
    ['UTF-8 without any word of it', Buffer.from(page(romanian)), undefined, 'UTF-8', romanian],
    [
      'a byte order mark',
      Buffer.from(`\ufeff${page(romanian)}`),
      'text/html; charset=windows-1252',
      'UTF-8',
      romanian,
    ],
    [
      'UTF-16 with a mark',
      iconv.encode(`\ufeff${page(romanian)}`, 'utf-16le'),
      undefined,
      'utf-16le',
      romanian,
    ],
    [
      'the header',
      iconv.encode(page(legacy), 'windows-1250'),
      'text/html; charset="windows-1250"',
      'windows-1250',
      legacy,
    ],
    [
      'the header before meta',
      iconv.encode(page(german, '<meta charset="koi8-r">'), 'windows-1252'),
      'text/html;charset=iso-8859-1',
      'windows-1252',
      german,
    ],
    [
      'meta',
      iconv.encode(page(legacy, '<meta charset=windows-1250>'), 'windows-1250'),
      'text/html',
      'windows-1250',
      legacy,
    ],
    [
      'meta of the old kind',
      iconv.encode(
        page(unquoted, '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">'),
        'iso-8859-2',
      ),
      undefined,
      'iso-8859-2',
      unquoted,
    ],
    [
      'meta beyond the first kilobyte',
      iconv.encode(page(legacy, `<!--${'x'.repeat(3000)}--><meta charset="windows-1250">`), 'windows-1250'),
      undefined,
      'windows-1250',
      legacy,
    ],
    [
      'ISO-8859-16 by meta',
      iconv.encode(
        page(romanian.replace('„', '"').replace('”', '"'), '<meta charset="iso-8859-16">'),
        'iso-8859-16',
      ),
      undefined,
      'iso-8859-16',
      romanian.replace('„', '"').replace('”', '"'),
    ],
    [
      'an XML declaration',
      iconv.encode(`<?xml version="1.0" encoding="windows-1250"?>${page(legacy)}`, 'windows-1250'),
      undefined,
      'windows-1250',
      legacy,
    ],
    ['Romanian bytes', iconv.encode(page(legacy), 'windows-1250'), undefined, 'windows-1250', legacy],
    ['German bytes', iconv.encode(page(german), 'windows-1252'), undefined, 'windows-1250', german],
    [
      'UTF-8 that was declared as Latin',
      Buffer.from(page(romanian)),
      'text/html; charset=iso-8859-1',
      'UTF-8',
      romanian,
    ],
    [
      'Latin that was declared as UTF-8',
      iconv.encode(page(legacy), 'windows-1250'),
      'text/html; charset=utf-8',
      'windows-1250',
      legacy,
    ],
    [
      'a label that nobody knows',
      Buffer.from(page(romanian)),
      'text/html; charset=klingon',
      'UTF-8',
      romanian,
    ],
    [
      'UTF-16 that only a meta element claims',
      Buffer.from(page(romanian, '<meta charset="utf-16">')),
      undefined,
      'UTF-8',
      romanian,
    ],
  ];
  it.each(cases)('is read from %s', (_what, bytes, header, encoding, text) => {
    const result = decoded(bytes, header);
    expect(result.encoding).toBe(encoding);
    expect(result.text).toContain(text);
  });

  it('survives a few broken bytes in UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(page(romanian.repeat(30))), Buffer.from([0xff])]);
    expect(decoded(bytes, 'text/html; charset=utf-8')).toMatchObject({ encoding: 'UTF-8' });
  });

  it('is found for any bytes under any header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, label) => {
        expect(typeof decoded(bytes, `text/html; charset=${label}`).text).toBe('string');
      }),
    );
  });
});

it('what is decoded holds neither NUL nor half of a surrogate pair, whatever the bytes are', () => {
  const wide = Buffer.from('a\0b\ud800c', 'utf16le');
  expect(decoded(wide, 'text/html; charset=utf-16le').text).toBe('a\ufffdb\ufffdc');
  expect(decoded(Buffer.from('a\0b')).text).toBe('a\ufffdb');
});
