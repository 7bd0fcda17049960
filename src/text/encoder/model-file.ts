import { z } from 'zod';

/** The JSON header of every file of the encoder: where each list of numbers lies behind it, in bytes. */
const baseSchema = z.object({
  name: z.string(),
  version: z.string(),
  weights: z.record(z.string(), z.object({ offset: z.int().min(0), bytes: z.int().min(0) })),
});

/** Where the lists of numbers of a file lie. */
export type ListPlaces = z.infer<typeof baseSchema>['weights'];

/** A file of the encoder in parts; the lists lie in `body` as the header says. */
export interface EncoderFile<Header> {
  readonly header: Header & { readonly name: string; readonly version: string };
  readonly places: ListPlaces;
  readonly body: Uint8Array;
}

/** The bytes LEN1: Limpede encoder, form 1. */
const MAGIC = 0x314e454c;
const PREFIX_BYTES = 8;
/** Each list begins on a multiple of this. */
export const LIST_ALIGNMENT = 64;

/** Reads a file of the encoder: magic number, header length, JSON header, lists of numbers (all little-endian). */
export function readModelFile<Header>(bytes: Uint8Array, schema: z.ZodType<Header>): EncoderFile<Header> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error('This is not an encoder file.');
  }
  const start = PREFIX_BYTES + view.getUint32(4, true);
  // A copy, as the decoder does not read shared memory.
  const head: unknown = JSON.parse(
    new TextDecoder().decode(new Uint8Array(bytes.subarray(PREFIX_BYTES, start))),
  );
  const { name, version, weights } = baseSchema.parse(head);
  const body = bytes.subarray(start);
  if (Object.values(weights).some(({ offset, bytes: size }) => offset + size > body.length)) {
    throw new Error(`The encoder ${name} is damaged: it ends too early.`);
  }
  return { header: { ...schema.parse(head), name, version }, places: weights, body };
}

/** The bytes of one list, copied into memory that threads can share. */
export function readList({ header, places, body }: EncoderFile<unknown>, name: string): SharedArrayBuffer {
  const place = places[name];
  if (place === undefined) throw new Error(`The encoder ${header.name} lacks the list ${name}.`);
  const list = new SharedArrayBuffer(place.bytes);
  new Uint8Array(list).set(body.subarray(place.offset, place.offset + place.bytes));
  return list;
}

/** Writes a file of the encoder from lists of numbers by name. */
export function writeModelFile(
  header: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, Int8Array | Float32Array | Uint32Array>>,
): Uint8Array {
  const places: ListPlaces = {};
  let length = 0;
  for (const [name, { byteLength }] of Object.entries(lists)) {
    places[name] = { offset: length, bytes: byteLength };
    length += Math.ceil(byteLength / LIST_ALIGNMENT) * LIST_ALIGNMENT;
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
