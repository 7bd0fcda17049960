import { z } from 'zod';
import { address, integer, list, optionalText } from '../../foundation/settings.ts';

/** Settings of the reranking service, named as in the environment. */
export const rerankingSettings = z.object({
  RERANKING_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  RERANKING_THREADS: integer(1, 1, 64).describe('Threads of the packaged ranker; they share its weights.'),
  RERANKING_QUEUE_SIZE: integer(256, 1, 100_000).describe(
    'Pieces of work that may wait for a thread, of all callers together; each takes a fraction of a second at most.',
  ),
  RERANKING_CALLER_SHARE: integer(64, 1, 100_000).describe(
    'Pieces of work of one caller that may wait or run; a request has one at a time.',
  ),
  RERANKING_ONNX_THREADS: integer(1, 1, 64).describe(
    'Threads of the runtime for each ONNX cross-encoder of yours in the folder models below LIMPEDE_HOME.',
  ),
  RERANKING_UPSTREAM_URL: address().describe(
    'Root of a reranking server of the convention of Cohere and Jina, such as https://host/v1; unset: none.',
  ),
  RERANKING_UPSTREAM_API_KEY: optionalText().describe('Key that is sent to that server, when it wants one.'),
  RERANKING_UPSTREAM_TIMEOUT_MS: integer(60_000, 1, 3_600_000).describe('Time for one call of that server.'),
  RERANKING_UPSTREAM_SCORES: z
    .enum(['probability', 'logit'])
    .default('probability')
    .describe('What its scores are: between 0 and 1, or log-odds, as those of a llama.cpp server.'),
});

/** Checked settings of the reranking service. */
export type RerankingSettings = z.infer<typeof rerankingSettings>;
