import { z } from 'zod';
import type { ScreeningModel, WeightTable } from './screening.ts';
import { WordTable } from './word-table.ts';

const tableHeader = z.object({
  bits: z.int().min(1).max(22),
  labels: z.int().min(1),
  scale: z.number(),
  bias: z.array(z.number()),
});

const calibrationSchema = z.object({ weights: z.array(z.number()), intercepts: z.array(z.number()) });

const headerSchema = z.object({
  name: z.string(),
  version: z.string(),
  words: z.int(),
  lexicons: z.int(),
  labels: z.array(z.string()),
  stack: z.array(z.number()),
  blend: z.array(z.number()),
  leave: z.number(),
  spanThreshold: z.number(),
  sentence: tableHeader,
  tagger: tableHeader,
  namer: tableHeader,
  /** Confidence of a named span: weights of mean and highest token log-odds, label log-odds, sentence log-odds; one intercept a label. */
  calibration: calibrationSchema,
  /** Weights that combine word features with encoder pieces; absent where the model reads words alone. */
  close: z
    .object({
      sentence: z.array(z.number()),
      token: z.array(z.number()),
      name: z.array(z.number()),
      spanThreshold: z.number(),
      joinGap: z.int().min(0),
      calibration: calibrationSchema,
    })
    .optional(),
});

/** Platt-style calibration of named spans, fitted on articles that the models had not seen. */
export type Calibration = z.infer<typeof calibrationSchema>;

/** A trained engine file. */
export interface TechniquesModel {
  readonly name: string;
  readonly version: string;
  readonly screening: ScreeningModel;
  readonly calibration: Calibration;
  /** The same for spans that were found with the encoder pieces. */
  readonly combinationCalibration?: Calibration | undefined;
}

const MAGIC = 0x314d544c; // "LTM1", little-endian: Limpede techniques model, form 1.
const PREFIX_BYTES = 8;

/** Reads a model file: magic number, header length, JSON header, word table, three weight tables (little-endian). */
export function readTechniquesModel(bytes: Uint8Array): TechniquesModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new Error('This is not a techniques model file.');
  const start = PREFIX_BYTES + view.getUint32(4, true);
  const header = headerSchema.parse(
    JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, start))),
  );
  let offset = start;
  const take = (length: number) => {
    if (offset + length > bytes.byteLength) throw new Error('The techniques model file is cut short.');
    offset += length;
    // A copy: a Buffer would share its memory, at any alignment.
    return new Uint8Array(bytes.subarray(offset - length, offset));
  };
  const hashes = new Uint32Array(take(header.words * 4).buffer);
  const clusters = new Uint16Array(take(header.words * 2).buffer);
  const words = new WordTable(hashes, clusters, take(header.words * header.lexicons));
  const table = (part: z.infer<typeof tableHeader>): WeightTable => ({
    ...part,
    weights: new Int8Array(take(part.labels * 2 ** part.bits).buffer),
  });
  const [sentence, tagger, namer] = [table(header.sentence), table(header.tagger), table(header.namer)];
  const { name, version, labels, stack, blend, leave, spanThreshold, calibration, close } = header;
  return {
    name,
    version,
    calibration,
    ...(close && { combinationCalibration: close.calibration }),
    screening: {
      words,
      sentence,
      stack,
      blend,
      tagger,
      leave,
      namer,
      labels,
      spanThreshold,
      combination: close,
    },
  };
}

/** Rounds the weights of a table to 8 bits; the engine computes with these, so calibration must too. */
export function quantised(table: WeightTable): WeightTable {
  let largest = 1e-9;
  for (const weight of table.weights) largest = Math.max(largest, Math.abs(weight * table.scale));
  const scale = largest / 127;
  return {
    ...table,
    scale,
    weights: Int8Array.from(table.weights, (weight) => Math.round((weight * table.scale) / scale)),
  };
}

/** Writes a model file; the tables must be quantised. */
export function writeTechniquesModel(model: TechniquesModel): Uint8Array {
  const { words, sentence, tagger, namer, combination, ...rest } = model.screening;
  const head = ({ bits, labels, scale, bias }: WeightTable) => ({ bits, labels, scale, bias: [...bias] });
  const { name, version, calibration, combinationCalibration } = model;
  const header = {
    name,
    version,
    calibration,
    ...rest,
    ...(combination &&
      combinationCalibration && { close: { ...combination, calibration: combinationCalibration } }),
    words: words.hashes.length,
    lexicons: words.lexicons,
    sentence: head(sentence),
    tagger: head(tagger),
    namer: head(namer),
  };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(MAGIC, 0);
  prefix.writeUInt32LE(json.length, 4);
  const raw = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const parts = [words.hashes, words.clusters, words.steps, sentence.weights, tagger.weights, namer.weights];
  return Buffer.concat([prefix, json, ...parts.map(raw)]);
}
