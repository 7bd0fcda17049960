import { embeddingsService } from '../../../src/services/embeddings/service.ts';
import { startModelService } from '../../foundation/model-service/running.ts';

/** The embeddings service on a port of its own. */
export type RunningEmbeddings = Awaited<ReturnType<typeof startEmbeddings>>;

/** Starts the service with these settings. */
export async function startEmbeddings(settings: Record<string, string> = {}, home?: string) {
  const running = await startModelService(embeddingsService, settings, home);
  return {
    ...running,
    post: (body: unknown, headers: Record<string, string> = {}, path = '/v1/embeddings') =>
      running.post(path, body, headers),
  };
}
