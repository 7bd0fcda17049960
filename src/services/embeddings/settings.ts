import { z } from 'zod';
import { address, integer, list, optionalText } from '../../foundation/settings.ts';

/** Settings of the embeddings service, named as in the environment. */
export const embeddingsSettings = z.object({
  EMBEDDINGS_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  EMBEDDINGS_THREADS: integer(1, 1, 64).describe('Threads of the packaged encoder; they share its weights.'),
  EMBEDDINGS_QUEUE_SIZE: integer(256, 1, 100_000).describe(
    'Pieces of work that may wait for a thread, of all callers together; each takes a fraction of a second at most.',
  ),
  EMBEDDINGS_CALLER_SHARE: integer(64, 1, 100_000).describe(
    'Pieces of work of one caller that may wait or run.',
  ),
  EMBEDDINGS_CACHE_ENTRIES: integer(4096, 0, 10_000_000).describe(
    'Texts whose vectors are kept in memory for each model, 2 KiB each for the packaged one; 0: none.',
  ),
  EMBEDDINGS_ONNX_THREADS: integer(1, 1, 64).describe(
    'Threads of the runtime for each ONNX model of yours in the folder models below LIMPEDE_HOME.',
  ),
  EMBEDDINGS_UPSTREAM_URL: address().describe(
    'Root of an embeddings server of the common convention, such as https://host/v1; unset: none.',
  ),
  EMBEDDINGS_UPSTREAM_API_KEY: optionalText().describe('Key that is sent to that server, when it wants one.'),
  EMBEDDINGS_UPSTREAM_TIMEOUT_MS: integer(60_000, 1, 3_600_000).describe('Time for one call of that server.'),
});

/** Checked settings of the embeddings service. */
export type EmbeddingsSettings = z.infer<typeof embeddingsSettings>;
