import { rerankingService } from '../../../src/services/reranking/service.ts';
import { startModelService } from '../../foundation/model-service/running.ts';

/** The reranking service on a port of its own. */
export type RunningReranking = Awaited<ReturnType<typeof startReranking>>;

/** Starts the service with these settings. */
export async function startReranking(settings: Record<string, string> = {}, home?: string) {
  const running = await startModelService(rerankingService, settings, home);
  return {
    ...running,
    post: (body: unknown, headers: Record<string, string> = {}, path = '/v1/rerank') =>
      running.post(path, body, headers),
  };
}
