import { FLOAT_BYTES } from './assembler.ts';
import type { Kernels } from './kernels.ts';

/** Numbers of a sentence vector, and of a piece after the first layer. */
export const DIMENSIONS = 512;
/** Widths of a piece before the first and before the second layer, and inside the feed-forward part of both. */
export const WIDTHS = { embedding: 256, layer: [256, DIMENSIONS], feed: 1536 } as const;

/** A layer as its weights are named, with the width of what it takes in. */
interface Layer {
  readonly name: string;
  readonly inputs: number;
}
const FIRST: Layer = { name: '0', inputs: WIDTHS.layer[0] };

/** The upper layer of the encoder itself; others may stand beside it (`runUpper`). */
export const OWN_LAYER = '1';

/** Addresses of the buffers of one thread. */
export interface Buffers {
  /** Ids of the pieces, 32 bits each. */
  readonly pieces: number;
  /** Scale and least number of each quantised row. */
  readonly facts: number;
  readonly scores: number;
  readonly spare: number;
  readonly list: number;
  readonly quantised: number;
  readonly embedded: number;
  /** Rows of 512 floats: what the layers hand on, in the end the vectors of the pieces. */
  readonly state: number;
  /** The state behind the first layer, for a second upper layer. */
  readonly lower: number;
  readonly context: number;
  /** Rows of 1536 floats: query, key and value, later the inside of the feed-forward part. */
  readonly hidden: number;
  /** For each sentence the sum, later the mean, of its rows of the state, and of its hidden rows. */
  readonly means: number;
  readonly hiddenMeans: number;
  readonly results: number;
}

/** Sentences that are computed together: their first rows and lengths. */
export interface Chunk {
  readonly sentences: readonly { readonly start: number; readonly length: number }[];
  readonly rows: number;
}

/** The memory of the network: kernels, buffers, and `weightsOf`, the address of a list of weights. */
export interface NetworkMemory {
  readonly kernels: Kernels;
  readonly buffers: Buffers;
  weightsOf(name: string): number;
}

/** A product of the quantised rows with the matrix of this name. */
interface Product {
  readonly kernel: 'bytes_store' | 'bytes_relu' | 'bytes_add' | 'words_store';
  readonly rows: number;
  readonly name: string;
  readonly inputs: number;
  readonly columns: number;
  readonly out: number;
}

function multiply({ kernels, buffers, weightsOf }: NetworkMemory, product: Product): void {
  const { kernel, rows, name, inputs, columns, out } = product;
  const stride = inputs * (kernel === 'words_store' ? 2 : kernels.byteWidth);
  const matrix = [weightsOf(name), inputs, columns, weightsOf(`${name}_facts`)] as const;
  kernels[kernel](buffers.quantised, stride, rows, ...matrix, buffers.facts, out, columns * FLOAT_BYTES);
}

function normalise(place: NetworkMemory, rows: number, name: string, width: number, source: number): void {
  const { spare, quantised, facts } = place.buffers;
  place.kernels.normalise_bytes(rows, width, source, place.weightsOf(name), spare, quantised, facts);
}

/** Attention of a layer over `source`; its result is added to the state. */
function attention(place: NetworkMemory, layer: Layer, { sentences, rows }: Chunk, source: number): void {
  const { kernels, buffers } = place;
  const { state, hidden, context, quantised, facts } = buffers;
  const { inputs } = layer;
  normalise(place, rows, `${layer.name}.attention_norm`, inputs, source);
  const name = `${layer.name}.attention_in`;
  multiply(place, { kernel: 'bytes_store', rows, name, inputs, columns: 3 * inputs, out: hidden });
  if (inputs !== DIMENSIONS) {
    // The first layer widens what passes it by.
    kernels.quantise_words(rows, inputs, source, quantised, facts);
    const skip = { rows, name: `${layer.name}.skip`, inputs, columns: DIMENSIONS, out: state };
    multiply(place, { kernel: 'words_store', ...skip });
  }
  for (const { start, length } of sentences) {
    const from = hidden + start * 3 * inputs * FLOAT_BYTES;
    kernels.attend(length, inputs, from, buffers.scores, context + start * inputs * FLOAT_BYTES);
  }
  kernels.quantise_bytes(rows, inputs, context, quantised, facts);
  const out = { rows, name: `${layer.name}.attention_out`, inputs, columns: DIMENSIONS, out: state };
  multiply(place, { kernel: 'bytes_add', ...out });
}

function feedIn(place: NetworkMemory, layer: string, rows: number): void {
  const { state, hidden } = place.buffers;
  normalise(place, rows, `${layer}.feed_norm`, DIMENSIONS, state);
  const feed = { rows, name: `${layer}.feed_in`, inputs: DIMENSIONS, columns: WIDTHS.feed, out: hidden };
  multiply(place, { kernel: 'bytes_relu', ...feed });
}

function feedOut(place: NetworkMemory, layer: string, rows: number, source: number, out: number): void {
  const weights = place.weightsOf(`${layer}.feed_out`);
  const facts = place.weightsOf(`${layer}.feed_out_facts`);
  const { list } = place.buffers;
  place.kernels.sparse_add(rows, source, WIDTHS.feed, weights, DIMENSIONS, facts, list, out);
}

/** The pieces and the whole first layer. */
export function runLower(place: NetworkMemory, chunk: Chunk): void {
  const { kernels, buffers, weightsOf } = place;
  const table = [weightsOf('pieces'), weightsOf('piece_scales'), weightsOf('positions')] as const;
  const { pieces, embedded, state, hidden } = buffers;
  for (const { start, length } of chunk.sentences) {
    const out = embedded + start * WIDTHS.embedding * FLOAT_BYTES;
    kernels.embed(length, WIDTHS.embedding, pieces + start * FLOAT_BYTES, ...table, out);
  }
  attention(place, FIRST, chunk, embedded);
  feedIn(place, FIRST.name, chunk.rows);
  feedOut(place, FIRST.name, chunk.rows, hidden, state);
}

/** An upper layer of this name up to its last step. */
export function runUpper(place: NetworkMemory, chunk: Chunk, name: string): void {
  attention(place, { name, inputs: DIMENSIONS }, chunk, place.buffers.state);
  feedIn(place, name, chunk.rows);
}

/** The last step of an upper layer row by row: the state becomes the vectors of the pieces. */
export function finishRows(place: NetworkMemory, rows: number, name: string): void {
  feedOut(place, name, rows, place.buffers.hidden, place.buffers.state);
}

/** So many linear sums of the state of each row, written to the hidden rows. */
export function runHeads(place: NetworkMemory, rows: number, name: string, columns: number): void {
  const { kernels, buffers } = place;
  kernels.quantise_words(rows, DIMENSIONS, buffers.state, buffers.quantised, buffers.facts);
  const product = { rows, name, inputs: DIMENSIONS, columns, out: buffers.hidden };
  multiply(place, { kernel: 'words_store', ...product });
}

/** Sums over the rows of each sentence, added to what the means hold. */
export function sumRows({ kernels, buffers }: NetworkMemory, { sentences }: Chunk): void {
  const { state, hidden, means, hiddenMeans } = buffers;
  sentences.forEach(({ start, length }, index) => {
    const sum = (width: number, source: number, sums: number) =>
      kernels.add_rows(
        length,
        width,
        source + start * width * FLOAT_BYTES,
        sums + index * width * FLOAT_BYTES,
      );
    sum(DIMENSIONS, state, means);
    sum(WIDTHS.feed, hidden, hiddenMeans);
  });
}

/**
 * From the means to the results, before tanh. The last step of the second layer is linear: it is taken of the mean, once a
 * sentence instead of once a row.
 */
export function poolSentences(place: NetworkMemory, sentences: number): void {
  const { hiddenMeans, means, quantised, facts, results } = place.buffers;
  feedOut(place, OWN_LAYER, sentences, hiddenMeans, means);
  place.kernels.quantise_words(sentences, DIMENSIONS, means, quantised, facts);
  const summary = { rows: sentences, name: 'summary', inputs: DIMENSIONS, columns: DIMENSIONS, out: results };
  multiply(place, { kernel: 'words_store', ...summary });
}
