import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveSharedThread } from '../shared-threads.ts';
import { inBatches, poolVectors, type TokenRow } from './inference.ts';
import type { OnnxResult, OnnxTask, OnnxWorkerOptions } from './messages.ts';
import { loadRuntime, type OnnxTokenizer, type Session, type Tensor } from './runtime.ts';
import { truncatePair, truncateText, windowsOf } from './windows.ts';

/** A model in this thread. */
interface LoadedModel {
  readonly options: OnnxWorkerOptions;
  readonly session: Session;
  readonly tokenizer: OnnxTokenizer;
  readonly tensor: (data: BigInt64Array, dims: readonly number[]) => Tensor;
}

const readJson = (path: string): object => JSON.parse(readFileSync(path, 'utf8')) as object;

function readJsonIfThere(path: string): object {
  try {
    return readJson(path);
  } catch {
    return {};
  }
}

async function load(options: OnnxWorkerOptions): Promise<LoadedModel> {
  const { model, runtime: folder, threads } = options;
  const runtime = loadRuntime(folder);
  const session = await runtime.InferenceSession.create(join(model.folder, model.graph), {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const unknown = session.inputNames.filter(
    (name) => !['input_ids', 'attention_mask', 'token_type_ids'].includes(name),
  );
  if (unknown.length > 0)
    throw new Error(`${model.id} has inputs that are not supported: ${unknown.join(', ')}`);
  const tokenizer = new runtime.Tokenizer(
    readJson(join(model.folder, 'tokenizer.json')),
    readJsonIfThere(join(model.folder, 'tokenizer_config.json')),
  );
  const tensor = (data: BigInt64Array, dims: readonly number[]) => new runtime.Tensor('int64', data, dims);
  return { options, session, tokenizer, tensor };
}

/** Runs rows of tokens, padded to one length, and gives the first output. */
async function infer({ session, tensor }: LoadedModel, rows: readonly TokenRow[]): Promise<Tensor> {
  const length = Math.max(1, ...rows.map(({ ids }) => ids.length));
  const fill = (numberOf: (row: TokenRow, at: number) => number) => {
    const data = new BigInt64Array(rows.length * length);
    rows.forEach((row, index) => {
      for (let at = 0; at < row.ids.length; at++) data[index * length + at] = BigInt(numberOf(row, at));
    });
    return tensor(data, [rows.length, length]);
  };
  const all: Record<string, Tensor> = {
    input_ids: fill(({ ids }, at) => ids[at] ?? 0),
    attention_mask: fill(() => 1),
    token_type_ids: fill(({ types }, at) => types[at] ?? 0),
  };
  const feeds = Object.fromEntries(
    session.inputNames.flatMap((name) => {
      const value = all[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const outputs = await session.run(feeds);
  const output = outputs[session.outputNames[0] ?? ''];
  if (output === undefined) throw new Error('the model gave nothing');
  return output;
}

async function embed(
  loaded: LoadedModel,
  inputs: readonly (string | readonly number[])[],
): Promise<OnnxResult> {
  const { model } = loaded.options;
  const rows = inputs.map((input): TokenRow => {
    const ids =
      typeof input === 'string'
        ? truncateText(loaded.tokenizer, input, model.maxTokens)
        : input.slice(0, model.maxTokens);
    return { ids, types: [] };
  });
  const vectors: Float32Array[] = [];
  for (const batch of inBatches(rows)) vectors.push(...poolVectors(await infer(loaded, batch), batch, model));
  return {
    kind: 'vectors',
    inputs: rows.map(({ ids }, index) => ({ vector: vectors[index] ?? null, tokens: ids.length })),
  };
}

async function score(loaded: LoadedModel, task: Extract<OnnxTask, { kind: 'score' }>): Promise<OnnxResult> {
  const { model } = loaded.options;
  const parts = [];
  for (const { text, mostPassages } of task.parts) {
    const windows = windowsOf(loaded.tokenizer, task.query, text, model.maxTokens).slice(0, mostPassages);
    const rows = windows.map((window) => truncatePair(loaded.tokenizer, task.query, window, model.maxTokens));
    const passages: number[] = [];
    for (const batch of inBatches(rows)) {
      const { data, dims } = await infer(loaded, batch);
      const labels = dims[1] ?? 1;
      if (labels > 2) throw new Error(`${model.id} has ${labels} labels: it does not tell relevance`);
      batch.forEach((_, index) => {
        const at = index * labels;
        const logit = Number(data[at + labels - 1]) - (labels === 2 ? Number(data[at]) : 0);
        passages.push(1 / (1 + Math.exp(-logit)));
      });
    }
    parts.push({ passages, tokens: rows.reduce((sum, { ids }) => sum + ids.length, 0) });
  }
  return { kind: 'scores', parts };
}

let loadedModel: LoadedModel | undefined;

await serveSharedThread({
  // A session stays in the thread that loaded it: there is one thread a model, and nothing to share.
  load: async (_threadCount, options: OnnxWorkerOptions) => {
    loadedModel = await load(options);
    return true;
  },
  prepare: () => (task: OnnxTask) => {
    if (loadedModel === undefined) throw new Error('no model is loaded');
    return task.kind === 'embed' ? embed(loadedModel, task.inputs) : score(loadedModel, task);
  },
});
