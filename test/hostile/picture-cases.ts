import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { packageFile } from '../../src/foundation/files.ts';
import { tone } from '../services/extractors/sounds.ts';
import { photoLike } from '../services/forensic/pictures.ts';

/** A file that is not what it says, and what it does. */
export interface PictureCase {
  readonly name: string;
  /** `host` is an address that must not be called. */
  make(host: string): Buffer | Promise<Buffer>;
}

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const;
type Format = (typeof FORMATS)[number];

const photo = photoLike(96, 64, 7);
const open = () => sharp(photo.rgb, { raw: { width: 96, height: 64, channels: 3 } });
const save = (format: Format) => open()[format]().toBuffer();
const signed = () => readFile(packageFile('test', 'services', 'extractors', 'fixtures', 'signed.jpg'));

/** Changes bytes at places that a seed chooses. */
function mutated(file: Buffer, seed: number, count: number): Buffer {
  const copy = Buffer.from(file);
  let state = seed;
  for (let change = 0; change < count; change += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    copy[state % copy.length] = (state >>> 16) & 0xff;
  }
  return copy;
}

/** A chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
const AFTER_HEADER = 33;
const withChunks = (png: Buffer, chunks: readonly Buffer[]) =>
  Buffer.concat([png.subarray(0, AFTER_HEADER), ...chunks, png.subarray(AFTER_HEADER)]);

/** The header of a PNG of so many pixels, and nothing behind it. */
const enormousPng = (width: number, height: number) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(64)),
  ]);
};

/** An application segment of a JPEG behind its start. */
const withSegment = (jpeg: Buffer, marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
};
const exif = (directory: string) =>
  Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(directory, 'hex')]);
const xmp = (text: string) => Buffer.from(`http://ns.adobe.com/xap/1.0/\0${text}`, 'latin1');
const rdf = (inside: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${inside}/></rdf:RDF></x:xmpmeta>`;

const ENTITIES = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, at) => {
  const [name, before] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)];
  return `<!ENTITY ${name} "${`&${before};`.repeat(10)}">`;
}).join('')}]><x>&j;</x>`;

/** A box of ISO media files. */
function box(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data]);
}
function nestedBoxes(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(8);
  for (let level = 0; level < depth; level += 1) inner = box('jumb', inner);
  return inner;
}
/** The segment in which JPEG carries a signed history (ISO 19566-5). */
const jumbf = (content: Buffer) => Buffer.concat([Buffer.from('JP\0\x01\0\0\0\x01', 'latin1'), content]);

const brokenOff: PictureCase[] = FORMATS.flatMap((format) =>
  [0.02, 0.2, 0.5, 0.9].map((share) => ({
    name: `a ${format} that breaks off after ${100 * share} %`,
    make: async () => {
      const file = await save(format);
      return file.subarray(0, Math.ceil(share * file.length));
    },
  })),
);
const damaged: PictureCase[] = FORMATS.flatMap((format) =>
  [1, 2, 3].map((seed) => ({
    name: `a ${format} with damage ${seed}`,
    make: async () => mutated(await save(format), seed, 4 ** seed),
  })),
);
const forged: PictureCase[] = Array.from({ length: 12 }, (_, seed) => ({
  name: `a signed history with damage ${seed}`,
  make: async () => mutated(await signed(), 77 + seed, 1 + seed),
}));

const others: readonly [name: string, make: PictureCase['make']][] = [
  ['nothing', () => Buffer.alloc(0)],
  ['one byte', () => Buffer.from([0xff])],
  ['text', () => Buffer.from('a picture, believe me')],
  ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
  [
    'a drawing that names another file',
    () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
  ],
  [
    'a drawing that names an address',
    (host) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${host}/x.png"/></svg>`),
  ],
  ['a playlist', (host) => Buffer.from(`#EXTM3U\n#EXTINF:1,\n${host}/x.ts\nfile:///etc/passwd\n`)],
  ['a list of files', () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
  ['a document', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj')],
  ['an archive', () => Buffer.from('504b0304140000000800', 'hex')],
  ['a program', () => Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(200)])],
  ['a document of entities', () => Buffer.from(ENTITIES)],
  ['noise', () => mutated(Buffer.alloc(9000), 5, 9000)],
  [
    'a picture that is an archive at its end',
    async () => Buffer.concat([await save('png'), Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]),
  ],
  [
    'a picture that is a page at its end',
    async () => Buffer.concat([await save('gif'), Buffer.from('<script>alert(1)</script>')]),
  ],
  [
    'a picture that begins like another',
    async () => Buffer.concat([Buffer.from('GIF89a'), await save('jpeg')]),
  ],
  ['a PNG of 900 megapixels', () => enormousPng(30_000, 30_000)],
  ['a PNG wider than anything', () => enormousPng(2 ** 31 - 1, 1)],
  ['a PNG without pixels', () => enormousPng(0, 0)],
  ['a PNG of 49 megapixels of nothing', () => enormousPng(7000, 7000)],
  [
    'a text that unpacks to much',
    async () =>
      withChunks(await save('png'), [
        chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(200 * 2 ** 20))])),
      ]),
  ],
  [
    'a profile that unpacks to much',
    async () =>
      withChunks(await save('png'), [
        chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(200 * 2 ** 20))])),
      ]),
  ],
  [
    'ten thousand texts',
    async () =>
      withChunks(
        await save('png'),
        Array.from({ length: 10_000 }, (_, at) => chunk('tEXt', Buffer.from(`key${at}\0value`))),
      ),
  ],
  [
    'a text with the name of a member of all objects',
    async () => withChunks(await save('png'), [chunk('tEXt', Buffer.from('__proto__\0polluted'))]),
  ],
  [
    'tags that begin at themselves',
    async () =>
      withSegment(await save('jpeg'), 0xe1, exif('49492a0008000000010069870400010000000800000008000000')),
  ],
  [
    'tags that say they are four thousand million',
    async () =>
      withSegment(await save('jpeg'), 0xe1, exif('49492a0008000000ffff0f010200ffffffff0000000000000000')),
  ],
  [
    'tags of which nothing is there',
    async () => withSegment(await save('jpeg'), 0xe1, exif('49492a00ffffff7f')),
  ],
  ['XMP of entities', async () => withSegment(await save('jpeg'), 0xe1, xmp(ENTITIES))],
  ['XMP that is nested deeply', async () => withSegment(await save('jpeg'), 0xe1, xmp('<a>'.repeat(15_000)))],
  [
    'XMP that names where its history is',
    async (host) =>
      withSegment(
        await save('jpeg'),
        0xe1,
        xmp(rdf(`xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="${host}/manifest"`)),
      ),
  ],
  [
    'a history of boxes in boxes',
    async () => withSegment(await save('jpeg'), 0xeb, jumbf(nestedBoxes(2000))),
  ],
  [
    'a history that is longer than it is',
    async () => withSegment(await save('jpeg'), 0xeb, jumbf(Buffer.from('7fffffff6a756d62', 'hex'))),
  ],
  [
    'a history that breaks off',
    async () => {
      const file = await signed();
      return Buffer.concat([file.subarray(0, 3000), Buffer.from([0xff, 0xd9])]);
    },
  ],
  [
    'a history in the middle of nothing',
    async () => Buffer.concat([Buffer.from([0xff, 0xd8]), (await signed()).subarray(2, 5000)]),
  ],
  [
    'a JPEG of segments alone',
    () =>
      Buffer.concat([
        Buffer.from([0xff, 0xd8, 0xff]),
        ...Array.from({ length: 3000 }, () => Buffer.from([0xe0, 0, 2, 0xff])),
      ]),
  ],
  [
    'a GIF whose frames never come',
    () => Buffer.from('474946383961ffffffff800000000000ffffff2c00000000ffffffff00', 'hex'),
  ],
  ['a TIFF whose directories never end', () => Buffer.from('49492a0008000000000008000000', 'hex')],
  [
    'a WebP of 16 thousand a side',
    () => Buffer.from('524946461600000057454250565038580a00000000000000ff3f00ff3f00', 'hex'),
  ],
  [
    'an AVIF of extents alone',
    () =>
      Buffer.concat([
        box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')),
        box(
          'meta',
          Buffer.concat([Buffer.alloc(4), box('ispe', Buffer.from('00000000ffffffffffffffff', 'hex'))]),
        ),
      ]),
  ],
  [
    'a film without anything',
    () => Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isommp42')), box('moov', Buffer.alloc(0))]),
  ],
  [
    'a film in boxes in boxes',
    () => Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isommp42')), box('moov', nestedBoxes(1500))]),
  ],
  [
    'a film that is larger than it is',
    () =>
      Buffer.concat([
        box('ftyp', Buffer.from('isom\0\0\0\0isommp42')),
        Buffer.from('7fffffff6d646174', 'hex'),
        Buffer.alloc(64),
      ]),
  ],
  ['a sound that breaks off', () => tone(440, 1).subarray(0, 60)],
  [
    'a sound of so many channels',
    () => {
      const file = tone(440, 1);
      file.writeUInt16LE(65_535, 22);
      return file;
    },
  ],
  [
    'a sound of no samples a second',
    () => {
      const file = tone(440, 1);
      file.writeUInt32LE(0, 24);
      return file;
    },
  ],
  ['a sound in which nothing sounds', () => Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(400)])],
];

/** Files that break off, are damaged, claim too much, or are something else. */
export const PICTURE_CASES: readonly PictureCase[] = [
  ...brokenOff,
  ...damaged,
  ...forged,
  ...others.map(([name, make]) => ({ name, make })),
];
