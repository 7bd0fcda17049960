import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a tiny model answers, and the metadata of its file. */
export interface TinyModel {
  /** The words of every answer to a chat, in order. */
  readonly words: readonly string[];
  /** Whether the answer starts anew after its last word, for ever. */
  readonly endless?: boolean;
  /** Whether a space stands before each word; yes unless said otherwise. */
  readonly spaced?: boolean;
  /** Whether the file carries a chat template. */
  readonly template?: boolean;
  readonly contextLength?: number;
}

const WIDTH = 64;
const HIDDEN = 128;
const HEADS = 2;
/** How sharply the model prefers the next word: at temperature 0.7 other tokens come now and then, at 0 never. */
const SHARPNESS = 0.1;

const CONTROL = 3;
const BYTE = 6;
const NORMAL = 1;
/** Bytes stand behind the three tokens that every vocabulary has. */
const FIRST_BYTE = 3;

/** The template of the model: role tokens, and the token that asks for an answer. */
export const TEMPLATE =
  '{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';

interface Token {
  readonly text: string;
  readonly type: number;
}

/** A generator of pseudo-random numbers (mulberry32), so that the same model is written each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Values of the format, little-endian. */
class Bytes {
  private readonly parts: Buffer[] = [];
  private length = 0;

  put(part: Buffer): void {
    this.parts.push(part);
    this.length += part.length;
  }

  u32(value: number): void {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.put(part);
  }

  u64(value: number): void {
    const part = Buffer.alloc(8);
    part.writeBigUInt64LE(BigInt(value));
    this.put(part);
  }

  f32(value: number): void {
    const part = Buffer.alloc(4);
    part.writeFloatLE(value);
    this.put(part);
  }

  text(value: string): void {
    const part = Buffer.from(value);
    this.u64(part.length);
    this.put(part);
  }

  pad(multiple: number): void {
    this.put(Buffer.alloc((multiple - (this.length % multiple)) % multiple));
  }

  whole(): Buffer {
    return Buffer.concat(this.parts);
  }
}

type Value =
  | { readonly u32: number }
  | { readonly f32: number }
  | { readonly flag: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly floats: readonly number[] }
  | { readonly integers: readonly number[] };

function putList<Item>(to: Bytes, type: number, items: readonly Item[], put: (item: Item) => void): void {
  to.u32(9);
  to.u32(type);
  to.u64(items.length);
  for (const item of items) put(item);
}

function putValue(to: Bytes, value: Value): void {
  if ('u32' in value) {
    to.u32(4);
    to.u32(value.u32);
  } else if ('f32' in value) {
    to.u32(6);
    to.f32(value.f32);
  } else if ('flag' in value) {
    to.u32(7);
    to.put(Buffer.from([value.flag ? 1 : 0]));
  } else if ('text' in value) {
    to.u32(8);
    to.text(value.text);
  } else if ('texts' in value) putList(to, 8, value.texts, (text) => to.text(text));
  else if ('floats' in value) putList(to, 6, value.floats, (one) => to.f32(one));
  else putList(to, 5, value.integers, (one) => to.u32(one));
}

interface Tensor {
  readonly name: string;
  /** Fastest dimension first, as the format counts. */
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

function spelling({ words, spaced = true }: TinyModel): string[] {
  return words.map((word) => (spaced ? `▁${word}` : word));
}

function vocabulary(model: TinyModel): Token[] {
  const control = (text: string): Token => ({ text, type: CONTROL });
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: BYTE,
  }));
  const roles = ['<|system|>', '<|user|>', '<|assistant|>'].map(control);
  const spoken = [...new Set(spelling(model))].map((text) => ({ text, type: NORMAL }));
  return [control('<unk>'), control('<s>'), control('</s>'), ...bytes, ...roles, ...spoken];
}

/**
 * The weights of a model that says its words: embeddings are nearly orthogonal, and the row of each word in the output
 * matrix is the embedding of what comes before it. Attention and feed-forward are random and small.
 */
function tensors(tokens: readonly Token[], model: TinyModel): Tensor[] {
  const random = randomNumbers(7);
  const matrix = (name: string, columns: number, rows: number, scale: number): Tensor => {
    const values = Float32Array.from({ length: columns * rows }, () => (random() * 2 - 1) * scale);
    return { name, shape: [columns, rows], values };
  };
  const ones = (name: string): Tensor => ({ name, shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) });
  const embedding = Float32Array.from({ length: WIDTH * tokens.length }, () => (random() < 0.5 ? -1 : 1));
  // One embedding for all bytes: whatever text comes before, the first word follows it.
  for (let byte = 1; byte < 256; byte++)
    embedding.copyWithin((FIRST_BYTE + byte) * WIDTH, FIRST_BYTE * WIDTH, (FIRST_BYTE + 1) * WIDTH);
  const output = new Float32Array(WIDTH * tokens.length);
  const id = (text: string) => tokens.findIndex((token) => token.text === text);
  const follow = (before: number, after: number) => {
    for (let column = 0; column < WIDTH; column++) {
      const at = after * WIDTH + column;
      output[at] = (output[at] ?? 0) + SHARPNESS * (embedding[before * WIDTH + column] ?? 0);
    }
  };
  const spoken = spelling(model).map(id);
  const [first = 0] = spoken;
  const last = spoken.at(-1) ?? 0;
  follow(id('<|assistant|>'), first);
  spoken.slice(1).forEach((token, index) => {
    follow(spoken[index] ?? 0, token);
  });
  follow(last, model.endless === true ? first : id('</s>'));
  follow(FIRST_BYTE, first);
  return [
    { name: 'token_embd.weight', shape: [WIDTH, tokens.length], values: embedding },
    ones('output_norm.weight'),
    { name: 'output.weight', shape: [WIDTH, tokens.length], values: output },
    ones('blk.0.attn_norm.weight'),
    ones('blk.0.ffn_norm.weight'),
    matrix('blk.0.attn_q.weight', WIDTH, WIDTH, 0.01),
    matrix('blk.0.attn_k.weight', WIDTH, WIDTH, 0.01),
    matrix('blk.0.attn_v.weight', WIDTH, WIDTH, 0.01),
    matrix('blk.0.attn_output.weight', WIDTH, WIDTH, 0.01),
    matrix('blk.0.ffn_gate.weight', WIDTH, HIDDEN, 0.01),
    matrix('blk.0.ffn_up.weight', WIDTH, HIDDEN, 0.01),
    matrix('blk.0.ffn_down.weight', HIDDEN, WIDTH, 0.01),
  ];
}

function keys(
  tokens: readonly Token[],
  { contextLength = 8192, template = true }: TinyModel,
): [string, Value][] {
  return [
    ['general.architecture', { text: 'llama' }],
    ['general.name', { text: 'tiny' }],
    ['llama.context_length', { u32: contextLength }],
    ['llama.embedding_length', { u32: WIDTH }],
    ['llama.block_count', { u32: 1 }],
    ['llama.feed_forward_length', { u32: HIDDEN }],
    ['llama.attention.head_count', { u32: HEADS }],
    ['llama.attention.layer_norm_rms_epsilon', { f32: 1e-5 }],
    ['llama.rope.dimension_count', { u32: WIDTH / HEADS }],
    ['tokenizer.ggml.model', { text: 'llama' }],
    ['tokenizer.ggml.tokens', { texts: tokens.map(({ text }) => text) }],
    ['tokenizer.ggml.scores', { floats: tokens.map((_, index) => -index) }],
    ['tokenizer.ggml.token_type', { integers: tokens.map(({ type }) => type) }],
    ['tokenizer.ggml.unknown_token_id', { u32: 0 }],
    ['tokenizer.ggml.bos_token_id', { u32: 1 }],
    ['tokenizer.ggml.eos_token_id', { u32: 2 }],
    ['tokenizer.ggml.add_bos_token', { flag: true }],
    ['tokenizer.ggml.add_space_prefix', { flag: false }],
    ...(template ? ([['tokenizer.chat_template', { text: TEMPLATE }]] as [string, Value][]) : []),
  ];
}

const ALIGNMENT = 32;

/** A whole GGUF file (version 3) of the llama architecture, a few hundred kilobytes. */
export function tinyModel(model: TinyModel): Buffer {
  const tokens = vocabulary(model);
  const all = tensors(tokens, model);
  const pairs = keys(tokens, model);
  const file = new Bytes();
  file.put(Buffer.from('GGUF'));
  file.u32(3);
  file.u64(all.length);
  file.u64(pairs.length);
  for (const [key, value] of pairs) {
    file.text(key);
    putValue(file, value);
  }
  let offset = 0;
  for (const { name, shape, values } of all) {
    file.text(name);
    file.u32(shape.length);
    for (const length of shape) file.u64(length);
    file.u32(0);
    file.u64(offset);
    offset += Math.ceil(values.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  file.pad(ALIGNMENT);
  for (const { values } of all) {
    file.put(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    file.pad(ALIGNMENT);
  }
  return file.whole();
}

/** Writes a tiny model to a file. */
export function writeTinyModel(path: string, model: TinyModel): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, tinyModel(model));
}
