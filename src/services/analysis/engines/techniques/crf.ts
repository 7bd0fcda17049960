import { logit } from '../../../../text/logistic.ts';

/**
 * Linear-chain conditional random field with two states, outside and inside. `enter` and `stay` are the scores of
 * being inside at a token after an outside or an inside token (outside scores 0).
 */
export interface SpanChainScores {
  readonly length: number;
  readonly enter: Float64Array;
  readonly stay: Float64Array;
  /** Score of leaving: outside right after inside. */
  readonly leave: number;
}

/** Probabilities per token, 0 to 1. */
export interface ChainMarginals {
  /** Token is inside a span. */
  readonly inside: Float64Array;
  /** Token and its predecessor are both inside. */
  readonly insideToInside: Float64Array;
  /** Outside right after inside. */
  readonly insideToOutside: Float64Array;
  /** Log of the partition function. */
  readonly logTotal: number;
}

const EDGE = 1e-4;

/** Log-odds of a probability, which is clamped away from 0 and 1. */
export function logOddsOf(probability: number): number {
  return logit(Math.min(1 - EDGE, Math.max(EDGE, probability)));
}

function logAdd(a: number, b: number): number {
  return a > b ? a + Math.log1p(Math.exp(b - a)) : b + Math.log1p(Math.exp(a - b));
}

/** Forward-backward (Lafferty, McCallum, Pereira 2001). Linear in the number of tokens. */
export function marginals(scores: SpanChainScores): ChainMarginals {
  const { length, enter, stay, leave } = scores;
  const outsideSums = new Float64Array(length);
  const insideSums = new Float64Array(length);
  for (let index = 0; index < length; index += 1) {
    const out = index === 0 ? 0 : (outsideSums[index - 1] ?? 0);
    const into = index === 0 ? Number.NEGATIVE_INFINITY : (insideSums[index - 1] ?? 0);
    outsideSums[index] = index === 0 ? 0 : logAdd(out, into + leave);
    insideSums[index] =
      index === 0 ? (enter[0] ?? 0) : logAdd(out + (enter[index] ?? 0), into + (stay[index] ?? 0));
  }
  const logTotal = length === 0 ? 0 : logAdd(outsideSums[length - 1] ?? 0, insideSums[length - 1] ?? 0);
  return { ...backward(scores, insideSums, logTotal), logTotal };
}

function backward(
  { length, enter, stay, leave }: SpanChainScores,
  insideSums: Float64Array,
  logTotal: number,
): Omit<ChainMarginals, 'logTotal'> {
  const inside = new Float64Array(length);
  const insideToInside = new Float64Array(length);
  const insideToOutside = new Float64Array(length);
  let [outBack, inBack] = [0, 0];
  for (let index = length - 1; index >= 0; index -= 1) {
    inside[index] = Math.exp((insideSums[index] ?? 0) + inBack - logTotal);
    if (index > 0) {
      const into = insideSums[index - 1] ?? 0;
      insideToInside[index] = Math.exp(into + (stay[index] ?? 0) + inBack - logTotal);
      insideToOutside[index] = Math.exp(into + leave + outBack - logTotal);
    }
    const nextOut = logAdd(outBack, (enter[index] ?? 0) + inBack);
    inBack = logAdd(leave + outBack, (stay[index] ?? 0) + inBack);
    outBack = nextOut;
  }
  return { inside, insideToInside, insideToOutside };
}
