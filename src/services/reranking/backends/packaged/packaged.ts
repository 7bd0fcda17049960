import { existsSync, readFileSync } from 'node:fs';
import { packageFile } from '../../../../foundation/files.ts';
import { oneModel } from '../../../../foundation/model-service/backends.ts';
import { createModelQueue, type ModelQueueLimits } from '../../../../foundation/model-service/model-queue.ts';
import { createSharedThreads } from '../../../../foundation/shared-threads.ts';
import type { RerankModel } from '../../contract.ts';
import { errors } from '../../errors.ts';
import type { RerankBackend } from '../backend.ts';
import { type DocumentPart, readDocuments } from '../document-parts.ts';
import type { RankingThreads } from './messages.ts';
import type { PreparedQuery } from './passage-matching.ts';
import { type RankingWeights, rankingWeights, relevances } from './ranking.ts';

/** Name of the packaged model. */
export const PACKAGED_MODEL = 'limpede-reranker-1';
/** Files without which nothing is ranked. */
const FILES = [
  'reranker.json',
  'encoder-en.bin',
  'gloss-ro.tsv',
  'encoder-ro.bin',
  'language.bin',
  'vocabulary.bin',
];

/** Shared words and nearness of meaning together, in threads of its own. */
export function createPackagedBackend(
  limits: ModelQueueLimits,
  threads: RankingThreads = createSharedThreads(packageFile('dist', 'reranking-worker.js'), limits.threads),
): RerankBackend {
  const runQueued = createModelQueue(limits, errors);
  let weights: RankingWeights | undefined;
  const describe = (): RerankModel => ({
    id: PACKAGED_MODEL,
    object: 'model',
    created: 0,
    owned_by: 'limpede',
    backend: 'packaged',
    loaded: threads.loaded(),
    languages: ['en', 'ro'],
  });
  return {
    name: 'packaged',
    ...oneModel(describe),
    rerank: async (task) => {
      weights ??= readWeights();
      const query = await runQueued(task, () => readQueryIn(threads, task.query));
      const { documents, tokens } = await readDocuments(task, (parts) =>
        runQueued(task, () => readPartsIn(threads, query, parts)),
      );
      return { scores: relevances(weights, query, documents), tokens: query.tokens + tokens };
    },
    probe: async () => {
      const missing = FILES.filter((file) => !existsSync(packageFile('models', file)));
      if (missing.length > 0) throw new Error(`weights are missing: ${missing.join(', ')}`);
    },
    close: () => threads.close(),
  };
}

async function readQueryIn(threads: RankingThreads, text: string): Promise<PreparedQuery> {
  const result = await threads.run({ kind: 'query', text });
  if (result.kind !== 'query') throw new Error('a thread answered something else');
  return result.query;
}

async function readPartsIn(threads: RankingThreads, query: PreparedQuery, parts: readonly DocumentPart[]) {
  const result = await threads.run({ kind: 'parts', query, parts });
  if (result.kind !== 'parts') throw new Error('a thread answered something else');
  return result.parts;
}

function readWeights(): RankingWeights {
  return rankingWeights.parse(JSON.parse(readFileSync(packageFile('models', 'reranker.json'), 'utf8')));
}
