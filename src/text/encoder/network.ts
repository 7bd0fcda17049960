import { FLOAT_BYTES } from './assembler.ts';
import { createKernels, LARGEST_PAGES } from './kernels.ts';
import {
  type Buffers,
  type Chunk,
  DIMENSIONS,
  finishRows,
  type NetworkMemory,
  OWN_LAYER,
  poolSentences,
  runHeads,
  runLower,
  runUpper,
  sumRows,
  WIDTHS,
} from './layers.ts';
import { TILE_ROWS } from './matrix-kernels.ts';
import { type EncoderFile, LIST_ALIGNMENT, type ListPlaces } from './model-file.ts';

/** Pieces of a sentence that are read; the original reads no more. */
export const LONGEST_SENTENCE = 128;

/** The weights of an encoder in memory that threads share, with room for the numbers of each thread. */
export interface SharedNetwork {
  readonly memory: WebAssembly.Memory;
  readonly weights: ListPlaces;
  readonly threadCount: number;
}

/** The network of one thread. Sentences are lists of at least one and at most 128 piece ids. */
export interface Network {
  /** Sentence vectors, each of length 1; the same to the bit however the sentences are grouped. */
  sentences(sentences: readonly Uint16Array[]): Float32Array[];
  /** A vector of 512 numbers for each piece of a sentence, one after the other. */
  pieces(sentence: Uint16Array): Float32Array;
  /** The same behind the first layer, which upper layers start from. */
  lower(sentence: Uint16Array): Float32Array;
  /** The sentence vectors, and beside them what a second upper layer says of each piece: `columns` numbers a piece. */
  withUpper(
    sentences: readonly Uint16Array[],
    columns: number,
  ): { readonly vector: Float32Array; readonly upper: Float32Array }[];
}

/** Names of the second upper layer and of what is read off its pieces, in the file that holds both. */
const UPPER_LAYER = 'upper';
const UPPER_HEADS = 'upper.heads';

/** Rows that are computed together: the longest sentence fits, and what they need stays in a processor's cache. */
const CHUNK_ROWS = LONGEST_SENTENCE;
/** Products take rows four at a time, so there is room for more. */
const ROOM_ROWS = CHUNK_ROWS + TILE_ROWS;
const PAGE = 65_536;

const BUFFER_BYTES: Buffers = {
  pieces: ROOM_ROWS * FLOAT_BYTES,
  facts: ROOM_ROWS * 2 * FLOAT_BYTES,
  scores: ROOM_ROWS * FLOAT_BYTES,
  spare: WIDTHS.feed * FLOAT_BYTES,
  list: (WIDTHS.feed + 2) * 2 * FLOAT_BYTES,
  quantised: ROOM_ROWS * DIMENSIONS * 2,
  embedded: ROOM_ROWS * WIDTHS.embedding * FLOAT_BYTES,
  state: ROOM_ROWS * DIMENSIONS * FLOAT_BYTES,
  lower: ROOM_ROWS * DIMENSIONS * FLOAT_BYTES,
  context: ROOM_ROWS * DIMENSIONS * FLOAT_BYTES,
  hidden: ROOM_ROWS * WIDTHS.feed * FLOAT_BYTES,
  means: ROOM_ROWS * DIMENSIONS * FLOAT_BYTES,
  hiddenMeans: ROOM_ROWS * WIDTHS.feed * FLOAT_BYTES,
  results: ROOM_ROWS * DIMENSIONS * FLOAT_BYTES,
};
const THREAD_BYTES = Object.values(BUFFER_BYTES).reduce((sum, bytes) => sum + bytes, 0);

/** Where the buffers of a thread lie, from an address on. */
function buffersFrom(start: number): Buffers {
  let next = start;
  const place = (bytes: number) => {
    next += bytes;
    return next - bytes;
  };
  const { pieces, facts, scores, spare, list, quantised } = BUFFER_BYTES;
  return {
    pieces: place(pieces),
    facts: place(facts),
    scores: place(scores),
    spare: place(spare),
    list: place(list),
    quantised: place(quantised),
    embedded: place(BUFFER_BYTES.embedded),
    state: place(BUFFER_BYTES.state),
    lower: place(BUFFER_BYTES.lower),
    context: place(BUFFER_BYTES.context),
    hidden: place(BUFFER_BYTES.hidden),
    means: place(BUFFER_BYTES.means),
    hiddenMeans: place(BUFFER_BYTES.hiddenMeans),
    results: place(BUFFER_BYTES.results),
  };
}

/** Puts the weights of an encoder file, and of a second upper layer, into new shared memory, with room for so many threads. */
export function shareNetwork(
  { places, body }: EncoderFile<unknown>,
  threadCount: number,
  upper?: EncoderFile<unknown>,
): SharedNetwork {
  const start = Math.ceil(body.length / LIST_ALIGNMENT) * LIST_ALIGNMENT;
  const initial = Math.ceil((start + (upper?.body.length ?? 0) + threadCount * THREAD_BYTES) / PAGE);
  const memory = new WebAssembly.Memory({ initial, maximum: LARGEST_PAGES, shared: true });
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(body);
  if (upper === undefined) return { memory, weights: places, threadCount };
  bytes.set(upper.body, start);
  const more = Object.entries(upper.places).map(
    ([name, { offset, bytes: size }]) => [name, { offset: start + offset, bytes: size }] as const,
  );
  return { memory, weights: { ...places, ...Object.fromEntries(more) }, threadCount };
}

/** The network of one thread over shared weights; `threadIndex` is the number of the thread, from 0. */
export function createNetwork(shared: SharedNetwork, threadIndex: number, relaxed?: boolean): Network {
  if (threadIndex >= shared.threadCount)
    throw new Error(`The encoder has room for ${shared.threadCount} threads only.`);
  const { memory, weights } = shared;
  const place: NetworkMemory = {
    kernels: createKernels(memory, relaxed),
    buffers: buffersFrom(memory.buffer.byteLength - (threadIndex + 1) * THREAD_BYTES),
    weightsOf: (name) => {
      const list = weights[name];
      if (list === undefined) throw new Error(`The encoder file lacks the weights ${name}.`);
      return list.offset;
    },
  };
  const stateOf = (rows: number) =>
    new Float32Array(new Float32Array(memory.buffer, place.buffers.state, rows * DIMENSIONS));
  return {
    sentences: (sentences) => chunksOf(sentences).flatMap((chunk) => encodeChunk(memory, place, chunk)),
    pieces: (sentence) => {
      const chunk = load(memory, place, [sentence]);
      runLower(place, chunk);
      runUpper(place, chunk, OWN_LAYER);
      finishRows(place, chunk.rows, OWN_LAYER);
      return stateOf(chunk.rows);
    },
    lower: (sentence) => {
      const chunk = load(memory, place, [sentence]);
      runLower(place, chunk);
      return stateOf(chunk.rows);
    },
    withUpper: (sentences, columns) =>
      chunksOf(sentences).flatMap((chunk) => {
        const vectors = encodeChunk(memory, place, chunk, true);
        const all = readUpper(memory, place, chunk, columns);
        let row = 0;
        return chunk.map((sentence, index) => {
          const upper = all.slice(row * columns, (row + sentence.length) * columns);
          row += sentence.length;
          return { vector: vectors[index] ?? new Float32Array(DIMENSIONS), upper };
        });
      }),
  };
}

/** What the second upper layer says of the pieces of a chunk whose state behind the first layer was kept. */
function readUpper(
  memory: WebAssembly.Memory,
  place: NetworkMemory,
  sentences: readonly Uint16Array[],
  columns: number,
): Float32Array {
  const chunk = load(memory, place, sentences);
  const { lower, state, hidden } = place.buffers;
  new Uint8Array(memory.buffer).copyWithin(state, lower, lower + chunk.rows * DIMENSIONS * FLOAT_BYTES);
  runUpper(place, chunk, UPPER_LAYER);
  finishRows(place, chunk.rows, UPPER_LAYER);
  runHeads(place, chunk.rows, UPPER_HEADS, columns);
  return new Float32Array(memory.buffer, hidden, chunk.rows * columns).slice();
}

/** Writes the pieces of sentences into memory, one after the other. */
function load(
  { buffer }: WebAssembly.Memory,
  { buffers }: NetworkMemory,
  sentences: readonly Uint16Array[],
): Chunk {
  const ids = new Int32Array(buffer, buffers.pieces, CHUNK_ROWS);
  let rows = 0;
  const placed = sentences.map((sentence) => {
    ids.set(sentence, rows);
    rows += sentence.length;
    return { start: rows - sentence.length, length: sentence.length };
  });
  return { sentences: placed, rows };
}

/** The vectors of sentences that fit into one chunk; the state behind the first layer is kept where it is needed again. */
function encodeChunk(
  memory: WebAssembly.Memory,
  place: NetworkMemory,
  sentences: readonly Uint16Array[],
  keepLower = false,
): Float32Array[] {
  const { means, hiddenMeans, results } = place.buffers;
  const rowsOf = (start: number, width: number) => {
    const all = new Float32Array(memory.buffer, start, sentences.length * width);
    return sentences.map((_, index) => all.subarray(index * width, (index + 1) * width));
  };
  const sums = [...rowsOf(means, DIMENSIONS), ...rowsOf(hiddenMeans, WIDTHS.feed)];
  for (const sum of sums) sum.fill(0);
  const chunk = load(memory, place, sentences);
  runLower(place, chunk);
  if (keepLower) {
    const { lower, state } = place.buffers;
    new Uint8Array(memory.buffer).copyWithin(lower, state, state + chunk.rows * DIMENSIONS * FLOAT_BYTES);
  }
  runUpper(place, chunk, OWN_LAYER);
  sumRows(place, chunk);
  sums.forEach((sum, index) => {
    divide(sum, sentences[index % sentences.length]?.length ?? 1);
  });
  poolSentences(place, sentences.length);
  return rowsOf(results, DIMENSIONS).map((result) => unitLength(new Float32Array(result).map(Math.tanh)));
}

/** Sentences in their order, as many together as fit. */
function chunksOf(sentences: readonly Uint16Array[]): Uint16Array[][] {
  const chunks: Uint16Array[][] = [];
  let rows = CHUNK_ROWS;
  for (const sentence of sentences) {
    rows += sentence.length;
    const last = chunks.at(-1);
    if (last !== undefined && rows <= CHUNK_ROWS) last.push(sentence);
    else {
      chunks.push([sentence]);
      rows = sentence.length;
    }
  }
  return chunks;
}

function divide(numbers: Float32Array, divisor: number): void {
  for (let index = 0; index < numbers.length; index++) numbers[index] = (numbers[index] ?? 0) / divisor;
}

/** A vector scaled to length 1; a vector of zeros stays. */
export function unitLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const number of vector) sum += number * number;
  if (sum > 0) divide(vector, Math.sqrt(sum));
  return vector;
}
