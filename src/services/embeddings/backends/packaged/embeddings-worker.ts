import { readFileSync } from 'node:fs';
import { packageFile } from '../../../../foundation/files.ts';
import { serveSharedThread } from '../../../../foundation/shared-threads.ts';
import { createEncoder, type Encoder, shareEncoder } from '../../../../text/encoder/encoder.ts';
import { readEncoderParts } from '../../../../text/encoder/parts.ts';
import { encodeText } from '../../../../text/encoder/passages.ts';
import type { EncodedInput } from '../embedder.ts';
import type { EncodeTask } from './messages.ts';

function encodeInput(encoder: Encoder, input: EncodeTask['inputs'][number], task: EncodeTask): EncodedInput {
  if (typeof input !== 'string') {
    const [encoded] = encoder.encodeIds([input]);
    return { vector: encoded?.vector ?? null, tokens: encoded?.pieces ?? 0 };
  }
  const { vector, pieces } = encodeText(encoder, input, task.language);
  return { vector, tokens: pieces };
}

await serveSharedThread({
  load: (threadCount) =>
    shareEncoder(
      readEncoderParts((file) => readFileSync(packageFile('models', file))),
      threadCount,
    ),
  prepare: (shared, index) => {
    const encoder = createEncoder(shared, index);
    return (task: EncodeTask) => task.inputs.map((input) => encodeInput(encoder, input, task));
  },
});
