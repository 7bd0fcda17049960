/** A sparse vector: bucket indices with their values; values of a bucket that stands twice add up. */
export interface Features {
  indices: Uint32Array;
  values: Float32Array;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** 32-bit FNV-1a over the UTF-16 units of a text, started from a seed so that kinds of features do not collide. */
export function hashText(text: string, seed = 0): number {
  let hash = FNV_OFFSET ^ seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}

/** The finaliser of MurmurHash3, which spreads a weak hash over all 32 bits. */
export function finaliseHash(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Collects hashed features of one text after another. Counted features are damped (1 + ln count) and scaled to unit
 * length; exact features keep their value. `finish` returns the vector and empties the hasher for the next text.
 */
export class FeatureHasher {
  readonly bits: number;
  private readonly counts: Float32Array;
  private readonly shift: number;
  private touched: number[] = [];
  private exact = new Map<number, number>();

  constructor(bits: number) {
    if (bits < 1 || bits > 24) throw new RangeError(`Feature bits must be 1 to 24, not ${bits}.`);
    this.bits = bits;
    this.shift = 32 - bits;
    this.counts = new Float32Array(2 ** bits);
  }

  /** Counts one hash, for features built by the caller. */
  count(hash: number, amount = 1): void {
    const bucket = finaliseHash(hash) >>> this.shift;
    if (this.counts[bucket] === 0) this.touched.push(bucket);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + amount;
  }

  /** Counts one named feature. */
  countName(name: string, amount = 1): void {
    this.count(hashText(name, 0x6e616d65), amount);
  }

  /** Adds a named feature whose value is kept as it is, outside the scaling to unit length. */
  setExact(name: string, value: number): void {
    if (value === 0 || !Number.isFinite(value)) return;
    const bucket = finaliseHash(hashText(name, 0x65786163)) >>> this.shift;
    this.exact.set(bucket, (this.exact.get(bucket) ?? 0) + value);
  }

  /** Counts runs of `shortest` to `longest` neighbouring words. */
  countWords(words: readonly string[], shortest: number, longest: number, seed = 0x776f7264): void {
    const hashes = words.map((word) => hashText(word));
    for (let start = 0; start < hashes.length; start++) {
      let hash = seed;
      const end = Math.min(hashes.length, start + longest);
      for (let index = start; index < end; index++) {
        hash = Math.imul(hash ^ (hashes[index] ?? 0), FNV_PRIME) ^ (hash >>> 15);
        if (index - start + 1 >= shortest) this.count(hash);
      }
    }
  }

  /** Counts runs of `shortest` to `longest` neighbouring UTF-16 units; text should be folded and padded by the caller. */
  countCharacters(text: string, shortest: number, longest: number, seed = 0x63686172): void {
    for (let start = 0; start < text.length; start++) {
      let hash = FNV_OFFSET ^ seed;
      const end = Math.min(text.length, start + longest);
      for (let index = start; index < end; index++) {
        hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
        if (index - start + 1 >= shortest) this.count(hash);
      }
    }
  }

  /** The vector of everything counted since the last call. */
  finish(): Features {
    const counted = this.touched;
    const indices = new Uint32Array(counted.length + this.exact.size);
    const values = new Float32Array(indices.length);
    let squares = 0;
    counted.forEach((bucket, position) => {
      const count = this.counts[bucket] ?? 1;
      const damped = count === 1 ? 1 : 1 + Math.log(Math.max(count, 1e-6));
      indices[position] = bucket;
      values[position] = damped;
      squares += damped * damped;
      this.counts[bucket] = 0;
    });
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let position = 0; position < counted.length; position++) {
      values[position] = (values[position] ?? 0) * scale;
    }
    this.appendExact(indices, values, counted.length);
    this.touched = [];
    return { indices, values };
  }

  private appendExact(indices: Uint32Array, values: Float32Array, from: number): void {
    let position = from;
    for (const [bucket, value] of this.exact) {
      indices[position] = bucket;
      values[position] = value;
      position++;
    }
    this.exact = new Map();
  }
}
