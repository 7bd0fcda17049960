import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnnx, writeTinyEncoder } from '../../../foundation/onnx/tiny-models.ts';
import { type RunningEmbeddings, startEmbeddings } from '../running-embeddings.ts';

const answerSchema = z.looseObject({
  data: z.array(z.object({ embedding: z.array(z.number()) })).default([]),
  usage: z.object({ total_tokens: z.int() }).default({ total_tokens: 0 }),
  error: z.object({ code: z.string() }).default({ code: '' }),
});

describeOnnx('an ONNX encoder of the operator', () => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-onnx-'));
  let service: RunningEmbeddings;
  const folder = (name: string) => join(home, 'models', name);
  const unscaled = { 'modules.json': [{ type: 'sentence_transformers.models.Transformer' }] };

  beforeAll(async () => {
    writeTinyEncoder(folder('mean'), unscaled);
    writeTinyEncoder(folder('first'), {
      ...unscaled,
      '1_Pooling/config.json': { pooling_mode_cls_token: true },
    });
    writeTinyEncoder(folder('scaled'));
    mkdirSync(folder('broken'), { recursive: true });
    writeFileSync(join(folder('broken'), 'model.onnx'), 'no graph');
    writeFileSync(join(folder('broken'), 'tokenizer.json'), '{}');
    service = await startEmbeddings({}, home);
  });
  afterAll(async () => {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  const ask = async (body: object) => {
    const response = await service.post(body);
    const answer = answerSchema.parse(await response.json());
    return { status: response.status, ...answer, vectors: answer.data.map(({ embedding }) => embedding) };
  };

  it('reads texts by its own tokenizer and pools by its configuration', async () => {
    // [CLS] red green [SEP] are 2, 4, 5, 3.
    const { vectors, usage } = await ask({ model: 'mean', input: ['red green', 'Blue'] });
    expect(vectors).toEqual([
      [3.5, 1],
      [expect.closeTo((2 + 6 + 3) / 3, 5), 1],
    ]);
    expect(usage.total_tokens).toBe(7);
    expect((await ask({ model: 'first', input: 'red green' })).vectors).toEqual([[2, 1]]);
    const [[one = 0, two = 0] = []] = (await ask({ model: 'scaled', input: 'red green' })).vectors;
    expect(Math.hypot(one, two)).toBeCloseTo(1, 5);
    expect(one / two).toBeCloseTo(3.5, 4);
  });

  it('gives a text the same vector alone and beside longer ones', async () => {
    const texts = ['red', 'red green blue price petrol museum', 'petrol'];
    const together = (await ask({ model: 'mean', input: texts })).vectors;
    const alone = await Promise.all(texts.map((input) => ask({ model: 'mean', input })));
    expect(together).toEqual(alone.flatMap(({ vectors }) => vectors));
  });

  it('reads as much of a long text as it can, and tokens', async () => {
    const { vectors, usage } = await ask({ model: 'mean', input: 'red '.repeat(100) });
    expect(usage.total_tokens).toBe(16);
    expect(vectors).toEqual([[(2 + 14 * 4 + 3) / 16, 1]]);
    expect((await ask({ model: 'mean', input: [4, 6] })).vectors).toEqual([[5, 1]]);
    expect((await ask({ model: 'mean', input: [10] })).status).toBe(422);
  });

  it('is listed, and loaded when it is first used', async () => {
    const { data } = (await (await fetch(`${service.url}/v1/models`)).json()) as {
      data: { id: string; backend: string; dimensions: number | null; loaded: boolean }[];
    };
    expect(data.map(({ id, backend }) => [id, backend])).toEqual([
      ['limpede-encoder-1', 'packaged'],
      ['broken', 'onnx'],
      ['first', 'onnx'],
      ['mean', 'onnx'],
      ['scaled', 'onnx'],
    ]);
    expect(data.find(({ id }) => id === 'mean')).toMatchObject({ dimensions: 2, loaded: true });
    expect(data.find(({ id }) => id === 'broken')).toMatchObject({ dimensions: null, loaded: false });
  });

  it('that cannot be run is told, and holds up no other', async () => {
    const { status, error } = await ask({ model: 'broken', input: 'a' });
    expect([status, error.code]).toEqual([502, 'backend_failed']);
    expect((await ask({ model: 'mean', input: 'red' })).status).toBe(200);
  });
});
