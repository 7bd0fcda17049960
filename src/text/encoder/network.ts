import { dotProduct } from '../dot-product.ts';
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
  /** The sentence vectors, and beside them what further upper layers say. */
  withUpper(sentences: readonly Uint16Array[], wanted: UpperLayers): SentenceReading[];
}

/** Which further upper layers read a sentence. */
interface UpperLayers {
  /** Numbers a piece of the layer that reads pieces; 0 where it does not read. */
  readonly columns: number;
  /** Whether the layer that reads whole texts does. */
  readonly whole: boolean;
}

/** A sentence as all layers read it. */
interface SentenceReading {
  readonly vector: Float32Array;
  /** `columns` numbers a piece. */
  readonly upper: Float32Array;
  /** Log-odds by the layer that reads whole texts; NaN where it does not read. */
  readonly whole: number;
}

/** Names of the second upper layer and of what is read off its pieces, in the file that holds both. */
const UPPER_LAYER = 'upper';
const UPPER_HEADS = 'upper.heads';
/** The same of the layer that reads whole texts; its head reads means of a sentence and ends with a bias. */
const WHOLE_LAYER = 'whole';
const WHOLE_HEAD = 'whole.head';

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

/** Puts the weights of an encoder file, and of further upper layers, into new shared memory, with room for so many threads. */
export function shareNetwork(
  encoder: EncoderFile<unknown>,
  threadCount: number,
  uppers: readonly EncoderFile<unknown>[] = [],
): SharedNetwork {
  let end = 0;
  const placed = [encoder, ...uppers].map(({ places, body }) => {
    const start = end;
    end = Math.ceil((start + body.length) / LIST_ALIGNMENT) * LIST_ALIGNMENT;
    return { places, body, start };
  });
  const initial = Math.ceil((end + threadCount * THREAD_BYTES) / PAGE);
  const memory = new WebAssembly.Memory({ initial, maximum: LARGEST_PAGES, shared: true });
  const bytes = new Uint8Array(memory.buffer);
  for (const { body, start } of placed) bytes.set(body, start);
  const weights = placed.flatMap(({ places, start }) =>
    Object.entries(places).map(
      ([name, { offset, bytes: size }]) => [name, { offset: start + offset, bytes: size }] as const,
    ),
  );
  return { memory, weights: Object.fromEntries(weights), threadCount };
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
    withUpper: (sentences, { columns, whole }) =>
      chunksOf(sentences).flatMap((chunk) => {
        const vectors = encodeChunk(memory, place, chunk, true);
        const all = columns === 0 ? new Float32Array(0) : readUpper(memory, place, chunk, columns);
        const scores = whole ? readWhole(memory, place, chunk) : [];
        let row = 0;
        return chunk.map((sentence, index) => {
          const upper = all.slice(row * columns, (row + sentence.length) * columns);
          row += sentence.length;
          return {
            vector: vectors[index] ?? new Float32Array(DIMENSIONS),
            upper,
            whole: scores[index] ?? Number.NaN,
          };
        });
      }),
  };
}

/** Loads a chunk again and puts back its state behind the first layer, which was kept. */
function loadLower(
  memory: WebAssembly.Memory,
  place: NetworkMemory,
  sentences: readonly Uint16Array[],
): Chunk {
  const chunk = load(memory, place, sentences);
  const { lower, state } = place.buffers;
  new Uint8Array(memory.buffer).copyWithin(state, lower, lower + chunk.rows * DIMENSIONS * FLOAT_BYTES);
  return chunk;
}

/**
 * What the layer for whole texts says of each sentence of a chunk whose state behind the first layer was kept. Its last step is linear
 * and so is its head: they are one list of weights, of the means of the state and of the hidden rows.
 */
function readWhole(
  memory: WebAssembly.Memory,
  place: NetworkMemory,
  sentences: readonly Uint16Array[],
): number[] {
  const chunk = loadLower(memory, place, sentences);
  runUpper(place, chunk, WHOLE_LAYER);
  const sums = clearedSums(memory, place, sentences.length);
  sumRows(place, chunk);
  const head = new Float32Array(memory.buffer, place.weightsOf(WHOLE_HEAD), DIMENSIONS + WIDTHS.feed + 1);
  const [ofState, ofHidden] = [head.subarray(0, DIMENSIONS), head.subarray(DIMENSIONS, -1)];
  const none = new Float32Array(0);
  return sentences.map(({ length }, index) => {
    const [state = none, hidden = none] = [sums[index], sums[sentences.length + index]];
    const sum = dotProduct(state, ofState) + dotProduct(hidden, ofHidden);
    return (head[DIMENSIONS + WIDTHS.feed] ?? 0) + sum / length;
  });
}

/** The sums of the state and of the hidden rows of so many sentences, set to 0: first all of the state, then all of the others. */
function clearedSums(memory: WebAssembly.Memory, { buffers }: NetworkMemory, count: number): Float32Array[] {
  const rowsOf = (start: number, width: number) => {
    const all = new Float32Array(memory.buffer, start, count * width).fill(0);
    return Array.from({ length: count }, (_, index) => all.subarray(index * width, (index + 1) * width));
  };
  return [...rowsOf(buffers.means, DIMENSIONS), ...rowsOf(buffers.hiddenMeans, WIDTHS.feed)];
}

/** What the second upper layer says of the pieces of a chunk whose state behind the first layer was kept. */
function readUpper(
  memory: WebAssembly.Memory,
  place: NetworkMemory,
  sentences: readonly Uint16Array[],
  columns: number,
): Float32Array {
  const chunk = loadLower(memory, place, sentences);
  const { hidden } = place.buffers;
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
  const sums = clearedSums(memory, place, sentences.length);
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
  return sentences.map((_, index) => {
    const start = place.buffers.results + index * DIMENSIONS * FLOAT_BYTES;
    return unitLength(new Float32Array(memory.buffer, start, DIMENSIONS).map(Math.tanh));
  });
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
