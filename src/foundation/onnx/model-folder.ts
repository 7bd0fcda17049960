import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** How the vectors of tokens become the vector of a text. */
export type Pooling = 'mean' | 'cls' | 'max' | 'last';

/** What a model is for: vectors of texts, or the relevance of a text for a query. */
export type OnnxKind = 'encoder' | 'cross-encoder';

/** An ONNX model of the operator: a folder as Hugging Face and sentence-transformers lay it out. */
export interface OnnxModel {
  /** The name of its folder. */
  readonly id: string;
  readonly kind: OnnxKind;
  readonly folder: string;
  /** The graph, within the folder. */
  readonly graph: string;
  /** When the graph was last written, in Unix seconds. */
  readonly created: number;
  /** Tokens that are read at once. */
  readonly maxTokens: number;
  readonly dimensions: number | null;
  /** Ids of tokens are below it; null when nothing says. */
  readonly vocabulary: number | null;
  readonly pooling: Pooling;
  /** Whether vectors are scaled to length 1. */
  readonly normalized: boolean;
}

/** Places of the graph, the plain one first. */
const GRAPHS = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx', 'model_quantized.onnx'];
/** Input length in tokens where the configuration names none. */
const USUAL_TOKENS = 512;
/** RoBERTa's family counts positions from 2: its configuration has two more than it reads. */
const OFFSET_FAMILIES = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

const count = z.int().min(1).nullish();
const modelConfig = z.object({
  architectures: z.array(z.string()).nullish(),
  model_type: z.string().nullish(),
  max_position_embeddings: count,
  hidden_size: count,
  vocab_size: count,
});
const sentenceConfig = z.object({ max_seq_length: count });
const poolingConfig = z.object({
  pooling_mode_cls_token: z.boolean().nullish(),
  pooling_mode_mean_tokens: z.boolean().nullish(),
  pooling_mode_max_tokens: z.boolean().nullish(),
  pooling_mode_lasttoken: z.boolean().nullish(),
});
const modules = z.array(z.object({ type: z.string() }));

/** A configuration file; undefined when there is none, or none of its form. */
async function readConfig<Config>(path: string, schema: z.ZodType<Config>): Promise<Config | undefined> {
  try {
    return schema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

function poolingOf(config: z.infer<typeof poolingConfig> | undefined): Pooling {
  if (config?.pooling_mode_cls_token === true) return 'cls';
  if (config?.pooling_mode_max_tokens === true) return 'max';
  return config?.pooling_mode_lasttoken === true ? 'last' : 'mean';
}

function maxTokensOf(config: z.infer<typeof modelConfig>, sentence: number | null | undefined): number {
  const offset = OFFSET_FAMILIES.has(config.model_type ?? '') ? 2 : 0;
  const positions = config.max_position_embeddings ?? USUAL_TOKENS + offset;
  return Math.min(sentence ?? USUAL_TOKENS, positions - offset);
}

/** Reads what is known of a model; undefined when the folder holds none. */
async function readModel(folder: string, id: string): Promise<OnnxModel | undefined> {
  const path = (...parts: string[]) => join(folder, ...parts);
  const graphs = await Promise.all(
    GRAPHS.map((graph) =>
      stat(path(graph)).then(
        ({ mtimeMs }) => ({ graph, created: Math.floor(mtimeMs / 1000) }),
        () => undefined,
      ),
    ),
  );
  const graphFile = graphs.find((graph) => graph !== undefined);
  const tokenizer = await stat(path('tokenizer.json')).catch(() => undefined);
  if (graphFile === undefined || tokenizer === undefined) return undefined;
  const config = (await readConfig(path('config.json'), modelConfig)) ?? {};
  const sentence = await readConfig(path('sentence_bert_config.json'), sentenceConfig);
  const pooling = await readConfig(path('1_Pooling', 'config.json'), poolingConfig);
  const chain = await readConfig(path('modules.json'), modules);
  const classifies = config.architectures?.some((name) => name.endsWith('ForSequenceClassification'));
  return {
    id,
    kind: classifies === true ? 'cross-encoder' : 'encoder',
    folder,
    ...graphFile,
    maxTokens: maxTokensOf(config, sentence?.max_seq_length),
    dimensions: config.hidden_size ?? null,
    vocabulary: config.vocab_size ?? null,
    pooling: poolingOf(pooling),
    // Without modules.json normalisation is unknown; callers of such services expect vectors of length 1.
    normalized: chain === undefined || chain.some(({ type }) => type.endsWith('.Normalize')),
  };
}

/** The models of one kind below a folder, by name. */
export async function listOnnxModels(folder: string, kind: OnnxKind): Promise<OnnxModel[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
  const models = await Promise.all(names.map(({ name }) => readModel(join(folder, name), name)));
  return models
    .filter((model) => model?.kind === kind)
    .flatMap((model) => model ?? [])
    .sort((one, two) => (one.id < two.id ? -1 : 1));
}
