import fc from 'fast-check';

/** One surface that takes input of strangers, with what must hold for any input. */
export interface FuzzTarget {
  readonly name: string;
  /** Opens what the surface needs; the property is asked many times, then it is closed. */
  open(): Promise<{ readonly property: fc.IAsyncProperty<unknown>; close(): Promise<void> }>;
}

/** A place in an input, as a share of its length, so that it means the same while the input grows. */
const place = fc.nat({ max: 9_999 });

/** One change of an input: words of the format are as likely as single bytes. */
const edit = (words: readonly Buffer[]) =>
  fc.oneof(
    fc.record({ kind: fc.constant('byte' as const), at: place, byte: fc.nat({ max: 255 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: place, length: fc.nat({ max: 40 }) }),
    fc.record({ kind: fc.constant('word' as const), at: place, word: fc.constantFrom(...words) }),
    fc.record({ kind: fc.constant('again' as const), at: place, from: place, length: fc.nat({ max: 200 }) }),
  );
type Edit = ReturnType<typeof edit> extends fc.Arbitrary<infer Value> ? Value : never;

function apply(input: Buffer, change: Edit): Buffer {
  const index = (share: number) => Math.floor((share / 10_000) * (input.length + 1));
  const at = index(change.at);
  const [before, after] = [input.subarray(0, at), input.subarray(at)];
  switch (change.kind) {
    case 'byte':
      return Buffer.concat([before, Buffer.of(change.byte), after.subarray(1)]);
    case 'cut':
      return Buffer.concat([before, after.subarray(change.length)]);
    case 'word':
      return Buffer.concat([before, change.word, after]);
    case 'again': {
      const from = index(change.from);
      return Buffer.concat([before, input.subarray(from, from + change.length), after]);
    }
  }
}

/** Examples of a format with some changes: most of them are almost right, which is where readers go wrong. */
export function mutated(
  examples: readonly (string | Buffer)[],
  words: readonly string[],
): fc.Arbitrary<Buffer> {
  const inputs = examples.map((example) => Buffer.from(example));
  const edits = fc.array(edit(words.map((word) => Buffer.from(word))), { maxLength: 12 });
  return fc.tuple(fc.constantFrom(...inputs), edits).map(([input, changes]) => changes.reduce(apply, input));
}

/** Bytes cut at some places, as a network may deliver them. */
export function pieces(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = places.map((share) => Math.floor((share / 10_000) * (bytes.length + 1)));
  const ends = [...new Set(cuts)].sort((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Where bytes are cut. */
export const cuts = fc.array(place, { maxLength: 8 });
