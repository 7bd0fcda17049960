/** Training of a linear-chain conditional random field by AdaGrad. */
import { chainSums, type TagChainScores } from '../../src/text/entities/chain.ts';
import { randomStream } from '../rows.ts';

/** A sentence to learn from: features of its words, and the tags that each word may have. */
export interface ChainExample {
  readonly buckets: readonly Uint32Array[];
  /** 1 where a tag is allowed, word by word; several where the annotators did not look. */
  readonly allowed: Uint8Array;
}

/** Weights of a chain: `words[bucket * tags + tag]`. */
export interface ChainWeights {
  readonly tags: number;
  readonly words: Float32Array;
  readonly steps: Float64Array;
  readonly first: Float64Array;
}

/** Settings of a training run. */
export interface ChainOptions {
  readonly tags: number;
  readonly bits: number;
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  readonly seed: number;
}

/** Scores of the words of a sentence. */
export function scoresOf(
  { tags, words, steps, first }: ChainWeights,
  buckets: readonly Uint32Array[],
): TagChainScores {
  const scores = new Float64Array(buckets.length * tags);
  buckets.forEach((own, word) => {
    for (const bucket of own)
      for (let tag = 0; tag < tags; tag++)
        scores[word * tags + tag] =
          (scores[word * tags + tag] as number) + (words[bucket * tags + tag] as number);
  });
  return { length: buckets.length, tags, words: scores, steps, first };
}

const FORBIDDEN = -1e9;

/** Chance of each tag of each word, and expected steps. */
function expectations(scores: TagChainScores): { words: Float64Array; steps: Float64Array } {
  const { length, tags } = scores;
  const { total, forward, backward } = chainSums(scores);
  const words = forward.map((value, at) => Math.exp(value + (backward[at] as number) - total));
  const steps = new Float64Array(tags * tags);
  for (let word = 1; word < length; word++)
    for (let from = 0; from < tags; from++)
      for (let to = 0; to < tags; to++) {
        const at = from * tags + to;
        steps[at] =
          (steps[at] as number) +
          Math.exp(
            (forward[(word - 1) * tags + from] as number) +
              (scores.steps[at] as number) +
              (scores.words[word * tags + to] as number) +
              (backward[word * tags + to] as number) -
              total,
          );
      }
  return { words, steps };
}

/** Trains on sentences in a repeatable random order; rates fall to a quarter. */
export function trainChain(examples: readonly ChainExample[], options: ChainOptions): ChainWeights {
  const { tags, bits, epochs, rate, decay } = options;
  const weights: ChainWeights = {
    tags,
    words: new Float32Array(tags * 2 ** bits),
    steps: new Float64Array(tags * tags),
    first: new Float64Array(tags),
  };
  const squares = new Float32Array(weights.words.length).fill(1e-1);
  const [stepSquares, firstSquares] = [new Float64Array(tags * tags).fill(1), new Float64Array(tags).fill(1)];
  const random = randomStream(options.seed);
  const order = [...examples.keys()];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [order[last], order[other]] = [order[other] as number, order[last] as number];
    }
    const pace = rate * (1 - (0.75 * epoch) / epochs);
    for (const index of order) {
      const example = examples[index] as ChainExample;
      const scores = scoresOf(weights, example.buckets);
      const said = expectations(scores);
      const held = scores.words.map((score, at) => (example.allowed[at] === 1 ? score : FORBIDDEN));
      const true_ = expectations({ ...scores, words: held });
      example.buckets.forEach((own, word) => {
        for (let tag = 0; tag < tags; tag++) {
          const error =
            (true_.words[word * tags + tag] as number) - (said.words[word * tags + tag] as number);
          if (Math.abs(error) < 1e-4) continue;
          if (word === 0) move(weights.first, firstSquares, tag, error, pace);
          for (const bucket of own) {
            const at = bucket * tags + tag;
            const gradient = error - decay * (weights.words[at] as number);
            const square = (squares[at] as number) + gradient * gradient;
            squares[at] = square;
            weights.words[at] = (weights.words[at] as number) + (pace * gradient) / Math.sqrt(square);
          }
        }
      });
      for (let at = 0; at < tags * tags; at++)
        move(weights.steps, stepSquares, at, (true_.steps[at] as number) - (said.steps[at] as number), pace);
    }
  }
  return weights;
}

function move(
  weights: Float64Array,
  squares: Float64Array,
  at: number,
  gradient: number,
  pace: number,
): void {
  const square = (squares[at] as number) + gradient * gradient;
  squares[at] = square;
  weights[at] = (weights[at] as number) + (pace * gradient) / Math.sqrt(square);
}
