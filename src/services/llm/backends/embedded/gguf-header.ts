import { type FileHandle, open } from 'node:fs/promises';

/** What the header of a GGUF file says of its model. */
export interface GgufHeader {
  readonly architecture: string;
  /** The longest context that the model was trained for, in tokens; null when the file does not say. */
  readonly contextLength: number | null;
}

/** A file is no GGUF file, or one whose head cannot be read. */
export class GgufError extends Error {}

const MAGIC = 'GGUF';
/** Version 1 counted in 32 bits and is long gone; these two share one layout. */
const VERSIONS = new Set([2, 3]);
/** Bytes that are read at once; the keys that matter stand at the front of every file that is written today. */
const BLOCK_BYTES = 64 * 1024;
/** More keys, or longer names of keys, than this are no model but a fault. */
const MOST_KEYS = 100_000;
const LONGEST_NAME = 64 * 1024;
/** Arrays of arrays deeper than this are a fault. */
const DEEPEST_ARRAY = 4;

const STRING = 8;
const ARRAY = 9;
/** Bytes of the value types of fixed size, by their number in the format. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** Reads little-endian values from a place on, a block at a time. */
class Reader {
  private readonly file: FileHandle;
  private readonly size: number;
  private block: Buffer = Buffer.alloc(0);
  private blockStart = 0;
  private position = 0;

  constructor(file: FileHandle, size: number) {
    this.file = file;
    this.size = size;
  }

  async bytes(count: number): Promise<Buffer> {
    const from = this.position - this.blockStart;
    if (from < 0 || from + count > this.block.length) return this.fetch(count);
    this.position += count;
    return this.block.subarray(from, from + count);
  }

  /** Passes over values without reading them. */
  skip(count: number): void {
    this.position += count;
    if (this.position > this.size) throw new GgufError('the file is cut off');
  }

  async u32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  /** A 64-bit count; one that no file could hold is a fault. */
  async count(): Promise<number> {
    const value = Number((await this.bytes(8)).readBigUInt64LE());
    if (value > this.size) throw new GgufError('a count exceeds the file');
    return value;
  }

  async text(): Promise<string> {
    const length = await this.count();
    if (length > LONGEST_NAME) throw new GgufError('a name is too long');
    return (await this.bytes(length)).toString('utf8');
  }

  private async fetch(count: number): Promise<Buffer> {
    const byteCount = Math.max(count, BLOCK_BYTES);
    const block = Buffer.alloc(Math.min(byteCount, Math.max(0, this.size - this.position)));
    const { bytesRead } = await this.file.read(block, 0, block.length, this.position);
    if (bytesRead < count) throw new GgufError('the file is cut off');
    this.block = block.subarray(0, bytesRead);
    this.blockStart = this.position;
    this.position += count;
    return this.block.subarray(0, count);
  }
}

async function skipValue(reader: Reader, type: number, depth = 0): Promise<void> {
  const size = SIZES[type];
  if (size !== undefined) reader.skip(size);
  else if (type === STRING) reader.skip(await reader.count());
  else if (type === ARRAY && depth < DEEPEST_ARRAY) await skipArray(reader, depth);
  else throw new GgufError(`a value has the unknown type ${type}`);
}

async function skipArray(reader: Reader, depth: number): Promise<void> {
  const type = await reader.u32();
  const length = await reader.count();
  const size = SIZES[type];
  if (size !== undefined) reader.skip(size * length);
  else for (let index = 0; index < length; index++) await skipValue(reader, type, depth + 1);
}

/** A whole number of whatever integer type; null for a value of another type, which is passed over. */
async function integer(reader: Reader, type: number): Promise<number | null> {
  if (type === 4 || type === 5) return reader.u32();
  if (type === 10 || type === 11) return Number((await reader.bytes(8)).readBigUInt64LE());
  await skipValue(reader, type);
  return null;
}

async function readKeys(reader: Reader, keys: number): Promise<GgufHeader> {
  let architecture: string | undefined;
  const lengths = new Map<string, number>();
  for (let index = 0; index < keys; index++) {
    const key = await reader.text();
    const type = await reader.u32();
    if (key === 'general.architecture' && type === STRING) architecture = await reader.text();
    else if (key.endsWith('.context_length')) {
      const length = await integer(reader, type);
      if (length !== null && length > 0) lengths.set(key, length);
    } else await skipValue(reader, type);
    const contextLength = lengths.get(`${architecture}.context_length`);
    if (architecture !== undefined && contextLength !== undefined) return { architecture, contextLength };
  }
  if (architecture === undefined) throw new GgufError('the file names no architecture');
  return { architecture, contextLength: null };
}

/** Reads the head of a GGUF file, and no more of it than needed. Throws GgufError for anything else. */
export async function readGgufHeader(path: string): Promise<GgufHeader> {
  const file = await open(path, 'r');
  try {
    const reader = new Reader(file, (await file.stat()).size);
    if ((await reader.bytes(4)).toString('latin1') !== MAGIC) throw new GgufError('this is no GGUF file');
    const version = await reader.u32();
    if (!VERSIONS.has(version)) throw new GgufError(`GGUF version ${version} is not known`);
    await reader.count();
    const keys = await reader.count();
    if (keys > MOST_KEYS) throw new GgufError('the file has too many keys');
    return await readKeys(reader, keys);
  } finally {
    await file.close();
  }
}
