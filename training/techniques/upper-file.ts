/**
 * Rounds the layer that `upper.py FOLDER all` made to signed bytes: models/techniques-upper.bin. Usage:
 * npx tsx training/techniques/upper-file.ts FOLDER
 */
import { writeFileSync } from 'node:fs';
import { writeModelFile } from '../../src/text/encoder/model-file.ts';
import { readTunedLayer } from '../encoder/upper-layer.ts';
import { COLUMNS } from './pieces.ts';

const [folder = ''] = process.argv.slice(2);
const layer = readTunedLayer(folder, 'upper');
layer.add('feed_out', 'sparse');
layer.add('heads', 'exact');
const bytes = writeModelFile(
  { name: 'limpede-techniques-upper-1', version: '1.0.0', columns: COLUMNS },
  layer.lists,
);
writeFileSync('models/techniques-upper.bin', bytes);
process.stdout.write(`models/techniques-upper.bin: ${bytes.length} bytes\n`);
