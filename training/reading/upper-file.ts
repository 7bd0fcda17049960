/**
 * Rounds the layer that `upper.py FOLDER all` made to signed bytes: models/text-upper.bin. Usage:
 * npx tsx training/reading/upper-file.ts FOLDER
 */
import { writeFileSync } from 'node:fs';
import { writeModelFile } from '../../src/text/encoder/model-file.ts';
import { readTunedLayer } from '../encoder/upper-layer.ts';

const [folder = ''] = process.argv.slice(2);
const { lists, list } = readTunedLayer(folder, 'whole');
// The layer's last step and its head are linear: together they are weights of the means of the state and of the hidden rows, and a bias.
const [head, out, outBias] = [list('head'), list('feed_out'), list('feed_out_bias')];
const byHead = (row: Float32Array) =>
  row.reduce((sum, value, column) => sum + value * (head[column] as number), 0);
const hidden = Array.from({ length: out.length / head.length }, (_, row) =>
  byHead(out.subarray(row * head.length, (row + 1) * head.length)),
);
const bias = (list('head_bias')[0] as number) + byHead(outBias);
const bytes = writeModelFile(
  { name: 'limpede-text-upper-2', version: '2.0.0' },
  { ...lists, 'whole.head': Float32Array.from([...head, ...hidden, bias]) },
);
writeFileSync('models/text-upper.bin', bytes);
process.stdout.write(`models/text-upper.bin: ${bytes.length} bytes\n`);
