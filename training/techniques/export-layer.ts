/**
 * Writes the float weights that the second upper layer starts from, the encoder's own upper layer: `layer1.f32` and the places of
 * its lists. Usage: npx tsx training/techniques/export-layer.ts FOLDER [folder of the original weights].
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOriginal, WEIGHTS_FOLDER } from '../encoder/package.ts';

const [target = '', weights = WEIGHTS_FOLDER] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const [, layer] = readOriginal(weights).layers;
/** By the names that `upper.py` knows; each with its first number and how many there are. */
const lists = {
  an_s: layer.attentionNorm[0],
  an_b: layer.attentionNorm[1],
  ai_w: layer.attentionIn.weights,
  ai_b: layer.attentionIn.biases,
  ao_w: layer.attentionOut.weights,
  ao_b: layer.attentionOut.biases,
  fn_s: layer.feedNorm[0],
  fn_b: layer.feedNorm[1],
  fi_w: layer.feedIn.weights,
  fi_b: layer.feedIn.biases,
  fo_w: layer.feedOut.weights,
  fo_b: layer.feedOut.biases,
};
let next = 0;
const places = Object.fromEntries(
  Object.entries(lists).map(([name, { length }]) => {
    next += length;
    return [name, [next - length, length] as const];
  }),
);
const all = Buffer.concat(
  Object.values(lists).map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)),
);
writeFileSync(join(target, 'layer1.f32'), all);
writeFileSync(join(target, 'layer1.json'), JSON.stringify(places));
process.stdout.write(`${next} weights\n`);
