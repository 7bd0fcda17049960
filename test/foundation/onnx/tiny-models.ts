import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { isOnnxInstalled, onnxFolder } from '../../../src/foundation/onnx/runtime.ts';
import { isRequired } from '../../required.ts';
import { FLOAT, INT64, model, tensor, value } from './onnx-file.ts';

/** A suite for the real runtime: skipped with the reason in its name unless LIMPEDE_TEST_REQUIRE names `onnx`. */
export function describeOnnx(name: string, suite: () => void): void {
  if (isOnnxInstalled(onnxFolder()) || isRequired('onnx')) describe(name, suite);
  else describe.skip(`${name} (skipped: not installed: run \`limpede setup onnx\`)`, suite);
}

/** Inputs of a row of tokens each. */
const tokens = (...names: string[]) => names.map((name) => value(name, INT64, ['batch', 'tokens']));

/** Words of the tiny tokenizer, in the order of their ids. */
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'red', 'green', 'blue', 'price', 'petrol', 'museum'];
const MARKS = { cls: '[CLS]', sep: '[SEP]' };

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: WORDS.slice(0, 4).map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: MARKS.cls, type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: MARKS.sep, type_id: 0 } },
    ],
    pair: [
      { SpecialToken: { id: MARKS.cls, type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: MARKS.sep, type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: MARKS.sep, type_id: 1 } },
    ],
    special_tokens: {
      [MARKS.cls]: { id: MARKS.cls, ids: [2], tokens: [MARKS.cls] },
      [MARKS.sep]: { id: MARKS.sep, ids: [3], tokens: [MARKS.sep] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

function write(folder: string, bytes: Uint8Array, files: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), bytes);
  for (const [name, content] of Object.entries({ 'tokenizer.json': tokenizer, ...files }))
    writeFileSync(join(folder, name), JSON.stringify(content));
}

/** A sentence encoder whose token vectors are [id, 1]; `files` are further files of its folder. */
export function writeTinyEncoder(folder: string, files: Readonly<Record<string, unknown>> = {}): void {
  const table = Float32Array.from(WORDS.flatMap((_, id) => [id, 1]));
  const bytes = model({
    nodes: [{ operation: 'Gather', inputs: ['table', 'input_ids'], output: 'last_hidden_state' }],
    tensors: [tensor('table', [WORDS.length, 2], table)],
    inputs: tokens('input_ids', 'attention_mask'),
    output: value('last_hidden_state', FLOAT, ['batch', 'tokens', 'width']),
  });
  const config = { architectures: ['BertModel'], hidden_size: 2, vocab_size: WORDS.length };
  write(folder, bytes, { 'config.json': { ...config, max_position_embeddings: 16 }, ...files });
}

/** A cross-encoder: each "petrol" of a document, which is the second text, adds 4 to its log-odds of -2; "museum" takes 4. */
export function writeTinyCrossEncoder(folder: string): void {
  const worth = Float32Array.from(WORDS, (word) => (word === 'petrol' ? 4 : word === 'museum' ? -4 : 0));
  const bytes = model({
    nodes: [
      { operation: 'Gather', inputs: ['worth', 'input_ids'], output: 'worths' },
      { operation: 'Cast', inputs: ['token_type_ids'], output: 'types', attributes: { to: FLOAT } },
      { operation: 'Mul', inputs: ['worths', 'types'], output: 'counted' },
      { operation: 'ReduceSum', inputs: ['counted', 'axes'], output: 'sum', attributes: { keepdims: 1 } },
      { operation: 'Add', inputs: ['sum', 'bias'], output: 'logits' },
    ],
    tensors: [
      tensor('worth', [WORDS.length], worth),
      tensor('axes', [1], BigInt64Array.of(1n)),
      tensor('bias', [1], Float32Array.of(-2)),
    ],
    inputs: tokens('input_ids', 'attention_mask', 'token_type_ids'),
    output: value('logits', FLOAT, ['batch', 'labels']),
  });
  const config = { architectures: ['BertForSequenceClassification'], max_position_embeddings: 16 };
  write(folder, bytes, { 'config.json': config });
}
