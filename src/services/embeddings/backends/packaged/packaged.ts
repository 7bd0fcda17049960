import { existsSync } from 'node:fs';
import { packageFile } from '../../../../foundation/files.ts';
import { oneModel } from '../../../../foundation/model-service/backends.ts';
import { createSharedThreads } from '../../../../foundation/shared-threads.ts';
import type { EmbeddingModel } from '../../contract.ts';
import type { EmbeddingsBackend } from '../backend.ts';
import { checkTokens, createEmbedder, type EmbedderLimits } from '../embedder.ts';
import type { EncoderThreads } from './messages.ts';

/** Name of the packaged model. */
export const PACKAGED_MODEL = 'limpede-encoder-1';
const DIMENSIONS = 512;
/** Ids of pieces in the packaged vocabulary. */
const VOCABULARY_SIZE = 8000;

/** The packaged encoder as a backend, in worker threads of its own. */
export function createPackagedBackend(
  limits: EmbedderLimits,
  threads: EncoderThreads = createSharedThreads(packageFile('dist', 'embeddings-worker.js'), limits.threads),
): EmbeddingsBackend {
  const embed = createEmbedder(limits, (inputs, { language }) => threads.run({ inputs, language }));
  const describe = (): EmbeddingModel => ({
    id: PACKAGED_MODEL,
    object: 'model',
    created: 0,
    owned_by: 'limpede',
    backend: 'packaged',
    loaded: threads.loaded(),
    dimensions: DIMENSIONS,
    languages: ['en', 'ro'],
  });
  return {
    name: 'packaged',
    ...oneModel(describe),
    embed: async (task) => {
      checkTokens(task.inputs, PACKAGED_MODEL, VOCABULARY_SIZE);
      return embed(task);
    },
    probe: async () => {
      if (!existsSync(packageFile('models', 'encoder-en.bin'))) throw new Error('the weights are missing');
    },
    close: () => threads.close(),
  };
}
