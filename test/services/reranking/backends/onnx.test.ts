import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reranking } from '../../../../src/services/reranking/contract.ts';
import {
  describeOnnx,
  writeTinyCrossEncoder,
  writeTinyEncoder,
} from '../../../foundation/onnx/tiny-models.ts';
import { type RunningReranking, startReranking } from '../running-reranking.ts';

describeOnnx('an ONNX cross-encoder of the operator', () => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-onnx-'));
  let service: RunningReranking;
  beforeAll(async () => {
    writeTinyCrossEncoder(join(home, 'models', 'ranks'));
    writeTinyEncoder(join(home, 'models', 'encodes'));
    service = await startReranking({}, home);
  });
  afterAll(async () => {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  const rank = async (documents: readonly string[], more: object = {}) => {
    const response = await service.post({ model: 'ranks', query: 'petrol museum', documents, ...more });
    expect(response.status).toBe(200);
    return reranking.operations.rerank.answer.parse(await response.json());
  };

  it('reads query and document together', async () => {
    const { results, usage } = await rank(['museum', 'petrol price', 'red']);
    expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
    const logits = results.map(({ relevance_score: score }) => Math.log(score / (1 - score)));
    expect(logits.map((logit) => Math.round(logit))).toEqual([2, -2, -6]);
    expect(usage.total_tokens).toBe(6 + 7 + 6);
  });

  it('finds a passage behind the tokens that it reads at once', async () => {
    const long = `${'red '.repeat(40)}petrol`;
    expect((await rank([long, 'red'])).results[0]?.index).toBe(0);
    const short = await rank([long, 'red'], { max_chunks_per_doc: 1 });
    expect(short.results[0]?.relevance_score).toBe(short.results[1]?.relevance_score);
  });

  it('is listed; an encoder of sentences is not', async () => {
    const response = await fetch(`${service.url}/v1/models`);
    const { data } = reranking.operations.models.answer.parse(await response.json());
    expect(data.map(({ id, backend }) => [id, backend])).toEqual([
      ['limpede-reranker-1', 'packaged'],
      ['ranks', 'onnx'],
    ]);
  });
});
