import { ZIGZAG } from './dct.ts';

/** One colour component of a JPEG frame. */
export interface JpegComponent {
  readonly id: number;
  /** Samples across and down for each unit: 2 and 2 for brightness when colour is halved both ways. */
  readonly across: number;
  readonly down: number;
  /** Number of its quantisation table. */
  readonly table: number;
}

/** A segment between the start of the file and its end. */
export interface JpegSegment {
  readonly marker: number;
  /** The name that an application segment begins with, such as `Exif` or `JFIF`; empty elsewhere. */
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** What the headers of a JPEG file say (ITU-T T.81, annex B). */
export interface JpegStructure {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  readonly components: readonly JpegComponent[];
  /** Quantisation steps by table number, 64 each, row by row. */
  readonly tables: ReadonlyMap<number, readonly number[]>;
  readonly segments: readonly JpegSegment[];
  /** Bytes after the end of the image. */
  readonly trailingBytes: number;
}

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const QUANTISATION = 0xdb;
/** More segments than this is an attack, not a picture. */
const MOST_SEGMENTS = 2_000;
const NAME_BYTES = 32;

const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isProgressive = (marker: number) =>
  marker === 0xc2 || marker === 0xc6 || marker === 0xca || marker === 0xce;
/** Markers without a length: restart markers and the like. */
const standsAlone = (marker: number) => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;

interface ParserState {
  frame: Pick<JpegStructure, 'width' | 'height' | 'progressive' | 'components'> | undefined;
  readonly tables: Map<number, readonly number[]>;
  readonly segments: JpegSegment[];
}

/** Reads the headers; undefined for what is no JPEG, or breaks off before its picture begins. */
export function readJpegStructure(bytes: Buffer): JpegStructure | undefined {
  if (bytes.length < 4 || bytes[0] !== MARKER || bytes[1] !== START_OF_IMAGE) return undefined;
  const reading: ParserState = { frame: undefined, tables: new Map(), segments: [] };
  let at = 2;
  let end = bytes.length;
  while (at + 4 <= bytes.length && reading.segments.length < MOST_SEGMENTS) {
    if (bytes[at] !== MARKER) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === MARKER || standsAlone(marker)) at += marker === MARKER ? 1 : 2;
    else if (marker === END_OF_IMAGE) break;
    else {
      const length = bytes.readUInt16BE(at + 2);
      const body = bytes.subarray(at + 4, at + 2 + length);
      if (length < 2 || body.length !== length - 2) return undefined;
      readSegment(reading, marker, body, at);
      at += 2 + length;
      if (marker === START_OF_SCAN) {
        end = endOfScan(bytes, at);
        at = end;
      }
    }
  }
  if (reading.frame === undefined) return undefined;
  const last = bytes[at] === MARKER && bytes[at + 1] === END_OF_IMAGE ? at + 2 : end;
  return {
    ...reading.frame,
    tables: reading.tables,
    segments: reading.segments,
    trailingBytes: bytes.length - last,
  };
}

/** Where the next marker after entropy-coded data begins: stuffed zeros and restart markers belong to the data. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(MARKER, start); at !== -1; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== MARKER && !standsAlone(next)) return at;
  }
  return bytes.length;
}

function readSegment(reading: ParserState, marker: number, body: Buffer, offset: number): void {
  const named = marker >= 0xe0 && marker <= 0xef;
  const [name = ''] = named ? body.subarray(0, NAME_BYTES).toString('latin1').split('\0') : [];
  reading.segments.push({
    marker,
    name: /^[\x20-\x7e]*$/.test(name) ? name : '',
    offset,
    length: body.length + 4,
  });
  if (marker === QUANTISATION) readTables(body, reading.tables);
  else if (isFrame(marker) && reading.frame === undefined)
    reading.frame = readFrame(body, isProgressive(marker));
}

function readTables(body: Buffer, tables: Map<number, readonly number[]>): void {
  let at = 0;
  while (at < body.length) {
    const head = body[at] ?? 0;
    const wide = head >> 4 !== 0;
    const size = wide ? 128 : 64;
    if (at + 1 + size > body.length) return;
    const steps = new Array<number>(64).fill(0);
    ZIGZAG.forEach((natural, index) => {
      steps[natural] = wide ? body.readUInt16BE(at + 1 + 2 * index) : (body[at + 1 + index] ?? 0);
    });
    tables.set(head & 15, steps);
    at += 1 + size;
  }
}

function readFrame(body: Buffer, progressive: boolean): ParserState['frame'] {
  const count = body[5] ?? 0;
  if (body.length < 6 + 3 * count) return undefined;
  const components = Array.from({ length: count }, (_, index) => {
    const at = 6 + 3 * index;
    const sampling = body[at + 1] ?? 0;
    return { id: body[at] ?? 0, across: sampling >> 4, down: sampling & 15, table: body[at + 2] ?? 0 };
  });
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), progressive, components };
}

/** The quantisation steps of brightness; undefined when the file does not name them. */
export function brightnessSteps({ components, tables }: JpegStructure): readonly number[] | undefined {
  return tables.get(components[0]?.table ?? 0);
}
