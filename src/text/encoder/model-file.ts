import { z } from 'zod';

/** Where a list of numbers lies in the weights, in bytes. */
const place = z.object({ offset: z.int().min(0), bytes: z.int().min(1) });

/** The JSON header of an encoder file. Shapes are those of network.ts; here stands where each list of numbers lies. */
const headerSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** Pieces of text by id, and their scores; null counts as 0. */
  pieces: z.array(z.string()).min(1),
  scores: z.array(z.number().nullable()).min(1),
  /** Ids below this number stand for marks, not for text. */
  reserved: z.int().min(1),
  weights: z.record(z.string(), place),
});

/** Header of an encoder file. */
export type EncoderHeader = z.infer<typeof headerSchema>;

/** An encoder file in parts; the weights lie as they do in the memory of the encoder. */
export interface EncoderFile {
  readonly header: EncoderHeader;
  readonly weights: Uint8Array;
}

/** The bytes LEN1: Limpede encoder, form 1. */
const MAGIC = 0x314e454c;
const PREFIX_BYTES = 8;
/** Each list of weights begins on a multiple of this. */
const ALIGNMENT = 64;

/** Reads an encoder file: magic number, header length, JSON header, weights (all little-endian). */
export function readEncoderFile(bytes: Uint8Array): EncoderFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error('This is not an encoder file.');
  }
  const start = PREFIX_BYTES + view.getUint32(4, true);
  // A copy, as the decoder does not read shared memory.
  const head = new TextDecoder().decode(new Uint8Array(bytes.subarray(PREFIX_BYTES, start)));
  const header = headerSchema.parse(JSON.parse(head));
  const weights = bytes.subarray(start);
  const damaged = Object.values(header.weights).some(({ offset, bytes }) => offset + bytes > weights.length);
  if (damaged || header.pieces.length !== header.scores.length) {
    throw new Error(`The encoder ${header.name} is damaged: its parts differ in size.`);
  }
  return { header, weights };
}

/** Writes an encoder file from lists of numbers by name. */
export function writeEncoderFile(
  header: Omit<EncoderHeader, 'weights'>,
  lists: Readonly<Record<string, Int8Array | Float32Array>>,
): Uint8Array {
  const places: EncoderHeader['weights'] = {};
  let length = 0;
  for (const [name, { byteLength }] of Object.entries(lists)) {
    places[name] = { offset: length, bytes: byteLength };
    length += Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
  }
  const head = new TextEncoder().encode(JSON.stringify({ ...header, weights: places }));
  const file = new Uint8Array(PREFIX_BYTES + head.length + length);
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, head.length, true);
  file.set(head, PREFIX_BYTES);
  for (const [name, { buffer, byteOffset, byteLength }] of Object.entries(lists)) {
    const start = PREFIX_BYTES + head.length + (places[name]?.offset ?? 0);
    file.set(new Uint8Array(buffer, byteOffset, byteLength), start);
  }
  return file;
}
