import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A speech model of the operator: a folder as the authors of sherpa-onnx publish it. */
export interface SherpaModel {
  /** The name of its folder. */
  readonly id: string;
  readonly folder: string;
  /** The family, as the runtime names it. */
  readonly family: string;
  /** The files of the family by their part, within the folder; undefined when one is missing. */
  readonly graphs: Readonly<Record<string, string>>;
  readonly tokens: string;
  /** Files that the family needs and the folder lacks. */
  readonly missing: readonly string[];
  /** When its first graph was last written, in Unix seconds. */
  readonly created: number;
  /** Codes of ISO 639; null when nothing says. */
  readonly languages: readonly string[] | null;
}

/** Families that are one graph, by a word in the name of the folder; all others are taken for CTC models of NeMo. */
const SINGLE: readonly (readonly [word: RegExp, family: string])[] = [
  [/sense-?voice/i, 'senseVoice'],
  [/paraformer/i, 'paraformer'],
  [/zipformer/i, 'zipformerCtc'],
  [/wenet/i, 'wenetCtc'],
  [/./, 'nemoCtc'],
];

/** Families of several graphs: the sign by which they are known, and what each part is called. */
const SEVERAL: readonly {
  readonly family: string;
  readonly sign: RegExp;
  readonly parts: Readonly<Record<string, RegExp>>;
}[] = [
  {
    family: 'transducer',
    sign: /joiner.*\.onnx$/,
    parts: { encoder: /^encoder.*\.onnx$/, decoder: /^decoder.*\.onnx$/, joiner: /^joiner.*\.onnx$/ },
  },
  {
    family: 'moonshine',
    sign: /^uncached_decode.*\.onnx$/,
    parts: {
      preprocessor: /^preprocess.*\.onnx$/,
      encoder: /^encode.*\.onnx$/,
      uncachedDecoder: /^uncached_decode.*\.onnx$/,
      cachedDecoder: /^cached_decode.*\.onnx$/,
    },
  },
  {
    family: 'whisper',
    sign: /-(?:encoder|decoder).*\.onnx$/,
    parts: { encoder: /-encoder.*\.onnx$/, decoder: /-decoder.*\.onnx$/ },
  },
];
const ENGLISH_WHISPER = /\.en-(?:encoder|decoder)/;

/** The file of a part; of several builds the one of eight bits, which is smaller and faster. */
const fileOf = (names: readonly string[], part: RegExp) => {
  const files = names.filter((name) => part.test(name)).sort();
  return files.find((name) => name.includes('int8')) ?? files[0];
};

function partsOf(id: string, names: readonly string[]) {
  const several = SEVERAL.find(({ sign }) => names.some((name) => sign.test(name)));
  if (several !== undefined) return several;
  const [, family = ''] = SINGLE.find(([word]) => word.test(id)) ?? [];
  return { family, parts: { model: /\.onnx$/ } };
}

/** Reads what is known of a folder; undefined when it holds no speech model. */
async function readModel(folder: string, id: string): Promise<SherpaModel | undefined> {
  const names = await readdir(folder).catch(() => []);
  const tokens = fileOf(names, /(?:^|-)tokens\.txt$/);
  const isSeveral = SEVERAL.some(({ sign }) => names.some((name) => sign.test(name)));
  // Models for other work have graphs, too, but no such list of tokens.
  if (tokens === undefined && !isSeveral) return undefined;
  const { family, parts } = partsOf(id, names);
  const files = Object.entries(parts).map(([part, name]) => [part, fileOf(names, name)] as const);
  const graphs = Object.fromEntries(
    files.flatMap(([part, name]) => (name === undefined ? [] : [[part, name]])),
  );
  const [first] = Object.values(graphs);
  const written = first === undefined ? undefined : await stat(join(folder, first)).catch(() => undefined);
  return {
    id,
    folder,
    family,
    graphs,
    tokens: tokens ?? '',
    missing: [
      ...files.flatMap(([part, name]) => (name === undefined ? [`${part}.onnx`] : [])),
      ...(tokens === undefined ? ['tokens.txt'] : []),
    ],
    created: Math.floor((written?.mtimeMs ?? 0) / 1000),
    languages: names.some((name) => ENGLISH_WHISPER.test(name)) ? ['en'] : null,
  };
}

/** The speech models below a folder, by name, those that lack files with them. */
export async function listSpeechModels(folder: string): Promise<SherpaModel[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
  const models = await Promise.all(names.map(({ name }) => readModel(join(folder, name), name)));
  return models.flatMap((model) => model ?? []).sort((one, two) => (one.id < two.id ? -1 : 1));
}
