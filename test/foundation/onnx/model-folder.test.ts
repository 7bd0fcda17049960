import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listOnnxModels } from '../../../src/foundation/onnx/model-folder.ts';
import { createOnnxModels } from '../../../src/foundation/onnx/onnx.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limpede-onnx-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(model: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, model, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
}
const whole = { 'model.onnx': 'graph', 'tokenizer.json': {} };

describe('the folder of ONNX models', () => {
  it('lists encoders and cross-encoders apart, by name', async () => {
    write('second', whole);
    write('first', { ...whole, 'config.json': { hidden_size: 384, vocab_size: 9 } });
    write('ranks', { ...whole, 'config.json': { architectures: ['BertForSequenceClassification'] } });
    write('no-tokenizer', { 'model.onnx': 'graph' });
    write('no-graph', { 'tokenizer.json': {} });
    writeFileSync(join(folder, 'text.gguf'), '');
    const encoders = await listOnnxModels(folder, 'encoder');
    expect(encoders.map(({ id, dimensions, vocabulary }) => [id, dimensions, vocabulary])).toEqual([
      ['first', 384, 9],
      ['second', null, null],
    ]);
    expect((await listOnnxModels(folder, 'cross-encoder')).map(({ id }) => id)).toEqual(['ranks']);
    expect(await listOnnxModels(join(folder, 'nowhere'), 'encoder')).toEqual([]);
  });

  it.each([
    ['nothing is said', {}, { pooling: 'mean', normalized: true, maxTokens: 512 }],
    [
      'the first token counts',
      { '1_Pooling/config.json': { pooling_mode_cls_token: true } },
      { pooling: 'cls' },
    ],
    [
      'the last token counts',
      { '1_Pooling/config.json': { pooling_mode_lasttoken: true } },
      { pooling: 'last' },
    ],
    [
      'the chain has no scaling',
      { 'modules.json': [{ type: 'sentence_transformers.models.Transformer' }] },
      { normalized: false },
    ],
    [
      'the chain has scaling',
      { 'modules.json': [{ type: 'sentence_transformers.models.Normalize' }] },
      { normalized: true },
    ],
    ['less is read', { 'sentence_bert_config.json': { max_seq_length: 128 } }, { maxTokens: 128 }],
    [
      'the family counts positions from 2',
      { 'config.json': { model_type: 'xlm-roberta', max_position_embeddings: 514 } },
      { maxTokens: 512 },
    ],
    ['a configuration is no JSON', { 'config.json': '{', 'modules.json': '7' }, { maxTokens: 512 }],
    ['the graph lies deeper', { 'onnx/model.onnx': 'graph' }, { graph: 'model.onnx' }],
  ])('reads what is known when %s', async (_name, files, expected) => {
    write('one', { ...whole, ...files });
    expect(await listOnnxModels(folder, 'encoder')).toMatchObject([expected]);
  });

  it('says what to do where models are and no runtime', async () => {
    const models = createOnnxModels({
      models: folder,
      kind: 'encoder',
      threads: 1,
      runtime: join(folder, 'none'),
    });
    expect(await models.problem()).toBeUndefined();
    write('one', whole);
    expect(await models.problem()).toBe('one: the runtime is not installed; run `limpede setup onnx`');
    expect(await models.list()).toEqual([]);
    await models.close();
  });
});
