import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLOAT, INT64, model, tensor, value } from '../../foundation/onnx/onnx-file.ts';

/** Bands of the sound that models of this family see. */
const BANDS = 80;
/** The word, a word that is never heard, and the mark of nothing, which comes last. */
const TOKENS = ['\u2581la', '\u2581never', '<blk>'];

/** A speech model of the CTC family of NeMo that hears "la" wherever sound is louder than a whisper, and silence elsewhere. */
export function writeTinySpeechModel(folder: string): void {
  const meanBand = Float32Array.from({ length: TOKENS.length * BANDS }, (_, index) =>
    index < BANDS ? 1 / BANDS : 0,
  );
  const bytes = model({
    nodes: [
      { operation: 'MatMul', inputs: ['bands', 'audio_signal'], output: 'levels' },
      { operation: 'Transpose', inputs: ['levels'], output: 'frames', attributes: { perm: [0, 2, 1] } },
      { operation: 'Add', inputs: ['frames', 'bias'], output: 'scores' },
      { operation: 'LogSoftmax', inputs: ['scores'], output: 'logprobs' },
    ],
    tensors: [
      tensor('bands', [TOKENS.length, BANDS], meanBand),
      tensor('bias', [TOKENS.length], Float32Array.of(12, -100, 0)),
    ],
    inputs: [value('audio_signal', FLOAT, ['N', BANDS, 'T']), value('length', INT64, ['N'])],
    output: value('logprobs', FLOAT, ['N', 'T', TOKENS.length]),
    metadata: {
      model_type: 'EncDecCTCModelBPE',
      vocab_size: '2',
      subsampling_factor: '1',
      normalize_type: '',
    },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), bytes);
  writeFileSync(join(folder, 'tokens.txt'), TOKENS.map((token, id) => `${token} ${id}\n`).join(''));
}
