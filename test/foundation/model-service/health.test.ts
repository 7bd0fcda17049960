import { describe, expect, it } from 'vitest';
import { embeddingsService } from '../../../src/services/embeddings/service.ts';
import { rerankingService } from '../../../src/services/reranking/service.ts';
import { visionService } from '../../../src/services/vision/service.ts';
import { startModelService } from './running.ts';

describe.each([
  ['embeddings', embeddingsService],
  ['reranking', rerankingService],
  ['vision', visionService],
] as const)('the health of %s', (_name, service) => {
  it('fails when no backend works', async () => {
    const broken = {
      name: 'packaged',
      models: async () => [],
      find: async () => undefined,
      probe: async () => {
        throw new Error('the weights are missing');
      },
      close: async () => undefined,
    };
    const running = await startModelService(service, {}, '/nonexistent', { backends: [broken] });
    const health = await fetch(`${running.url}/health`);
    expect(await health.json()).toMatchObject({
      status: 'unhealthy',
      backends: [{ name: 'packaged', healthy: false, message: 'the weights are missing' }],
    });
    await running.close();
  });
});
